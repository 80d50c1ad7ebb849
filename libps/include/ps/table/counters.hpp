// Shared counters at one rank: versions, clocks, flags to stop. Every operation is one atomic MPI_Fetch_and_op.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/communicator.hpp"
#include "core/window.hpp"

namespace ps {

class Counters {
 public:
  /// `count` counters at rank `home`, zero at first. Collective, as is the destructor; all else is local.
  Counters(const core::Communicator& comm, std::size_t count, int home);

  [[nodiscard]] std::int64_t read(std::size_t counter);
  void read_all(std::span<std::int64_t> values);
  /// Returns the value before.
  std::int64_t add(std::size_t counter, std::int64_t addend);
  void write(std::size_t counter, std::int64_t value);
  /// Makes it at least `value`. Never mix with add() on one counter.
  void raise(std::size_t counter, std::int64_t value);

  [[nodiscard]] std::size_t size() const noexcept { return count_; }

 private:
  std::size_t count_;
  int home_;
  core::Window<std::int64_t> window_;
};

} // namespace ps
