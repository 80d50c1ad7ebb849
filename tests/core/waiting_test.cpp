// Sleeping on a word until another thread changes it. Every test would hang, and be killed by its time limit, if a
// wake-up were lost.
#include "core/waiting.hpp"

#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace core {
namespace {

constexpr std::chrono::microseconds kNoLimit{0};

TEST(WakingWord, SleepersAreWoken) {
  constexpr std::uint32_t kRounds = 2000;
  WakingWord ball;
  std::thread other([&] {
    for (std::uint32_t round = 1; round < kRounds; round += 2) {
      while (ball.load() != round) ball.sleep_while(round - 1, kNoLimit);
      ball.store(round + 1);
    }
  });
  for (std::uint32_t round = 0; round < kRounds; round += 2) {
    ball.increment();
    while (ball.load() != round + 2) ball.sleep_while(round + 1, kNoLimit);
  }
  other.join();
  EXPECT_EQ(ball.load(), kRounds);
}

TEST(WakingWord, CountingDownWakesAtZero) {
  for (int repetition = 0; repetition < 50; ++repetition) {
    WakingWord left;
    left.store(4);
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) threads.emplace_back([&] { left.count_down(); });
    for (std::uint32_t now = left.load(); now != 0; now = left.load()) left.sleep_while(now, std::chrono::seconds{1});
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(left.load(), 0U);
  }
}

TEST(WakingWord, ASleepEndsAtItsLimitOrWhenTheWordDiffers) {
  WakingWord word;
  word.sleep_while(7, kNoLimit);                          // it is 0: returns at once
  word.sleep_while(0, std::chrono::microseconds{20'000}); // no thread will wake this one
  EXPECT_EQ(word.load(), 0U);
}

TEST(PoliteWait, GoesOnUntilTheCallerIsContent) {
  WakingWord word;
  std::thread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    word.store(1);
  });
  PoliteWait wait = usual_wait(2);
  std::size_t looks = 0, progress = 0;
  while (word.load() == 0) {
    ++looks;
    wait.pause([&] { word.sleep_while(0, std::chrono::microseconds{500}); }, [&] { ++progress; });
  }
  other.join();
  EXPECT_GT(looks, 0U);
}

} // namespace
} // namespace core
