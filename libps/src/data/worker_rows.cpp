#include "data/worker_rows.hpp"

#include <fmt/format.h>

#include "ps/error.hpp"

namespace ps {

WorkerRows::WorkerRows(std::span<const std::size_t> my_workers, std::size_t workers)
    : share_(workers, kNotMine), mine_(my_workers.size()) {
  if (workers == 0) throw PsError("training data need at least one worker");
  for (std::size_t i = 0; i < my_workers.size(); ++i) {
    const std::size_t worker = my_workers[i];
    if (worker >= workers) throw PsError(fmt::format("worker {} of {}: they count from 0", worker, workers));
    if (share_[worker] != kNotMine) throw PsError(fmt::format("worker {} has its rows twice on one rank", worker));
    share_[worker] = i;
  }
}

} // namespace ps
