// The story of failures as survivors tell it, also where they have not seen the same of it.
#include "pregel/recovery/recoveries.hpp"

#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "pregel/support/pregel_testing.hpp"

namespace pregel {
namespace {

using testing_support::world;

core::Loss loss_of(const std::vector<int>& launcher_ranks, int ranks_before) {
  return {.ranks = launcher_ranks, .launcher_ranks = launcher_ranks, .ranks_before = ranks_before, .launched = 8};
}

TEST(Recoveries, ThereIsNothingToTell) {
  Recoveries recoveries;
  recoveries.begin_attempt(world());
  recoveries.going_on(4); // --resume is no recovery
  EXPECT_FALSE(recoveries.any());
  EXPECT_EQ(recoveries.to_json(world()), nlohmann::json::array());
}

/// Ranks may have come to different supersteps; the furthest one counts, and who came to wait last.
TEST(Recoveries, OneDeath) {
  Recoveries recoveries;
  recoveries.begin_attempt(world());
  const bool is_first = world().rank() == 0;
  recoveries.lost(loss_of({7}, 8), is_first ? 6 : 5, is_first ? 0.25 : 0.5);
  recoveries.begin_attempt(world());
  recoveries.going_on(4);
  recoveries.going_on(4); // the next superstep
  ASSERT_TRUE(recoveries.any());
  const nlohmann::json told = recoveries.to_json(world());
  ASSERT_EQ(told.size(), 1U);
  EXPECT_EQ(told[0].at("lost"), std::vector<int>{7});
  EXPECT_EQ(told[0].at("superstep"), 6);
  EXPECT_EQ(told[0].at("restored_from"), 4);
  EXPECT_EQ(told[0].at("recomputed_supersteps"), 2);
  EXPECT_EQ(told[0].at("ranks_before"), 8);
  EXPECT_EQ(told[0].at("ranks_after"), world().size());
  EXPECT_EQ(told[0].at("detect_seconds"), 0.25);
}

TEST(Recoveries, TheNextOneIsAnotherOne) {
  Recoveries recoveries;
  for (const int victim : {3, 5}) {
    recoveries.lost(loss_of({victim}, 8), 2, 0.5);
    recoveries.begin_attempt(world());
    recoveries.going_on(std::nullopt);
  }
  const nlohmann::json told = recoveries.to_json(world());
  ASSERT_EQ(told.size(), 2U);
  EXPECT_EQ(told[0].at("lost"), std::vector<int>{3});
  EXPECT_EQ(told[1].at("lost"), std::vector<int>{5});
  EXPECT_EQ(told[1].at("restored_from"), nullptr);
  EXPECT_EQ(told[1].at("recomputed_supersteps"), 2);
}

/// Two deaths before anybody has gone on are one recovery.
TEST(Recoveries, ADeathDuringARecovery) {
  Recoveries recoveries;
  recoveries.lost(loss_of({3}, 8), 6, 0.5);
  recoveries.begin_attempt(world());
  recoveries.lost(loss_of({0, 1}, 7), 0, 0.125);
  recoveries.begin_attempt(world());
  recoveries.going_on(4);
  const nlohmann::json told = recoveries.to_json(world());
  ASSERT_EQ(told.size(), 1U);
  EXPECT_EQ(told[0].at("lost"), (std::vector<int>{3, 0, 1}));
  EXPECT_EQ(told[0].at("superstep"), 6);
  EXPECT_EQ(told[0].at("ranks_before"), 8);
}

/// The second one comes when rank 0 has gone on already and the others have not: all tell the same story in the end.
TEST(Recoveries, ADeathWhenOnlySomeHaveGoneOn) {
  Recoveries recoveries;
  recoveries.lost(loss_of({3}, 8), 6, 0.5);
  recoveries.begin_attempt(world());
  if (world().rank() == 0) recoveries.going_on(4);
  recoveries.lost(loss_of({2}, 7), 4, 0.5);
  recoveries.begin_attempt(world());
  recoveries.going_on(4);
  const nlohmann::json told = recoveries.to_json(world());
  const bool all_had_gone_on = world().size() == 1;
  ASSERT_EQ(told.size(), all_had_gone_on ? 2U : 1U);
  if (all_had_gone_on) return;
  EXPECT_EQ(told[0].at("lost"), (std::vector<int>{3, 2}));
  EXPECT_EQ(told[0].at("superstep"), 6);
  EXPECT_EQ(told[0].at("recomputed_supersteps"), 2);
  EXPECT_EQ(told[0].at("ranks_before"), 8);
}

} // namespace
} // namespace pregel
