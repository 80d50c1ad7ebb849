#include "collectives/worker_layout.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/collectives.hpp"
#include "core/error.hpp"

namespace collectives {

WorkerLayout::WorkerLayout(const core::Communicator& comm, std::span<const std::size_t> mine) {
  const std::vector<std::size_t> all = core::all_gather_varying(comm, mine, &counts_);
  constexpr int kNobody = -1;
  places_.assign(all.size(), Place{kNobody, 0});
  std::size_t next = 0;
  // All ranks see the same list, so all throw the same.
  for (std::size_t rank = 0; rank < counts_.size(); ++rank) {
    for (std::size_t position = 0; position < counts_[rank]; ++position) {
      const std::size_t worker = all[next++];
      if (worker >= all.size())
        throw core::Error(
            fmt::format("worker {} on rank {}, but there are {} workers, numbered from 0", worker, rank, all.size()));
      if (places_[worker].rank != kNobody)
        throw core::Error(fmt::format("worker {} is on rank {} and on rank {}", worker, places_[worker].rank, rank));
      places_[worker] = {static_cast<int>(rank), position};
    }
  }
  if (places_.empty()) throw core::Error("an all-reduce of no workers");
  most_ = *std::max_element(counts_.begin(), counts_.end());
}

} // namespace collectives
