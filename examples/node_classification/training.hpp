// Training of a two-layer network on a distributed graph, forwards and backwards.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "network.hpp"
#include "planted_partition.hpp"
#include "pregel/pregel.hpp"
#include "ps/update/update_rule.hpp"

namespace node_classification {

struct TrainingOptions {
  Model model = Model::gcn;
  std::size_t hidden = 16;
  std::uint64_t epochs = 100;
  std::uint64_t sample = 5; ///< sage: neighbours that a vertex draws, anew in every layer of every epoch
  std::uint64_t seed = 1;
  ps::UpdateOptions update{.rule = "adam", .learning_rate = 0.01};
  std::optional<std::vector<double>> start{};   ///< parameters to begin with, instead of drawn ones
  pregel::Checkpointer* checkpointer = nullptr; ///< must outlive the training
};

/// How good the parameters were after so many updates.
struct Standing {
  double loss = 0; ///< mean over the training vertices
  double train_accuracy = 0, test_accuracy = 0;
};

struct Trained {
  std::vector<double> parameters;
  std::vector<double> gradient;    ///< of the last update
  std::vector<Standing> standings; ///< after 0, 1, ... epochs updates
  pregel::RunReport report;
};

/// What train() wants of the graph: neighbours are a set, and in reach by their ids.
[[nodiscard]] pregel::BuildOptions build_options(pregel::PartitionKind partition);

/// The same bits for every number of ranks and threads and every partition. Collective.
[[nodiscard]] Trained train(const pregel::DistributedGraph& graph, const PlantedPartition& data, core::ThreadTeam& team,
                            const TrainingOptions& options);

} // namespace node_classification
