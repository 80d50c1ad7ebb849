#include "supervise/restart_delay.hpp"

#include <gtest/gtest.h>

namespace {

using supervise::RestartDelay;

TEST(RestartDelay, DoublesUpToAMinute) {
  RestartDelay delay(1);
  for (const double expected : {1, 2, 4, 8, 16, 32, 60, 60}) EXPECT_EQ(delay.after_run(5), expected);
}

TEST(RestartDelay, StartsAnewAfterALongRun) {
  RestartDelay delay(3);
  EXPECT_EQ(delay.after_run(1), 3);
  EXPECT_EQ(delay.after_run(600), 6);
  EXPECT_EQ(delay.after_run(600.5), 3);
  EXPECT_EQ(delay.after_run(1), 6);
}

TEST(RestartDelay, MayBeNothing) {
  RestartDelay delay(0);
  EXPECT_EQ(delay.after_run(1), 0);
  EXPECT_EQ(delay.after_run(1), 0);
}

} // namespace
