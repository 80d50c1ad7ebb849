// Linear models trained with their parameters in a sparse table, against the same runs with a dense one.
#include <cmath>
#include <filesystem>

#include <unistd.h>

#include "ps/consistency/sparse_async.hpp"
#include "ps/models/compact_linear.hpp"
#include "training_testing.hpp"

namespace ps {
namespace {

using namespace testing_support;

struct Problem {
  std::string model = "ridge";
  std::string data = "rows=240,features=30,nonzeros=6,noise=0.1,seed=5"; ///< of the generator of the model's name
  std::size_t workers = kWorkers;
};

struct Learnt {
  TrainingReport report;
  std::vector<double> parameters, optimum;
};

/// Collective.
Learnt learn(const Problem& problem, const TrainingOptions& options, const std::string& servers,
             TrainingCheckpoints* checkpoints = nullptr, double l2 = 0) {
  const Roles roles = Roles::parse(servers, world().size(), problem.workers);
  DataOptions source;
  source.source = "synthetic:" + problem.model + "," + problem.data;
  if (problem.model != "ridge") source.labels = problem.model == "logistic" ? LabelKind::binary : LabelKind::classes;
  const Dataset<double> data = load_dataset<double>(world(), source, roles.workers_of(world().rank()), roles.workers());
  source.max_rows = 50; // a sample that does not meet every feature
  const std::vector<std::size_t> whole(world().rank() == roles.monitor_rank() ? 1 : 0);
  const Dataset<double> sample = load_dataset<double>(world(), source, whole, 1);
  const Examples<double> nothing;
  const auto model = make_model<double>({problem.model, data.shape, l2, {}});
  Trainer<double> trainer(world(), roles, options, *model, data,
                          sample.shares.empty() ? nothing : sample.shares.front());
  Learnt learnt;
  learnt.report = trainer.run(checkpoints);
  learnt.parameters.assign(trainer.parameters().begin(), trainer.parameters().end());
  learnt.optimum = data.optimum;
  return learnt;
}

TrainingOptions run_with(const std::string& strategy, bool sparse) {
  TrainingOptions options = small_run(strategy);
  options.sparse_table = sparse;
  return options;
}

double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b.at(i)));
  return largest;
}

TEST(CompactLinear, KnowsTheFeaturesOfItsRows) {
  KeyNumbers numbers(10);
  std::vector<std::uint64_t> renumbered;
  const std::vector<std::uint64_t> entries{7, 2, 9, 2, 0, 7};
  EXPECT_EQ(keys_of(entries, numbers, &renumbered), (std::vector<std::uint64_t>{7, 2, 9, 0}));
  EXPECT_EQ(renumbered, (std::vector<std::uint64_t>{0, 1, 2, 1, 3, 0}));
  EXPECT_EQ(numbers, KeyNumbers(10)) << "ready for the next batch";
  EXPECT_EQ(keys_of(entries, numbers), (std::vector<std::uint64_t>{7, 2, 9, 0}));
  EXPECT_TRUE(keys_of({}, numbers).empty());
}

/// One worker is sequential: every rule that goes with a sparse table gives the bits of a dense one, for every model.
TEST(SparseTraining, OneWorkerHasTheBitsOfADenseTable) {
  for (const char* const model : {"ridge", "logistic", "softmax"}) {
    Problem problem{model, "rows=90,features=30,nonzeros=6,seed=5", 1};
    if (problem.model == "softmax") problem.data += ",classes=3";
    for (const char* const rule : {"sgd", "adagrad"}) {
      for (const char* const strategy : {"async", "ssp"}) {
        TrainingOptions options = run_with(strategy, false);
        options.update.rule = rule;
        const std::vector<double> dense = learn(problem, options, "all").parameters;
        options.sparse_table = true;
        for (const std::string& servers : server_choices(strategy))
          EXPECT_EQ(learn(problem, options, servers).parameters, dense) << model << rule << strategy << servers;
      }
    }
  }
}

TEST(SparseTraining, FindsTheOptimumAsADenseTableDoes) {
  // Without noise the generator's parameters are the optimum. One feature and the bias: two keys, up to four servers.
  for (const char* const data : {"rows=400,features=24,nonzeros=6,noise=0", "rows=60,features=1,nonzeros=1,noise=0"}) {
    for (const char* const strategy : {"async", "ssp"}) {
      for (const std::string& servers : server_choices(strategy)) {
        TrainingOptions options = run_with(strategy, false);
        options.gradients = 400;
        const Learnt dense = learn({"ridge", data}, options, servers);
        options.sparse_table = true;
        const Learnt sparse = learn({"ridge", data}, options, servers);
        EXPECT_LT(distance(dense.parameters, dense.optimum), 1e-3) << data << strategy << servers;
        EXPECT_LT(distance(sparse.parameters, sparse.optimum), 1e-3) << data << strategy << servers;
        EXPECT_EQ(sparse.report.measured.gradients, dense.report.measured.gradients);
        EXPECT_LT(sparse.report.curve.back().loss, 1e-5) << "the monitor sees the parameters";
      }
    }
  }
}

TEST(SparseTraining, MovesWhatItsBatchesTouch) {
  constexpr std::size_t kWide = 100'000, kEntries = 5, kBatch = 8, kKeys = kBatch * kEntries + 1;
  const Problem wide{"logistic", "rows=200,features=100000,nonzeros=5"};
  const std::string servers = server_choices("async").back();
  const Measurements dense = learn(wide, run_with("async", false), servers).report.measured;
  const Measurements sparse = learn(wide, run_with("async", true), servers).report.measured;
  EXPECT_EQ(dense.bytes_pulled, dense.gradients * (kWide + 1) * sizeof(double));
  EXPECT_EQ(sparse.messages, 2 * sparse.gradients);
  // A pull asks with a key for each value that it gets, a push sends both.
  EXPECT_EQ(sparse.bytes_pushed, 3 * sparse.bytes_pulled);
  EXPECT_LE(sparse.bytes_pulled, sparse.gradients * kKeys * sizeof(double));
  EXPECT_GE(sparse.bytes_pulled, sparse.gradients * kKeys * sizeof(double) * 9 / 10) << "few features meet twice";
  EXPECT_LT(sparse.bytes_pushed * 500, dense.bytes_pushed);
  EXPECT_EQ(sparse.version_staleness.count(), sparse.gradients);
  EXPECT_EQ(sparse.clock_lead.count(), sparse.gradients);
}

TEST(SparseTraining, KeepsTheBoundsOfSsp) {
  for (const std::uint64_t bound : {0, 2}) {
    for (const std::string& servers : server_choices("ssp")) {
      TrainingOptions options = run_with("ssp", true);
      options.staleness = bound;
      options.pace.gradient_seconds = 0.001;
      options.pace.stragglers = {{3, 4}};
      const Measurements measured = learn({}, options, servers).report.measured;
      EXPECT_LE(measured.clock_lead.max(), bound) << servers;
      EXPECT_LE(measured.version_staleness.max(), (kWorkers - 1) * (2 * bound + 1)) << servers;
    }
  }
}

TEST(SparseTraining, StopsAtTheTarget) {
  TrainingOptions options = run_with("async", true);
  options.gradients = 100'000; // a minute, if it did not stop
  options.loss_every = 1;
  options.target_loss = 0.05;
  const Learnt learnt = learn({}, options, server_choices("async").back());
  ASSERT_TRUE(learnt.report.reached.has_value());
  EXPECT_LT(learnt.report.measured.gradients, 50'000U);
}

/// Stopped after 8 gradients and resumed on other servers: with one worker the same bits.
TEST(SparseTraining, GoesOnFromACheckpoint) {
  const int process = core::broadcast_value(world(), static_cast<int>(getpid()), 0);
  const auto directory = std::filesystem::temp_directory_path() / ("superstep-sparse-" + std::to_string(process));
  const auto clear = [&] {
    core::barrier(world());
    if (world().rank() == 0) std::filesystem::remove_all(directory);
    core::barrier(world());
  };
  const std::vector<std::string> choices = server_choices("async");
  for (const std::size_t workers : {std::size_t{1}, kWorkers}) {
    for (const std::string& servers : choices) {
      TrainingOptions options = run_with("async", true);
      options.update.rule = "adagrad"; // which has a state
      const Problem problem{.workers = workers};
      const Learnt undisturbed = learn(problem, options, choices.front());
      clear();
      const nlohmann::json identity = {{"--seed", 1}};
      TrainingCheckpoints first({.directory = directory.string(), .every = 8}, identity);
      first.prepare(world());
      options.gradients = 16; // as if killed between 16 and 24
      (void)learn(problem, options, servers, &first);
      options.gradients = 24;
      TrainingCheckpoints second({.directory = directory.string(), .every = 8, .resume = true}, identity);
      second.prepare(world());
      const Learnt resumed = learn(problem, options, choices.front(), &second);
      EXPECT_EQ(resumed.report.resumed_from, 8U);
      EXPECT_EQ(resumed.report.measured.gradients, workers * 24);
      if (workers == 1) {
        EXPECT_EQ(resumed.parameters, undisturbed.parameters) << servers;
      } else {
        EXPECT_LT(distance(resumed.parameters, undisturbed.parameters), 0.2) << servers;
      }
    }
  }
  clear();
}

TEST(SparseTraining, RefusesWhatItCannotDo) {
  const auto refusal = [](TrainingOptions options, const Problem& problem = {}, double l2 = 0) {
    return error_of([&] { (void)learn(problem, options, "all", nullptr, l2); });
  };
  const auto says = [](const std::string& message, const char* what) {
    EXPECT_NE(message.find(what), std::string::npos) << message;
  };
  for (const char* const strategy : {"sync", "local", "easgd"})
    says(refusal(run_with(strategy, true)), "it is for async, ssp");
  says(refusal(run_with("async", true), {"ridge", "rows=50,features=4"}), "is for sparse rows");
  says(refusal(run_with("async", true), {}, 0.1), "--l2");
  TrainingOptions options = run_with("async", true);
  options.racy = true;
  says(refusal(options), "--racy");
  for (const char* const rule : {"momentum", "rmsprop", "adam"}) {
    options = run_with("ssp", true);
    options.update.rule = rule;
    says(refusal(options), "it is for sgd, adagrad");
  }
  says(error_of([] { require_sparse_table_fits(run_with("async", true), "mlp", 0); }), "does not go with mlp");
}

} // namespace
} // namespace ps
