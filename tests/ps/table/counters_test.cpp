// Counters, and the clocks of workers made of them.
#include "ps/table/counters.hpp"

#include <limits>

#include "core/collectives.hpp"
#include "ps/error.hpp"
#include "ps/table/clock_table.hpp"
#include "table_testing.hpp"

namespace ps {
namespace {

using namespace testing_support;

TEST(CountersAtOneRank, EveryAdditionIsCountedOnce) {
  for (const int home : {0, world().size() - 1}) {
    Counters counters(world(), 3, home);
    constexpr int kDraws = 200;
    std::vector<std::int64_t> tickets;
    for (int i = 0; i < kDraws; ++i) tickets.push_back(counters.add(1, 1));
    std::vector<std::int64_t> all = core::all_gather_varying(world(), std::span<const std::int64_t>(tickets));
    std::sort(all.begin(), all.end());
    for (std::size_t i = 0; i < all.size(); ++i) ASSERT_EQ(all[i], static_cast<std::int64_t>(i));
    EXPECT_EQ(counters.read(1), static_cast<std::int64_t>(all.size()));
    EXPECT_EQ(counters.read(0), 0);
    EXPECT_EQ(counters.read(2), 0);
    EXPECT_EQ(counters.size(), 3U);
    core::barrier(world());
  }
}

TEST(CountersAtOneRank, WriteRaiseAndReadAll) {
  Counters counters(world(), 3, 0);
  const std::int64_t rank = world().rank();
  for (std::int64_t i = 0; i < 50; ++i) counters.raise(0, i * 10 + rank);
  counters.raise(0, -5);
  core::barrier(world());
  if (rank == world().size() - 1) counters.write(2, std::numeric_limits<std::int64_t>::min());
  core::barrier(world());
  std::vector<std::int64_t> values(3, 77);
  counters.read_all(values);
  EXPECT_EQ(values, (std::vector<std::int64_t>{490 + world().size() - 1, 0, std::numeric_limits<std::int64_t>::min()}));
  std::vector<std::int64_t> first(1, 77);
  counters.read_all(first);
  EXPECT_EQ(first[0], values[0]);
  core::barrier(world());
}

TEST(CountersAtOneRank, WhatDoesNotExistIsRefused) {
  Counters counters(world(), 2, 0);
  EXPECT_EQ(error_of<PsError>([&] { (void)counters.read(2); }), "there are 2 counters: number 2 does not exist");
  EXPECT_THROW(counters.add(2, 1), PsError);
  EXPECT_THROW(counters.write(2, 1), PsError);
  EXPECT_THROW(counters.raise(2, 1), PsError);
  std::vector<std::int64_t> three(3);
  EXPECT_THROW(counters.read_all(three), PsError);
  EXPECT_NO_THROW(counters.read_all({}));
  core::barrier(world());
  for (const int home : {-1, world().size()}) {
    EXPECT_NE(error_of([&] { const Counters nowhere(world(), 1, home); }).find("cannot live at rank"),
              std::string::npos);
  }
}

// Clocks only grow. So the clocks read AFTER the minimum are all at least it, or it was above the true minimum.
TEST(ClockTables, TheMinimumIsNeverAboveAnyClock) {
  constexpr std::size_t kWorkersPerRank = 2;
  constexpr std::int64_t kIterations = 60;
  const std::size_t workers = kWorkersPerRank * static_cast<std::size_t>(world().size());
  ClockTable clocks(world(), workers, world().size() / 2);
  core::CounterRandom random(3, static_cast<std::uint64_t>(world().rank()));
  const auto first = static_cast<std::size_t>(world().rank()) * kWorkersPerRank;
  std::vector<std::int64_t> mine(kWorkersPerRank);
  std::int64_t last_minimum = 0;
  while (mine != std::vector<std::int64_t>(kWorkersPerRank, kIterations)) {
    random_delay(random);
    const std::size_t chosen = random.below(kWorkersPerRank);
    if (mine[chosen] < kIterations) {
      EXPECT_EQ(clocks.advance(first + chosen), ++mine[chosen]);
    }
    const std::int64_t minimum = clocks.minimum();
    const std::vector<std::int64_t> all = clocks.all();
    EXPECT_LE(minimum, *std::min_element(all.begin(), all.end()));
    EXPECT_GE(minimum, last_minimum);
    last_minimum = minimum;
  }
  core::barrier(world());
  EXPECT_EQ(clocks.minimum(), kIterations); // exact when nobody is in the middle
  core::barrier(world());
}

TEST(ClockTables, TheLastToAdvanceSeesTheOthers) {
  const auto workers = static_cast<std::size_t>(world().size());
  const auto me = static_cast<std::size_t>(world().rank());
  ClockTable clocks(world(), workers, 0);
  for (std::int64_t iteration = 1; iteration <= 20; ++iteration) {
    clocks.advance(me);
    core::barrier(world());
    EXPECT_EQ(clocks.minimum(), iteration);
    core::barrier(world());
  }
}

TEST(ClockTables, AResumedRunGoesOnFromItsClocks) {
  const auto workers = static_cast<std::size_t>(world().size()) + 1;
  ClockTable clocks(world(), workers, 0);
  core::barrier(world());
  if (world().rank() == world().size() - 1) clocks.set_all(40);
  core::barrier(world());
  EXPECT_EQ(clocks.minimum(), 40);
  EXPECT_EQ(clocks.all(), std::vector<std::int64_t>(workers, 40));
  core::barrier(world());
  if (world().rank() == 0) {
    for (std::size_t w = 0; w + 1 < workers; ++w) EXPECT_EQ(clocks.advance(w), 41);
    EXPECT_EQ(clocks.minimum(), 40); // the last one has not moved
    clocks.advance(workers - 1);
    EXPECT_EQ(clocks.minimum(), 41);
  }
  EXPECT_EQ(error_of<PsError>([&] { (void)clocks.advance(workers); }),
            "there are clocks for " + std::to_string(workers) + " workers: worker " + std::to_string(workers) +
                " does not exist");
  core::barrier(world());
}

} // namespace
} // namespace ps
