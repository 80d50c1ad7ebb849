// The training of graph neural networks: its gradients against differences of losses, what it learns against what can
// be learnt without the graph, and the same bits for any ranks, threads and partition.
#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include <gtest/gtest.h>

#include "core/collectives.hpp"
#include "core/temporary_directory.hpp"
#include "pregel/support/pregel_testing.hpp"
#include "training.hpp"

namespace node_classification {
namespace {

using pregel::testing_support::world;

constexpr Model kModels[] = {Model::gcn, Model::sage, Model::mlp};

struct Spread {
  pregel::PartitionKind partition = pregel::PartitionKind::hash;
  int threads = 1;
};

Trained train_on(const core::Communicator& comm, const PlantedPartition& data, const TrainingOptions& options,
                 const Spread& spread = {}) {
  core::ThreadTeam team(spread.threads);
  const pregel::DistributedGraph graph = pregel::build_graph(comm, data.edges(comm), build_options(spread.partition));
  return train(graph, data, team, options);
}

TrainingOptions options_of(Model model, std::size_t hidden, std::uint64_t epochs, std::uint64_t sample) {
  TrainingOptions options;
  options.model = model;
  options.hidden = hidden;
  options.epochs = epochs;
  options.sample = sample;
  return options;
}

/// Small enough to try every parameter; with isolated vertices, because few edges are drawn and loops dropped.
PlantedPartition tiny() {
  return {.vertices = 30, .classes = 3, .features = 5, .inside = 1, .across = 1, .signal = 0.7, .training = 0.5};
}

class TrainingOf : public testing::TestWithParam<Model> {};
INSTANTIATE_TEST_SUITE_P(All, TrainingOf, testing::ValuesIn(kModels),
                         [](const auto& instance) { return std::string(name_of(instance.param)); });

/// (loss(w + h) - loss(w - h)) / 2h is the gradient up to h^2 and roundings of size 1e-16 / h.
TEST_P(TrainingOf, GradientIsTheSlopeOfTheLoss) {
  const PlantedPartition data = tiny();
  const Network network(GetParam(), data.features, 4, data.classes);
  std::vector<double> start = network.drawn_parameters(3);
  for (std::size_t i = 0; i < start.size(); ++i) start[i] += 0.05 * std::sin(static_cast<double>(i)); // biases too
  TrainingOptions options = options_of(GetParam(), 4, 1, 2);
  options.update.rule = "sgd";
  options.update.learning_rate = 0.5;
  options.start = start;
  core::ThreadTeam team(1);
  const pregel::DistributedGraph graph =
      pregel::build_graph(world(), data.edges(world()), build_options(pregel::PartitionKind::hash));
  const Trained one = train(graph, data, team, options);
  ASSERT_EQ(one.gradient.size(), start.size());

  options.epochs = 0; // losses only
  constexpr double kStep = 1e-5;
  std::size_t nonzero = 0;
  for (std::size_t i = 0; i < start.size(); ++i) {
    const auto loss_at = [&](double parameter) {
      options.start = start;
      (*options.start)[i] = parameter;
      return train(graph, data, team, options).standings.at(0).loss;
    };
    const double slope = (loss_at(start[i] + kStep) - loss_at(start[i] - kStep)) / (2 * kStep);
    EXPECT_NEAR(one.gradient[i], slope, 1e-8) << "parameter " << i;
    nonzero += std::abs(slope) > 1e-4 ? 1 : 0;
    EXPECT_EQ(one.parameters[i], start[i] - 0.5 * one.gradient[i]);
  }
  EXPECT_GT(nonzero, start.size() * 3 / 4); // so that agreement says something
}

/// Every rank carries on with the same parameters, whatever it owns.
TEST_P(TrainingOf, SameBits) {
  const PlantedPartition data{.vertices = 120, .features = 6, .inside = 3, .across = 2};
  const TrainingOptions options = options_of(GetParam(), 5, 4, 3);
  std::optional<Trained> wanted;
  for (const int ranks : {1, 2, 4}) {
    if (ranks > world().size()) continue;
    const core::Communicator part = world().split(world().rank() < ranks ? 0 : 1, world().rank());
    for (const Spread& spread :
         {Spread{}, Spread{pregel::PartitionKind::range, 2}, Spread{pregel::PartitionKind::modulo, 1}}) {
      if (world().rank() >= ranks) continue;
      const Trained found = train_on(part, data, options, spread);
      if (!wanted) wanted = found;
      EXPECT_EQ(found.parameters, wanted->parameters) << ranks << " ranks";
      EXPECT_EQ(found.gradient, wanted->gradient) << ranks << " ranks";
      ASSERT_EQ(found.standings.size(), options.epochs + 1);
      for (std::size_t e = 0; e < found.standings.size(); ++e)
        EXPECT_EQ(found.standings[e].loss, wanted->standings[e].loss);
    }
    core::barrier(world());
  }
}

TEST_P(TrainingOf, GoesOnFromACheckpoint) {
  const PlantedPartition data = tiny();
  TrainingOptions options = options_of(GetParam(), 4, 6, 2);
  const Trained undisturbed = train_on(world(), data, options);
  const test::TemporaryDirectory directory(world());
  for (const bool again : {false, true}) {
    pregel::JobCheckpoints checkpoints({.directory = directory.file("checkpoints"), .every = 7, .resume = again});
    checkpoints.prepare(world());
    checkpoints.begin_attempt(world(), 0);
    options.checkpointer = &checkpoints;
    const Trained found = train_on(world(), data, options, {pregel::PartitionKind::range, 1});
    if (again) {
      EXPECT_EQ(checkpoints.restored_from(), 28U); // of 33
    }
    EXPECT_EQ(found.parameters, undisturbed.parameters);
    EXPECT_EQ(found.standings.size(), undisturbed.standings.size());
    EXPECT_EQ(found.standings.front().loss, undisturbed.standings.front().loss);
  }
}

/// Each class is found by its neighbourhood where features alone leave half of the vertices wrong.
TEST(NodeClassification, TheGraphHelps) {
  const core::Communicator part = world().split(world().rank() < 2 ? 0 : 1, world().rank()); // two halves, both learn
  const PlantedPartition data{.vertices = 600};
  const auto learn = [&](Model model) {
    TrainingOptions options = options_of(model, 16, 60, 5);
    options.update.learning_rate = 0.02;
    const Trained trained = train_on(part, data, options);
    const Standing &first = trained.standings.front(), &last = trained.standings.back();
    EXPECT_LT(last.loss, 0.5 * first.loss) << name_of(model);
    EXPECT_LT(first.test_accuracy, 0.5) << name_of(model);
    return last.test_accuracy;
  };
  const double without = learn(Model::mlp);
  EXPECT_GT(without, 0.3); // a quarter is by chance
  EXPECT_GT(learn(Model::gcn), without + 0.2);
  EXPECT_GT(learn(Model::sage), without + 0.15);
}

TEST(NodeClassification, RefusesLayersThatAreTooWide) {
  EXPECT_THROW((Network(Model::gcn, 5, kMaxWidth + 1, 3)), core::InputError);
  EXPECT_THROW((Network(Model::gcn, 5, 4, kMaxWidth + 1)), core::InputError);
  EXPECT_THROW(check({.vertices = 3, .classes = 4}), core::InputError);
}

} // namespace
} // namespace node_classification
