// The fingerprint belongs to the graph: not to the partition, nor to the number of ranks, nor to the order of edges.
#include <algorithm>

#include <gtest/gtest.h>

#include "pregel/support/pregel_testing.hpp"

namespace pregel {
namespace {

using testing_support::build;
using testing_support::world;

BuildOptions options_for(const oracle::Graph& graph, PartitionKind partition) {
  BuildOptions options;
  options.partition = partition;
  options.needs.weights = !graph.weights.empty();
  return options;
}

std::uint64_t fingerprint(const oracle::Graph& graph) {
  return build(graph, options_for(graph, PartitionKind::hash)).fingerprint;
}

TEST(Fingerprint, IsTheSameForEveryPartitionAndNumberOfRanks) {
  const core::Communicator alone = world().split(world().rank(), 0);
  const core::Communicator halves = world().split(world().rank() % 2, world().rank());
  std::vector<oracle::NamedGraph> graphs = testing_support::selected_graphs();
  for (const oracle::NamedGraph& named : testing_support::selected_graphs())
    graphs.push_back({named.name + "_weighted", oracle::with_weights(named.graph, 19)});
  for (const auto& [name, graph] : graphs) {
    SCOPED_TRACE(name);
    const std::uint64_t wanted = fingerprint(graph);
    for (const PartitionKind partition : testing_support::kAllPartitions) {
      const BuildOptions options = options_for(graph, partition);
      EXPECT_EQ(build(graph, options).fingerprint, wanted);
      EXPECT_EQ(build(graph, options, alone).fingerprint, wanted);
      EXPECT_EQ(build(graph, options, halves).fingerprint, wanted);
    }
  }
}

TEST(Fingerprint, IgnoresTheOrderOfEdges) {
  oracle::Graph graph = oracle::random_graph(100, 500, true, 20);
  const std::uint64_t wanted = fingerprint(graph);
  std::ranges::reverse(graph.edges);
  EXPECT_EQ(fingerprint(graph), wanted);
}

TEST(Fingerprint, ChangesWithTheGraph) {
  const oracle::Graph graph = oracle::random_graph(100, 500, true, 20);
  std::vector<std::uint64_t> seen{fingerprint(graph)};
  const auto expect_new = [&](const oracle::Graph& changed, const char* what) {
    const std::uint64_t found = fingerprint(changed);
    EXPECT_EQ(std::ranges::count(seen, found), 0) << what;
    seen.push_back(found);
  };
  oracle::Graph changed = graph;
  changed.edges.pop_back();
  expect_new(changed, "an edge less");
  changed = graph;
  changed.edges.push_back(graph.edges[0]);
  expect_new(changed, "an edge twice");
  changed = graph;
  std::swap(changed.edges[3].source, changed.edges[3].target);
  expect_new(changed, "an edge turned round");
  changed = graph;
  std::swap(changed.edges[3].target, changed.edges[4].target);
  expect_new(changed, "two targets exchanged");
  changed = graph;
  changed.vertices.push_back(1000);
  expect_new(changed, "an isolated vertex");
  expect_new(oracle::with_direction(graph, false), "no direction");
  oracle::Graph weighted = oracle::with_weights(graph, 3);
  expect_new(weighted, "weights");
  std::swap(weighted.weights[7],
            *std::ranges::find_if(weighted.weights, [&](double w) { return w != weighted.weights[7]; }));
  expect_new(weighted, "two weights exchanged");
}

} // namespace
} // namespace pregel
