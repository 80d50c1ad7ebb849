// What is reduced, and what must come out. The elements are small whole numbers, so that every order of adding gives
// the same floating-point number and a result can be compared bit by bit; they repeat after 1021 elements, a prime, so
// that a chunk put in the wrong place shows.
#pragma once

#include <cstddef>
#include <vector>

#include "collectives/all_reduce.hpp"
#include "options.hpp"

namespace ringbench {

/// All functions are local.
class TestVectors {
 public:
  /// Throws core::InputError where sums over so many ranks are not exact in the type.
  TestVectors(const Options& options, int rank, int ranks);

  /// Lengths of this rank's input and output for a vector of `count` elements in all.
  [[nodiscard]] std::size_t input_count(std::size_t count) const noexcept;
  [[nodiscard]] std::size_t output_count(std::size_t count) const noexcept;

  void fill_input(std::byte* input, std::size_t count) const;
  /// Something that is no result.
  void spoil_output(std::byte* output, std::size_t count) const;
  /// Elements of this rank's output that are wrong.
  [[nodiscard]] std::size_t errors(const std::byte* output, std::size_t count) const;

 private:
  using Table = std::vector<std::byte>; ///< one period

  [[nodiscard]] std::size_t errors_in(const std::byte* data, const collectives::Chunk& chunk, const Table& table) const;

  Collective collective_;
  std::size_t element_bytes_;
  int rank_, ranks_;
  std::vector<Table> inputs_; ///< of each rank
  Table reduced_;
};

} // namespace ringbench
