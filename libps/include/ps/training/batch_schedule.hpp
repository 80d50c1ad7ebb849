// Which rows a worker takes for which gradient: a function of (seed, worker, step) alone, whatever the strategy, the
// number of ranks, and whether the run was interrupted.
//
// A worker goes through its share in epochs, each in a random order of its own; the orders follow one another without a
// gap, so every batch has the same number of rows and a batch may straddle two epochs. A share smaller than a batch
// just comes round several times.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace ps {

/// All functions are local.
class BatchSchedule {
 public:
  /// `rows` of the worker's share, at least 1; `batch` of a gradient.
  BatchSchedule(std::size_t rows, std::size_t batch, std::uint64_t seed, std::size_t worker);

  /// The rows of the share for gradient `step`, valid until the next call.
  [[nodiscard]] std::span<const std::size_t> rows_of(std::uint64_t step);

 private:
  void shuffle(std::uint64_t epoch);

  std::uint64_t seed_, worker_;
  std::vector<std::size_t> order_, batch_;
  std::uint64_t epoch_ = std::numeric_limits<std::uint64_t>::max(); // that order_ is of
};

} // namespace ps
