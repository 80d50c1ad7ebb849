// The threads of a rank.
#include "core/thread_team.hpp"

#include <atomic>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "core/error.hpp"

namespace core {
namespace {

class ThreadTeamOf : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Sizes, ThreadTeamOf, testing::Values(1, 2, 3, 8),
                         [](const auto& size) { return std::to_string(size.param); });

TEST_P(ThreadTeamOf, EachThreadWorksOnceARun) {
  ThreadTeam team(GetParam());
  EXPECT_EQ(team.size(), GetParam());
  // Plain integers: run() itself must order their accesses.
  std::vector<int> calls(static_cast<std::size_t>(GetParam()), 0);
  int total = 0;
  const int runs = 2000;
  for (int run = 0; run < runs; ++run) {
    team.run([&](int thread) { calls[static_cast<std::size_t>(thread)] += run; });
    total += std::accumulate(calls.begin(), calls.end(), 0);
    std::fill(calls.begin(), calls.end(), 0);
  }
  EXPECT_EQ(total, GetParam() * runs * (runs - 1) / 2);
}

TEST_P(ThreadTeamOf, ThreadsAreDistinctAndTheCallerIsZero) {
  ThreadTeam team(GetParam());
  std::vector<std::thread::id> ids(static_cast<std::size_t>(GetParam()));
  team.run([&](int thread) { ids[static_cast<std::size_t>(thread)] = std::this_thread::get_id(); });
  EXPECT_EQ(ids[0], std::this_thread::get_id());
  for (std::size_t i = 0; i < ids.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) EXPECT_NE(ids[i], ids[j]);
}

TEST_P(ThreadTeamOf, RethrowsTheExceptionOfTheLowestThread) {
  ThreadTeam team(GetParam());
  for (int lowest = 0; lowest < GetParam(); ++lowest) {
    std::atomic<int> finished = 0;
    try {
      team.run([&](int thread) {
        ++finished;
        if (thread >= lowest) throw std::runtime_error(std::to_string(thread));
      });
      FAIL() << "no exception";
    } catch (const std::runtime_error& error) {
      EXPECT_EQ(error.what(), std::to_string(lowest));
    }
    EXPECT_EQ(finished, GetParam()) << "run() returned before all threads were done";
  }
  EXPECT_NO_THROW(team.run([](int) {})) << "old exceptions are forgotten";
}

TEST_P(ThreadTeamOf, WakesUpFromSleep) {
  ThreadTeam team(GetParam());
  for (int i = 0; i < 5; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2)); // longer than the workers spin
    std::atomic<int> calls = 0;
    team.run([&](int) { ++calls; });
    EXPECT_EQ(calls, GetParam());
    team.run([](int thread) {
      if (thread > 0) std::this_thread::sleep_for(std::chrono::milliseconds(2)); // longer than the caller spins
    });
  }
}

TEST(ThreadTeam, NeedsAThread) {
  EXPECT_THROW(ThreadTeam(0), InputError);
  EXPECT_THROW(ThreadTeam(-3), InputError);
}

TEST(ThreadTeam, UnusedTeamsEnd) {
  for (int i = 0; i < 50; ++i) ThreadTeam team(3);
}

} // namespace
} // namespace core
