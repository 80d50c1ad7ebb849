// Exact sums over ranks: the bits do not depend on how many ranks there are, nor on who holds which addend.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "core/collectives.hpp"
#include "core/exact_sum.hpp"

namespace core {

/// The sum of all that was added on any rank, rounded once; the same everywhere. Collective.
[[nodiscard]] inline double sum_over_ranks(const Communicator& comm, const ExactSum& mine) {
  std::array<std::int64_t, ExactSum::kWords> words{};
  mine.store(words);
  all_reduce(comm, std::span<std::int64_t>(words), Reduce::sum);
  ExactSum total;
  total.load(words);
  return total.value();
}

} // namespace core
