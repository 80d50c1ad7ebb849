// Clocks and their minimum, as the header tells.
//
// Why the stored minimum is exact when everybody has returned from advance(): of any two workers one has added to its
// clock last. It read all clocks after that, so it saw the other's, and the last of all saw everybody's.
#include "ps/table/clock_table.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "ps/error.hpp"

namespace ps {

ClockTable::ClockTable(const core::Communicator& comm, std::size_t workers, int home)
    : counters_(comm, workers + 1, home) {}

std::int64_t ClockTable::advance(std::size_t worker) {
  require_worker(worker);
  const std::int64_t clock = counters_.add(worker, 1) + 1;
  raise_minimum();
  return clock;
}

void ClockTable::set_all(std::int64_t clock) {
  for (std::size_t i = 0; i <= workers(); ++i) counters_.write(i, clock);
}

std::int64_t ClockTable::minimum() {
  return counters_.read(workers());
}

std::vector<std::int64_t> ClockTable::all() {
  std::vector<std::int64_t> clocks(workers());
  counters_.read_all(clocks);
  return clocks;
}

void ClockTable::raise_minimum() {
  const std::vector<std::int64_t> clocks = all();
  counters_.raise(workers(), *std::min_element(clocks.begin(), clocks.end()));
}

void ClockTable::require_worker(std::size_t worker) const {
  if (worker >= workers())
    throw PsError(fmt::format("there are clocks for {} workers: worker {} does not exist", workers(), worker));
}

} // namespace ps
