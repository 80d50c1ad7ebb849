// Shared counters at one rank: versions, clocks, flags to stop. Every operation on a counter is atomic and complete
// when the function returns, one MPI_Fetch_and_op or MPI_Accumulate: what a rank has written, everybody reads from then
// on.
//
// MPI promises atomicity only among operations of one kind and reads. So a counter is one that is added to, or one that
// is raised, or one that is written (by one rank at a time), not several of these at once.
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

  // A counter that does not exist throws PsError.

  [[nodiscard]] std::int64_t read(std::size_t counter);
  /// Reads the first values.size() counters: each atomically, not all at one moment.
  void read_all(std::span<std::int64_t> values);
  /// Returns the value before.
  std::int64_t add(std::size_t counter, std::int64_t addend);
  void write(std::size_t counter, std::int64_t value);
  /// Makes it at least `value`.
  void raise(std::size_t counter, std::int64_t value);

  [[nodiscard]] std::size_t size() const noexcept { return count_; }

 private:
  void require(std::size_t counter) const;

  std::size_t count_;
  int home_;
  core::Window<std::int64_t> window_;
};

} // namespace ps
