// The clocks of workers, and their minimum: what bounded staleness needs (Ho et al., "More effective distributed ML via
// a stale synchronous parallel parameter server", NIPS 2013).
//
// A worker that has finished an iteration adds one to its clock, reads all clocks, and raises the stored minimum to
// what it found. Clocks only grow, so every minimum found is a lower bound for ever, and the last of several workers to
// advance sees all the others: the stored minimum is exact when nobody is in the middle of advancing. Waiting reads one
// number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ps/table/counters.hpp"

namespace ps {

class ClockTable {
 public:
  /// Clocks of `workers` at rank `home`, zero at first. Collective, as is the destructor; all else is local.
  ClockTable(const core::Communicator& comm, std::size_t workers, int home);

  /// Worker's clock + 1. Returns the new clock. One rank at a time advances a worker.
  std::int64_t advance(std::size_t worker);
  /// Sets all clocks and the minimum. For a resumed run: before anybody advances; call it on one rank, a barrier before
  /// and after.
  void set_all(std::int64_t clock);
  /// Never above the smallest clock; equal to it when nobody is in the middle of advancing.
  [[nodiscard]] std::int64_t minimum();
  [[nodiscard]] std::vector<std::int64_t> all();
  [[nodiscard]] std::size_t workers() const noexcept { return counters_.size() - 1; }

 private:
  void require_worker(std::size_t worker) const;
  void raise_minimum();

  Counters counters_; // the workers' clocks, then the minimum
};

} // namespace ps
