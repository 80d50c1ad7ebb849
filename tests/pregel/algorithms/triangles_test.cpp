// Triangles and clustering against all pairs of neighbours, in one round and in many.
#include <numeric>

#include "algorithm_testing.hpp"
#include "core/error.hpp"
#include "support/neighbour_oracles.hpp"
#include "triangles/triangle_loop.hpp"

namespace pregel::testing_support {
namespace {

class TrianglesTest : public AlgorithmTest {};
INSTANTIATE_TEST_SUITE_P(All, TrianglesTest, testing::ValuesIn(settings()), setting_name);

double aggregate_of(const RunReport& report, const std::string& name) {
  for (const auto& [known, value] : report.aggregates)
    if (known == name) return value;
  return -1;
}

double total_of(const std::vector<std::uint64_t>& through_vertices) {
  return static_cast<double>(std::accumulate(through_vertices.begin(), through_vertices.end(), std::uint64_t{0})) / 3;
}

TEST_P(TrianglesTest, ThroughEachVertexAndInAll) {
  for (const auto& [name, graph] : graphs_for(GetParam())) {
    SCOPED_TRACE(name);
    const std::vector<std::uint64_t> wanted = oracle::triangles(graph);
    const AlgorithmOutcome outcome = run_algorithm("triangles", graph, GetParam(), {});
    EXPECT_EQ(outcome.columns, std::vector<std::string>{"triangles"});
    EXPECT_EQ(column_of<std::uint64_t>(outcome), by_id(graph, wanted));
    EXPECT_EQ(aggregate_of(outcome.report, "triangles"), total_of(wanted));
  }
}

TEST_P(TrianglesTest, Clustering) {
  for (const auto& [name, graph] : graphs_for(GetParam())) {
    SCOPED_TRACE(name);
    const std::vector<double> wanted = oracle::clustering(graph);
    const AlgorithmOutcome outcome = run_algorithm("lcc", graph, GetParam(), {});
    EXPECT_EQ(outcome.columns, std::vector<std::string>{"clustering"});
    EXPECT_EQ(column_of<double>(outcome), by_id(graph, wanted)) << "one division of exact integers";
    if (wanted.empty()) continue;
    const double mean = std::accumulate(wanted.begin(), wanted.end(), 0.0) / static_cast<double>(wanted.size());
    EXPECT_NEAR(aggregate_of(outcome.report, "mean_clustering"), mean, 1e-12);
  }
}

/// As if memory were short: a handful of entries a round.
TEST_P(TrianglesTest, InManyRounds) {
  for (const bool directed : {true, false}) {
    const oracle::Graph graph = oracle::random_graph(150, 1500, directed, 31);
    BuildOptions build_options;
    build_options.partition = GetParam().partition;
    build_options.needs = find_algorithm("lcc").needs({});
    const DistributedGraph built = build(graph, build_options);
    core::ThreadTeam team(GetParam().threads);
    for (const std::uint64_t entries : {700U, 150U}) {
      TriangleLoop loop(built, team, {}, {.weigh_sides = directed, .entries_per_round = entries});
      const RunReport report = loop.run();
      const auto edges = static_cast<std::uint64_t>(aggregate_of(report, "simple_edges"));
      EXPECT_EQ(report.supersteps(), (edges + entries - 1) / entries + 3);
      EXPECT_EQ(aggregate_of(report, "triangles"), total_of(oracle::triangles(graph)));
      std::vector<double> clustering;
      for (std::uint32_t v = 0; v < built.local_count; ++v) clustering.push_back(loop.clustering(LocalId{v}));
      EXPECT_EQ(gather(built, clustering), by_id(graph, oracle::clustering(graph)));
    }
  }
}

TEST(Triangles, ALimitOfSuperstepsNeverGivesHalfACount) {
  const oracle::Graph graph = oracle::random_graph(40, 200, false, 32);
  BuildOptions build_options;
  build_options.needs = find_algorithm("triangles").needs({});
  const DistributedGraph built = build(graph, build_options);
  core::ThreadTeam team(1);
  for (const std::uint64_t supersteps : {1U, 2U, 3U}) {
    RunOptions limited;
    limited.max_supersteps = supersteps;
    EXPECT_THROW((void)find_algorithm("triangles").run(built, team, {}, limited), core::InputError) << supersteps;
  }
  RunOptions enough;
  enough.max_supersteps = 4;
  EXPECT_NO_THROW((void)find_algorithm("triangles").run(built, team, {}, enough));
}

} // namespace
} // namespace pregel::testing_support
