// A run that is stopped and goes on, on the same ranks or with other servers, against one that was never stopped.
#include "ps/training/training_checkpoints.hpp"

#include <csignal>
#include <filesystem>

#include <unistd.h>

#include "training_testing.hpp"

namespace ps {
namespace {

using namespace testing_support;

const nlohmann::json kIdentity = {{"--seed", 1}};

class EveryStrategy : public ::testing::TestWithParam<std::string> {};

TEST_P(EveryStrategy, GoesOnFromACheckpoint) {
  TrainingOptions options = small_run(GetParam());
  options.update.rule = "adam"; // two states and a step count
  options.update.learning_rate = 0.02;
  options.gradients = 24;
  const bool same_bits = GetParam() != "async" && GetParam() != "ssp" && GetParam() != "easgd";
  const std::vector<std::string> choices = server_choices(GetParam());
  const Trained undisturbed = train(options, choices.front());
  for (const std::string& servers : choices) {
    const Directory directory;
    TrainingCheckpoints first({.directory = directory.path(), .every = 8}, kIdentity);
    first.prepare(world());
    options.gradients = 16; // as if killed between 16 and 24
    (void)train(options, servers, &first);
    EXPECT_EQ(first.written().size(), 1U);
    options.gradients = 24;
    TrainingCheckpoints second({.directory = directory.path(), .every = 8, .resume = true}, kIdentity);
    second.prepare(world());
    const Trained resumed = train(options, choices.front(), &second);
    EXPECT_EQ(resumed.report.resumed_from, 8U);
    EXPECT_EQ(resumed.report.measured.gradients, kWorkers * 24) << "those before the checkpoint count too";
    EXPECT_EQ(resumed.report.gradients_here, kWorkers * 16);
    if (same_bits) {
      EXPECT_EQ(resumed.parameters, undisturbed.parameters) << servers;
    }
    EXPECT_LT(resumed.loss, 2 * undisturbed.loss + 0.1);
  }
}

TEST_P(EveryStrategy, StopsOnASignalAndGoesOn) {
  const std::string servers = server_choices(GetParam()).back();
  TrainingOptions options = small_run(GetParam());
  options.gradients = 400;
  options.pace.gradient_seconds = 0.002; // so that the signal comes in the middle
  const Directory directory;
  TrainingCheckpoints first({.directory = directory.path()}, kIdentity);
  first.prepare(world());
  // The handler is in place while the run is on: the signal is sent by a thread of no importance, a child process.
  const pid_t self = getpid(), child = fork();
  if (child == 0) {
    usleep(300'000);
    kill(self, SIGUSR1);
    _exit(0);
  }
  try {
    (void)train(options, servers, &first);
    ADD_FAILURE() << "was not stopped";
  } catch (const core::Error& error) {
    EXPECT_EQ(error.exit_code(), core::ExitCode::requeue) << error.what();
  }
  ASSERT_EQ(first.written().size(), 1U);
  const auto step = first.written()[0].at("step").get<std::uint64_t>();
  EXPECT_GT(step, 0U);
  EXPECT_LT(step, 400U);

  options.pace.gradient_seconds = 0;
  TrainingCheckpoints second({.directory = directory.path(), .resume = true}, kIdentity);
  const Trained resumed = train(options, servers, &second);
  EXPECT_EQ(resumed.report.resumed_from, step);
  EXPECT_EQ(resumed.report.measured.gradients, kWorkers * 400);
  if (GetParam() == "sync" || GetParam() == "allreduce" || GetParam() == "local" || GetParam() == "gossip") {
    EXPECT_EQ(resumed.parameters, train(options, servers).parameters);
  }
}

INSTANTIATE_TEST_SUITE_P(All, EveryStrategy,
                         ::testing::Values("sync", "async", "ssp", "local", "easgd", "gossip", "allreduce"),
                         [](const auto& test) { return test.param; });

TEST(TrainingCheckpoints, RefuseAnotherRun) {
  const Directory directory;
  TrainingCheckpoints first({.directory = directory.path(), .every = 8}, kIdentity);
  first.prepare(world());
  (void)train(small_run("sync"), "all", &first);
  TrainingCheckpoints other({.directory = directory.path(), .resume = true}, {{"--seed", 2}});
  EXPECT_NE(error_of([&] { (void)other.restore(world()); }).find("--seed was 1, now it is 2"), std::string::npos);
  const TrainingCheckpoints fresh({.directory = directory.path()}, kIdentity);
  EXPECT_NE(error_of([&] { fresh.prepare(world()); }).find("--resume"), std::string::npos);
}

/// Another model means other classes and another batch too: what the user has changed is the model.
TEST(TrainingCheckpoints, NameTheModelBeforeWhatFollowsFromIt) {
  const Directory directory;
  const nlohmann::json ridge = {{"--batch", 32}, {"classes of --data", 0}, {"model", "ridge"}, {"--table", "dense"}};
  TrainingCheckpoints first({.directory = directory.path(), .every = 8}, ridge);
  first.prepare(world());
  (void)train(small_run("sync"), "all", &first);
  const nlohmann::json logistic = {
      {"--batch", 64}, {"classes of --data", 2}, {"model", "logistic"}, {"--table", "dense"}};
  const TrainingCheckpoints other({.directory = directory.path(), .resume = true}, logistic);
  EXPECT_NE(error_of([&] { (void)other.restore(world()); }).find("model was ridge, now it is logistic"),
            std::string::npos);
  nlohmann::json sparse = ridge;
  sparse["--table"] = "sparse";
  const TrainingCheckpoints same_model({.directory = directory.path(), .resume = true}, sparse);
  EXPECT_NE(error_of([&] { (void)same_model.restore(world()); }).find("--table was dense, now it is sparse"),
            std::string::npos);
}

TEST(TrainingCheckpoints, WithoutAnyARunBegins) {
  const Directory directory;
  TrainingCheckpoints checkpoints({.directory = directory.path() + "/new", .resume = true}, kIdentity);
  checkpoints.prepare(world());
  EXPECT_FALSE(train(small_run("sync"), "all", &checkpoints).report.resumed_from.has_value());
  checkpoints.complete(world());
  EXPECT_TRUE(std::filesystem::exists(directory.path() + "/new/completed"));
}

} // namespace
} // namespace ps
