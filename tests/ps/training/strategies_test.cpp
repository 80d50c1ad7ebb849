// All strategies on a small ridge problem: they learn, what must have the same bits has, what bounds staleness bounds
// it.
#include <cmath>

#include "training_testing.hpp"

namespace ps {
namespace {

using namespace testing_support;

class EveryStrategy : public ::testing::TestWithParam<std::string> {};

TEST_P(EveryStrategy, Learns) {
  for (const std::string& servers : server_choices(GetParam())) {
    TrainingOptions options = small_run(GetParam());
    options.gradients = 120;
    options.loss_every = 1;
    const Trained trained = train(options, servers);
    EXPECT_LT(trained.loss, 0.02) << servers; // from 3 or so; the noise leaves 0.005
    EXPECT_EQ(trained.report.measured.gradients, kWorkers * options.gradients);
    ASSERT_GE(trained.report.curve.size(), 2U);
    EXPECT_EQ(trained.report.curve.front().gradients, 0U);
    EXPECT_GT(trained.report.curve.front().loss, 1);
    EXPECT_LT(trained.report.curve.back().loss, trained.report.curve.front().loss / 10);
    EXPECT_FALSE(trained.report.diverged);
    EXPECT_GT(trained.report.measured.messages, 0U);
  }
}

TEST_P(EveryStrategy, StopsAtTheTarget) {
  TrainingOptions options = small_run(GetParam());
  options.gradients = 100000; // minutes, if it did not stop
  options.loss_every = 1;
  options.target_loss = 0.05;
  const Trained trained = train(options, server_choices(GetParam()).back());
  ASSERT_TRUE(trained.report.reached.has_value());
  EXPECT_LE(trained.report.reached->loss, 0.05);
  EXPECT_LT(trained.report.measured.gradients, 50000U);
}

TEST_P(EveryStrategy, SaysThatItDiverges) {
  TrainingOptions options = small_run(GetParam());
  options.update.learning_rate = 30;
  options.rho = 0.01; // 0.3 of the learning rate's
  options.gradients = 4000;
  options.loss_every = 1;
  EXPECT_TRUE(train(options, server_choices(GetParam()).back()).report.diverged);
}

/// One worker waits for nobody and nobody for it: every strategy is plain SGD then, or close to it.
TEST_P(EveryStrategy, OneWorkerIsSequentialSgd) {
  if (GetParam() == "easgd") GTEST_SKIP() << "its centre lags behind its only worker";
  TrainingOptions options = small_run(GetParam());
  options.local_steps = 1;
  const std::vector<double> sequential = train(small_run("allreduce"), "0", nullptr, 1).parameters;
  for (const std::string& servers : server_choices(GetParam()))
    EXPECT_EQ(train(options, servers, nullptr, 1).parameters, sequential) << servers;
}

INSTANTIATE_TEST_SUITE_P(All, EveryStrategy,
                         ::testing::Values("sync", "async", "ssp", "local", "easgd", "gossip", "allreduce"),
                         [](const auto& test) { return test.param; });

class EveryRule : public ::testing::TestWithParam<std::string> {};

/// Sync, allreduce and local with H = 1, on any servers, and the plain loop over workers: the same bits.
TEST_P(EveryRule, SynchronousTrainingHasOneResult) {
  const auto with_rule = [&](const char* strategy) {
    TrainingOptions options = small_run(strategy);
    options.update.rule = GetParam();
    options.local_steps = 1;
    return options;
  };
  // By hand: one model, the batches of all workers, the rule.
  const TrainingOptions options = with_rule("sync");
  DataOptions source;
  source.source = "synthetic:ridge,rows=240,features=6,noise=0.1,seed=5";
  const std::vector<std::size_t> everybody{0, 1, 2, 3};
  const Dataset<double> data = load_dataset<double>(world(), source, everybody, kWorkers);
  const auto model = make_model<double>({"ridge", data.shape, 0, {}});
  const std::size_t size = model->parameter_count();
  std::vector<double> expected(size), gradient(size), mean(size);
  model->initialise(expected, options.seed);
  const auto rule = make_update_rule<double>(options.update, size);
  std::vector<Worker<double>> workers;
  for (const std::size_t worker : everybody) workers.emplace_back(worker, data.shares[worker], options);
  for (std::uint64_t step = 0; step < options.gradients; ++step) {
    for (const std::size_t worker : everybody) {
      (void)workers[worker].gradient(*model, expected, step, gradient);
      for (std::size_t i = 0; i < size; ++i) mean[i] = worker == 0 ? gradient[i] : mean[i] + gradient[i];
    }
    for (double& x : mean) x /= static_cast<double>(kWorkers);
    rule->apply(expected, mean);
  }
  for (const char* const strategy : {"sync", "local", "allreduce"})
    for (const std::string& servers : server_choices(strategy))
      EXPECT_EQ(train(with_rule(strategy), servers).parameters, expected) << strategy << " " << servers;
}

INSTANTIATE_TEST_SUITE_P(All, EveryRule, ::testing::Values("sgd", "momentum", "adagrad", "rmsprop", "adam"),
                         [](const auto& test) { return test.param; });

TEST(Local, AveragesTheModelsOfItsWorkers) {
  // For plain SGD the pseudo-gradient is the mean of the copies, up to rounding: one round by hand.
  TrainingOptions options = small_run("local");
  options.gradients = options.local_steps = 5;
  DataOptions source;
  source.source = "synthetic:ridge,rows=240,features=6,noise=0.1,seed=5";
  const std::vector<std::size_t> everybody{0, 1, 2, 3};
  const Dataset<double> data = load_dataset<double>(world(), source, everybody, kWorkers);
  const auto model = make_model<double>({"ridge", data.shape, 0, {}});
  std::vector<double> expected(model->parameter_count()), gradient(expected.size());
  for (const std::size_t number : everybody) {
    Worker<double> worker(number, data.shares[number], options);
    std::vector<double> copy(expected.size());
    model->initialise(copy, options.seed);
    for (std::uint64_t step = 0; step < 5; ++step) {
      (void)worker.gradient(*model, copy, step, gradient);
      for (std::size_t i = 0; i < copy.size(); ++i) copy[i] -= options.update.learning_rate * gradient[i];
    }
    for (std::size_t i = 0; i < copy.size(); ++i) expected[i] += copy[i] / 4;
  }
  const std::vector<double> learnt = train(options, "all").parameters;
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(learnt[i], expected[i], 1e-12);
}

TEST(Messages, ArePullsAndPushes) {
  TrainingOptions options = small_run("sync");
  const std::string servers = server_choices("sync").back();
  const Measurements sync = train(options, servers).report.measured;
  EXPECT_EQ(sync.messages, 2 * sync.gradients);
  EXPECT_EQ(sync.bytes_pulled, sync.gradients * (kFeatures + 1) * sizeof(double));
  EXPECT_EQ(sync.bytes_pushed, sync.bytes_pulled);
  options = small_run("local");
  options.gradients = 100;
  options.local_steps = 50;
  const Measurements local = train(options, servers).report.measured;
  EXPECT_EQ(local.messages * 100, local.gradients * 4); // 0.04 each
  options.gradients = 110;                              // a last round of ten
  EXPECT_EQ(train(options, servers).report.measured.gradients, 110 * kWorkers);
}

TEST(Sync, NothingIsEverStale) {
  for (const std::string& servers : server_choices("sync")) {
    const Measurements measured = train(small_run("sync"), servers).report.measured;
    EXPECT_EQ(measured.clock_lead.count(), measured.gradients);
    EXPECT_EQ(measured.clock_lead.max(), 0U) << servers;
    EXPECT_EQ(measured.version_staleness.count(), measured.gradients);
    EXPECT_EQ(measured.version_staleness.max(), 0U) << servers;
  }
}

TEST(Ssp, KeepsItsBounds) {
  for (const char* const rule : {"sgd", "momentum"}) { // accumulated, and by the server
    for (const std::uint64_t bound : {0, 1, 3}) {
      for (const std::string& servers : server_choices("ssp")) {
        TrainingOptions options = small_run("ssp");
        options.update.rule = rule;
        options.update.learning_rate = 0.01;
        options.staleness = bound;
        options.pace.gradient_seconds = 0.001;
        options.pace.stragglers = {{3, 4}};
        const Measurements measured = train(options, servers).report.measured;
        EXPECT_LE(measured.clock_lead.max(), bound) << rule << servers;
        EXPECT_LE(measured.version_staleness.max(), (kWorkers - 1) * (2 * bound + 1)) << rule << servers;
        EXPECT_EQ(measured.clock_lead.count(), measured.gradients);
        EXPECT_EQ(measured.version_staleness.count(), measured.gradients);
      }
    }
  }
}

TEST(Async, RunsAwayFromASlowWorker) {
  TrainingOptions options = small_run("async");
  options.pace.gradient_seconds = 0.002;
  options.pace.stragglers = {{2, 8}};
  const Measurements measured = train(options, server_choices("async").back()).report.measured;
  EXPECT_GT(measured.clock_lead.max(), 8U);
  EXPECT_LT(measured.wait_seconds[0], 24 * 0.016 * 0.9) << "the fast ones did not wait for the slow one";
}

TEST(Async, RacyLearnsToo) {
  TrainingOptions options = small_run("async");
  options.racy = true;
  options.gradients = 100;
  EXPECT_LT(train(options, server_choices("async").back()).loss, 0.05);
}

TEST(Straggler, ComputesTheSameGradientsMoreOften) {
  TrainingOptions options = small_run("sync");
  const std::vector<double> usual = train(options, "all").parameters;
  options.pace.by_computing = true;
  options.pace.stragglers = {{1, 3}};
  EXPECT_EQ(train(options, "all").parameters, usual);
}

TEST(Gossip, IsDeterministicAndCountsItsNeighbours) {
  for (const bool complete : {false, true}) {
    TrainingOptions options = small_run("gossip");
    options.topology = complete ? "complete" : "ring";
    const Trained first = train(options, "0", nullptr, 8);
    EXPECT_EQ(train(options, "0", nullptr, 8).parameters, first.parameters);
    EXPECT_EQ(first.report.measured.messages, first.report.measured.gradients * (complete ? 7 : 2));
  }
}

/// With all joined to all and plain SGD the copies' mean moves as in synchronous training only if all are at one place;
/// after the first round they are not, so the results are close, not equal.
TEST(Gossip, CompleteIsCloseToSync) {
  TrainingOptions options = small_run("gossip");
  options.topology = "complete";
  const std::vector<double> gossip = train(options, "0").parameters;
  const std::vector<double> sync = train(small_run("sync"), "all").parameters;
  double largest = 0;
  for (std::size_t i = 0; i < sync.size(); ++i) largest = std::max(largest, std::abs(sync[i] - gossip[i]));
  EXPECT_LT(largest, 0.02);
  EXPECT_GT(largest, 0);
}

TEST(Strategies, RefuseWhatMakesNoSense) {
  EXPECT_NE(error_of([] { (void)train(small_run("sync"), "0"); }).find("needs a server"), std::string::npos);
  EXPECT_NE(error_of([] { (void)train(small_run("gossip"), "all"); }).find("has no servers"), std::string::npos);
  EXPECT_NE(error_of([] { (void)train(small_run("mostly"), "all"); }).find("one of sync, async"), std::string::npos);
  TrainingOptions options = small_run("easgd");
  options.rho = 40; // times 0.05
  EXPECT_NE(error_of([&] { (void)train(options, "all"); }).find("--rho"), std::string::npos);
  options = small_run("sync");
  options.pace.stragglers = {{4, 2}};
  EXPECT_NE(error_of([&] { (void)train(options, "all"); }).find("there is no worker 4"), std::string::npos);
  options = small_run("sync");
  options.update.rule = "newton";
  EXPECT_NE(error_of([&] { (void)train(options, "all"); }), "no error");
}

} // namespace
} // namespace ps
