// The curve of losses tells the truth: a point belongs to the gradients that it names.
#include <map>

#include "training_testing.hpp"

namespace ps {
namespace {

using namespace testing_support;

/// The loss after so many gradients. Collective.
std::map<std::uint64_t, double> losses(const TrainingReport& report) {
  std::map<std::uint64_t, double> found;
  for (const LossPoint& point : report.curve) found[point.gradients] = point.loss;
  return found;
}

TrainingOptions watched_run(const std::string& strategy) {
  TrainingOptions options = small_run(strategy);
  options.gradients = 200;
  options.loss_every = 1;
  return options;
}

/// Servers update their shards one after the other: what is pulled in between is no vector that training ever has.
TEST(Curve, OfSyncHasWholeUpdatesOnly) {
  const auto expected = losses(train(watched_run("allreduce"), "0").report); // every round of it
  ASSERT_EQ(expected.size(), 201U);
  for (const std::string& servers : server_choices("sync")) {
    const TrainingReport report = train(watched_run("sync"), servers).report;
    EXPECT_GE(report.curve.size(), 2U);
    EXPECT_LE(report.curve.size(), expected.size()) << servers << ": a round is one update, whatever the servers";
    for (const auto& [gradients, loss] : losses(report)) {
      ASSERT_TRUE(expected.contains(gradients)) << gradients << " with servers " << servers;
      EXPECT_EQ(loss, expected.at(gradients)) << gradients << " with servers " << servers;
    }
  }
}

/// Rounds of 4 and a last one of 2: the workers' last exchanges count for less.
TEST(Curve, OfEasgdCountsAShortLastRound) {
  for (const std::string& servers : server_choices("easgd")) {
    TrainingOptions options = watched_run("easgd");
    options.gradients = 26;
    const TrainingReport report = train(options, servers).report;
    std::uint64_t before = 0;
    for (const LossPoint& point : report.curve) {
      EXPECT_GE(point.gradients, before) << servers;
      before = point.gradients;
    }
    EXPECT_EQ(before, kWorkers * 26) << servers;
    EXPECT_EQ(report.measured.gradients, kWorkers * 26);
  }
}

/// One long round, and more steps than 64 bits count when they are rounded up.
TEST(Curve, ARoundMayBeLongerThanTheRun) {
  for (const char* const strategy : {"local", "easgd"}) {
    TrainingOptions options = watched_run(strategy);
    options.gradients = 10;
    options.local_steps = std::numeric_limits<std::size_t>::max();
    const TrainingReport report = train(options, server_choices(strategy).back()).report;
    EXPECT_EQ(report.measured.gradients, kWorkers * 10) << strategy;
    EXPECT_EQ(report.curve.back().gradients, kWorkers * 10) << strategy;
  }
}

} // namespace
} // namespace ps
