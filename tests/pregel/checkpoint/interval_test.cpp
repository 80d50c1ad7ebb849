// How often to save: the formula, and what a job makes of it.
#include "pregel/checkpoint/interval.hpp"

#include <chrono>
#include <cstdint>
#include <limits>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "pregel/support/pregel_testing.hpp"

namespace pregel {
namespace {

using testing_support::world;

constexpr double kNever = 1e15;

/// Supersteps in which an interval says "save". A checkpoint takes `seconds_each`, a superstep about `pause`.
std::vector<std::uint64_t> saves(CheckpointInterval& interval, std::uint64_t first, std::uint64_t supersteps,
                                 double seconds_each = 0, double pause = 0) {
  std::vector<std::uint64_t> found;
  interval.begin(first);
  for (std::uint64_t k = first; k < first + supersteps; ++k) {
    if (interval.due(world(), k)) {
      found.push_back(k);
      interval.saved(k, seconds_each);
    }
    if (pause > 0) std::this_thread::sleep_for(std::chrono::duration<double>(pause));
  }
  // All ranks must have come to the same.
  const std::uint64_t all = core::broadcast_value<std::uint64_t>(world(), found.size(), 0);
  EXPECT_EQ(found.size(), all);
  return found;
}

TEST(BestInterval, IsYoungsFormula) {
  // sqrt(2 C / (lambda c)) with lambda = c / mtbf: C = 8, c = 0.1, mtbf = 400: sqrt(2*8*400) / 0.1 = 800.
  EXPECT_EQ(best_interval(8, 0.1, 400), 800U);
  EXPECT_EQ(best_interval(2, 1, 100), 20U);
  EXPECT_EQ(best_interval(2, 2, 100), 10U);
  EXPECT_EQ(best_interval(8, 1, 100), 40U); // four times the cost, twice the interval
  EXPECT_EQ(best_interval(2, 1, 400), 40U);
  EXPECT_EQ(best_interval(3, 1, 10), 8U); // 7.75
}

TEST(BestInterval, StaysWithinReason) {
  EXPECT_EQ(best_interval(0, 1, 100), 1U);
  EXPECT_EQ(best_interval(-1, 1, 100), 1U);
  EXPECT_EQ(best_interval(1e-9, 1, 1), 1U);
  EXPECT_EQ(best_interval(1, 100, 1), 1U); // failures come faster than supersteps
  EXPECT_GE(best_interval(1, 0, 1), 1'000'000'000U);
  EXPECT_LE(best_interval(1e300, 0, 1e300), std::uint64_t{1'000'000'000'000'000});
  EXPECT_EQ(best_interval(1, 1, 0), 1U);
}

TEST(CheckpointInterval, EverySoManySupersteps) {
  CheckpointInterval two(2, kNever), one(1, kNever), seven(7, kNever);
  EXPECT_EQ(saves(two, 0, 7), (std::vector<std::uint64_t>{0, 2, 4, 6}));
  EXPECT_EQ(saves(one, 0, 3), (std::vector<std::uint64_t>{0, 1, 2}));
  EXPECT_EQ(saves(seven, 0, 15), (std::vector<std::uint64_t>{0, 7, 14}));
  // The same supersteps after a restart in between: they are those of the superstep's number, not of the run.
  EXPECT_EQ(saves(two, 3, 4), (std::vector<std::uint64_t>{4, 6}));
}

TEST(CheckpointInterval, AutoMeasuresFirst) {
  CheckpointInterval interval(std::nullopt, kNever);
  EXPECT_EQ(saves(interval, 0, 200, 1e-3), std::vector<std::uint64_t>{0}) << "no failures, no checkpoints";
  CheckpointInterval later(std::nullopt, kNever);
  EXPECT_EQ(saves(later, 12, 100, 1e-3), std::vector<std::uint64_t>{12}) << "also where a run goes on";
}

TEST(CheckpointInterval, AutoSavesAsOftenAsPays) {
  // Supersteps of 2 ms, checkpoints of 1 ms, a failure every 0.2 s: sqrt(2 * 0.001 * 0.2) / 0.002 = 10 supersteps. The
  // superstep is measured, and on a busy machine it is longer: then checkpoints come more often.
  CheckpointInterval interval(std::nullopt, 0.2);
  const std::vector<std::uint64_t> found = saves(interval, 0, 60, 1e-3, 2e-3);
  EXPECT_EQ(found.front(), 0U);
  EXPECT_GE(found.size(), 5U);
  for (std::size_t i = 1; i < found.size(); ++i) EXPECT_LE(found[i] - found[i - 1], 12U);
}

TEST(CheckpointInterval, AutoKeepsCheckpointsApart) {
  // Checkpoints that cost much are rare: sqrt(2 * 0.05 * 10) / 0.001 or so.
  CheckpointInterval interval(std::nullopt, 1000);
  EXPECT_EQ(saves(interval, 0, 40, 0.05, 1e-3), std::vector<std::uint64_t>{0});
}

} // namespace
} // namespace pregel
