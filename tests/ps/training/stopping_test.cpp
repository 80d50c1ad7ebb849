// A signal that asks for a checkpoint, and a run that is complete, at the same time: complete is complete.
#include <csignal>

#include "training_testing.hpp"

namespace ps {
namespace {

using namespace testing_support;

const nlohmann::json kIdentity = {{"--seed", 1}};

/// A model that does something of its own beside what it is for.
class Interrupting final : public Model<double> {
 public:
  std::function<void(Evaluation&)> after_evaluation;
  std::function<void()> before_gradient;

  explicit Interrupting(std::unique_ptr<Model<double>> model) : model_(std::move(model)) {}
  [[nodiscard]] const std::string& kind() const noexcept override { return model_->kind(); }
  [[nodiscard]] std::span<const Tensor> tensors() const noexcept override { return model_->tensors(); }
  [[nodiscard]] std::size_t parameter_count() const noexcept override { return model_->parameter_count(); }
  [[nodiscard]] std::size_t outputs() const noexcept override { return model_->outputs(); }
  [[nodiscard]] double l2() const noexcept override { return model_->l2(); }
  [[nodiscard]] double flops_per_row() const noexcept override { return model_->flops_per_row(); }
  void initialise(std::span<double> parameters, std::uint64_t seed) const override {
    model_->initialise(parameters, seed);
  }
  double loss_and_gradient(std::span<const double> parameters, const Batch<double>& batch, std::span<double> gradient,
                           const GradientReady& ready) override {
    if (before_gradient) before_gradient();
    return model_->loss_and_gradient(parameters, batch, gradient, ready);
  }
  Evaluation evaluate(std::span<const double> parameters, const Batch<double>& batch) override {
    Evaluation found = model_->evaluate(parameters, batch);
    if (after_evaluation) after_evaluation(found);
    return found;
  }
  void predict(std::span<const double> parameters, const Batch<double>& batch, std::span<double> output) override {
    model_->predict(parameters, batch, output);
  }

 private:
  std::unique_ptr<Model<double>> model_;
};

class EveryStrategy : public ::testing::TestWithParam<std::string> {
 protected:
  /// Trains with checkpoints at a signal only; nothing may be written, for the run is complete.
  Trained train_to_the_end(const TrainingOptions& options, const ModelWrapper& wrapper) {
    const Directory directory;
    TrainingCheckpoints checkpoints({.directory = directory.path()}, kIdentity);
    checkpoints.prepare(world());
    Trained trained;
    EXPECT_NO_THROW(trained = train(options, server_choices(GetParam()).back(), &checkpoints, kWorkers, wrapper));
    EXPECT_TRUE(checkpoints.written().empty());
    return trained;
  }
};

/// The signal comes at the monitor's fifth look; the target is met at that look, or at the next one: while workers
/// stop, or while those that are behind catch up for the checkpoint. Without servers all stop at once: no next one.
TEST_P(EveryStrategy, MeetsItsTargetAsASignalComes) {
  for (const int looks_between : {0, 1}) {
    if (looks_between > 0 && !needs_servers(GetParam())) continue;
    TrainingOptions options = small_run(GetParam());
    options.gradients = 2000;
    options.loss_every = 1;
    options.target_loss = 0;
    options.pace.gradient_seconds = 0.001;
    options.pace.stragglers = {{3, 4}}; // where workers do not wait, it is behind
    int looks = 0;
    const Trained trained = train_to_the_end(options, [&](std::unique_ptr<Model<double>> model) {
      auto interrupting = std::make_unique<Interrupting>(std::move(model));
      interrupting->after_evaluation = [&](Evaluation& found) {
        if (found.rows != kRows) return; // no look of the monitor
        if (++looks == 5) raise(SIGTERM);
        if (looks == 5 + looks_between) found.loss_sum = 0;
      };
      return interrupting;
    });
    EXPECT_TRUE(trained.report.reached.has_value()) << looks_between;
    EXPECT_LT(trained.report.measured.gradients, kWorkers * options.gradients);
  }
}

/// The signal comes during the last gradient of rank 0: the work is done before anybody can stop.
TEST_P(EveryStrategy, IsCompleteWhenASignalComesInTheLastRound) {
  TrainingOptions options = small_run(GetParam());
  std::size_t left = Roles::parse(server_choices(GetParam()).back(), world().size(), kWorkers).workers_of(0).size() *
                     options.gradients;
  const Trained trained = train_to_the_end(options, [&](std::unique_ptr<Model<double>> model) {
    auto interrupting = std::make_unique<Interrupting>(std::move(model));
    interrupting->before_gradient = [&] {
      if (world().rank() == 0 && --left == 0) raise(SIGUSR1);
    };
    return interrupting;
  });
  EXPECT_EQ(trained.report.measured.gradients, kWorkers * options.gradients);
}

INSTANTIATE_TEST_SUITE_P(All, EveryStrategy,
                         ::testing::Values("sync", "async", "ssp", "local", "easgd", "gossip", "allreduce"),
                         [](const auto& test) { return test.param; });

} // namespace
} // namespace ps
