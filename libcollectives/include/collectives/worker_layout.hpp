// Logical workers: the addends of an all-reduce when there are more of them than ranks, or fewer.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/communicator.hpp"

namespace collectives {

/// Where each of W workers lives. Each rank carries any number of them (also none); together they are 0 .. W-1, each
/// once. What is folded in worker order has the same bits however the workers are spread over ranks.
class WorkerLayout {
 public:
  /// `mine` lists this rank's workers in the order in which it will pass their vectors. Throws core::Error on all
  /// ranks when a worker is missing or occurs twice. Collective.
  WorkerLayout(const core::Communicator& comm, std::span<const std::size_t> mine);

  /// Where worker w's vector comes from: the position-th of that rank.
  struct Place {
    int rank;
    std::size_t position;
  };
  /// By worker, 0 .. W-1. All functions are local.
  [[nodiscard]] std::span<const Place> places() const noexcept { return places_; }
  [[nodiscard]] std::size_t workers() const noexcept { return places_.size(); }
  [[nodiscard]] std::size_t workers_of(int rank) const noexcept { return counts_[static_cast<std::size_t>(rank)]; }
  /// The most workers that any rank carries.
  [[nodiscard]] std::size_t most_workers() const noexcept { return most_; }

 private:
  std::vector<Place> places_;
  std::vector<std::size_t> counts_;
  std::size_t most_ = 0;
};

} // namespace collectives
