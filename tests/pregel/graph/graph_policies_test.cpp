// Loops and repeated edges, kept or dropped, along and against the direction of edges.
#include <tuple>

#include <gtest/gtest.h>

#include "pregel/error.hpp"
#include "reference_graph.hpp"

namespace pregel {
namespace {

using testing_support::Arc;
using testing_support::build;
using testing_support::gather;
using testing_support::gather_in_arcs;
using testing_support::gather_out_edges;
using testing_support::reference_of;
using testing_support::ReferenceGraph;

class Policies : public testing::TestWithParam<std::tuple<SelfLoops, MultiEdges, MessagePath>> {
 protected:
  [[nodiscard]] static BuildOptions options(PartitionKind partition, bool weights) {
    BuildOptions options;
    options.partition = partition;
    std::tie(options.self_loops, options.multi_edges, options.needs.path) = GetParam();
    options.needs.weights = weights;
    options.needs.out_edges = true;
    return options;
  }
};

INSTANTIATE_TEST_SUITE_P(All, Policies,
                         testing::Combine(testing::Values(SelfLoops::keep, SelfLoops::drop),
                                          testing::Values(MultiEdges::keep, MultiEdges::drop),
                                          testing::Values(MessagePath::along_edges, MessagePath::both_ways)),
                         [](const auto& instance) {
                           const auto loops = std::get<0>(instance.param);
                           const auto repeats = std::get<1>(instance.param);
                           const auto path = std::get<2>(instance.param);
                           return std::string(loops == SelfLoops::keep ? "LoopsKept" : "LoopsDropped") +
                                  (repeats == MultiEdges::keep ? "RepeatsKept" : "RepeatsDropped") +
                                  (path == MessagePath::along_edges ? "Along" : "BothWays");
                         });

TEST_P(Policies, AgainstTheNaiveGraph) {
  for (const PartitionKind partition : testing_support::kAllPartitions) {
    for (const auto& [name, plain] : testing_support::selected_graphs()) {
      SCOPED_TRACE(name);
      const oracle::Graph graph = oracle::with_weights(plain, 18, 3); // repeated edges with equal weights, too
      const BuildOptions how = options(partition, name != "repeated_edges");
      const DistributedGraph built = build(graph, how);
      const ReferenceGraph reference = reference_of(graph, how);
      EXPECT_EQ(built.vertex_count, reference.vertices.size()) << "dropped edges leave their vertices";
      EXPECT_EQ(gather_in_arcs(built), reference.arcs);
      EXPECT_EQ(gather(built, built.out_degrees), reference.out_degrees());
      EXPECT_EQ(built.edge_count, reference.edge_count);
      std::vector<Arc> out = reference.arcs;
      std::ranges::sort(out, {}, [](const Arc& arc) { return std::tuple(arc.source, arc.target, arc.weight); });
      EXPECT_EQ(gather_out_edges(built), out);
    }
  }
}

oracle::Graph of_edges(std::vector<oracle::Edge> edges, std::vector<double> weights, bool directed) {
  oracle::Graph graph{{}, std::move(edges), std::move(weights), directed};
  oracle::normalise(graph);
  return graph;
}

/// The same by hand, so that the naive graph is not the only witness.
TEST(PoliciesByHand, UndirectedRepeatsAreOneEdgeWhicheverWayTheyAreWritten) {
  BuildOptions options;
  options.needs.weights = true;
  options.multi_edges = MultiEdges::drop;
  const DistributedGraph graph =
      build(of_edges({{1, 2}, {2, 1}, {1, 2}, {5, 5}, {5, 5}}, {7, 3, 4, 9, 8}, false), options);
  EXPECT_EQ(gather_in_arcs(graph), (std::vector<Arc>{{1, 2, 3}, {2, 1, 3}, {5, 5, 8}}));
  EXPECT_EQ(graph.edge_count, 2U);
  EXPECT_EQ(graph.arc_count, 3U);
}

TEST(PoliciesByHand, DirectedRepeatsKeepTheSmallestWeight) {
  BuildOptions options;
  options.needs.weights = true;
  options.multi_edges = MultiEdges::drop;
  const DistributedGraph graph = build(of_edges({{1, 2}, {2, 1}, {1, 2}}, {7, 3, 4}, true), options);
  EXPECT_EQ(gather_in_arcs(graph), (std::vector<Arc>{{1, 2, 3}, {2, 1, 4}}));
  EXPECT_EQ(graph.edge_count, 2U);
}

TEST(PoliciesByHand, UndirectedLoopsAreOneArc) {
  const DistributedGraph graph = build(of_edges({{4, 4}, {4, 4}, {4, 6}}, {}, false));
  EXPECT_EQ(gather_in_arcs(graph), (std::vector<Arc>{{4, 4, 1}, {4, 4, 1}, {4, 6, 1}, {6, 4, 1}}));
  EXPECT_EQ(graph.edge_count, 3U);
  EXPECT_EQ(gather(graph, graph.out_degrees), (std::map<std::uint64_t, std::uint32_t>{{4, 3}, {6, 1}}));
}

/// Marks tell in-edges from out-edges; an undirected graph needs none.
TEST(Directions, AreMarkedOnArcsOfBothWays) {
  const oracle::Graph graph = of_edges({{1, 2}, {2, 1}, {1, 2}, {2, 3}, {3, 3}}, {}, true);
  BuildOptions options;
  options.needs.path = MessagePath::both_ways;
  options.needs.directions = true;
  constexpr double kIn = ArcDirection::kIn, kOut = ArcDirection::kOut;
  EXPECT_EQ(gather_in_arcs(build(graph, options)), (std::vector<Arc>{{1, 2, kIn},
                                                                     {1, 2, kOut},
                                                                     {1, 2, kOut},
                                                                     {2, 1, kIn},
                                                                     {2, 1, kIn},
                                                                     {2, 1, kOut},
                                                                     {2, 3, kOut},
                                                                     {3, 2, kIn},
                                                                     {3, 3, ArcDirection::kBoth}}));
  options.multi_edges = MultiEdges::drop;
  const DistributedGraph cleaned = build(graph, options);
  EXPECT_EQ(cleaned.edge_count, 4U);
  EXPECT_EQ(gather_in_arcs(cleaned).size(), 7U) << "opposite edges are no repeats";
  const DistributedGraph undirected = build(oracle::with_direction(graph, false), options);
  EXPECT_FALSE(undirected.weighted);
}

TEST(Directions, AndWeightsExcludeEachOther) {
  BuildOptions options;
  options.needs.weights = options.needs.directions = true;
  EXPECT_THROW((void)build(of_edges({{1, 2}}, {}, true), options), GraphError);
}

TEST(SimpleGraphs, HaveNeitherLoopsNorRepeats) {
  for (const MessagePath path : {MessagePath::along_edges, MessagePath::both_ways}) {
    for (const auto& [name, graph] : testing_support::selected_graphs()) {
      SCOPED_TRACE(name);
      BuildOptions how; // which keep both
      how.needs.simple = true;
      how.needs.path = path;
      const DistributedGraph built = build(graph, how);
      const ReferenceGraph reference = reference_of(graph, how);
      EXPECT_EQ(built.vertex_count, reference.vertices.size());
      EXPECT_EQ(gather_in_arcs(built), reference.arcs);
      EXPECT_EQ(gather(built, built.out_degrees), reference.out_degrees());
    }
  }
}

} // namespace
} // namespace pregel
