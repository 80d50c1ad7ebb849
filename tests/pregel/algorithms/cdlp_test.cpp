// Label propagation against maps that are filled edge by edge.
#include <optional>

#include "algorithm_testing.hpp"
#include "support/neighbour_oracles.hpp"

namespace pregel::testing_support {
namespace {

class CdlpTest : public AlgorithmTest {};
INSTANTIATE_TEST_SUITE_P(All, CdlpTest, testing::ValuesIn(settings()), setting_name);

std::map<std::uint64_t, GlobalId> wanted(const oracle::Graph& graph, std::uint64_t rounds) {
  std::map<std::uint64_t, GlobalId> labels;
  for (const auto& [id, label] : by_id(graph, oracle::community_labels(graph, rounds))) labels[id] = GlobalId{label};
  return labels;
}

/// The aggregate, if there is one.
std::optional<double> told_modularity(const RunReport& report) {
  for (const auto& [name, value] : report.aggregates)
    if (name == "modularity") return value;
  return std::nullopt;
}

TEST_P(CdlpTest, MostFrequentLabels) {
  for (const auto& [name, graph] : graphs_for(GetParam())) {
    const std::uint64_t rounds = name.size() % 4; // 0 too
    SCOPED_TRACE(name + ", " + std::to_string(rounds) + " rounds");
    AlgorithmOptions options;
    options.iterations = rounds;
    const AlgorithmOutcome outcome = run_algorithm("cdlp", graph, GetParam(), options);
    EXPECT_EQ(outcome.columns, std::vector<std::string>{"community"});
    EXPECT_EQ(column_of<GlobalId>(outcome), wanted(graph, rounds));
    EXPECT_EQ(outcome.report.supersteps(), graph.vertices.empty() ? 1 : rounds + 1);
    const std::optional<double> modularity = told_modularity(outcome.report);
    ASSERT_EQ(modularity.has_value(), !graph.edges.empty());
    EXPECT_NEAR(modularity.value_or(0), oracle::modularity(graph, oracle::community_labels(graph, rounds)), 1e-12);
  }
}

/// Hubs with many different labels make the table of labels grow, and later runs find it empty again.
TEST_P(CdlpTest, ManyLabelsAtOneVertex) {
  oracle::Graph graph = oracle::random_graph(3000, 6000, false, 41);
  for (oracle::Id v = 0; v < 3000; v += 2) graph.edges.push_back({2999, v});
  AlgorithmOptions options;
  for (const std::uint64_t rounds : {2U, 3U}) {
    options.iterations = rounds;
    EXPECT_EQ(column_of<GlobalId>(run_algorithm("cdlp", graph, GetParam(), options)), wanted(graph, rounds));
  }
}

TEST(Cdlp, TenRoundsUnlessTold) {
  oracle::Graph chain;
  chain.directed = false;
  for (oracle::Id v = 0; v < 24; ++v) chain.edges.push_back({v, v + 1});
  oracle::normalise(chain);
  const AlgorithmOutcome outcome = run_algorithm("cdlp", chain, {}, {});
  EXPECT_EQ(outcome.report.supersteps(), 11U);
  EXPECT_EQ(column_of<GlobalId>(outcome), wanted(chain, 10));
}

/// Two triangles joined by an edge, in two communities: 6/7 - (7^2 + 7^2)/14^2 (Newman, Girvan).
TEST(Cdlp, ModularityOfTwoTriangles) {
  oracle::Graph graph{{}, {{0, 1}, {1, 2}, {0, 2}, {2, 10}, {10, 11}, {11, 12}, {10, 12}}, {}, false};
  oracle::normalise(graph);
  AlgorithmOptions options;
  options.iterations = 4;
  const AlgorithmOutcome outcome = run_algorithm("cdlp", graph, {}, options);
  const auto labels = column_of<GlobalId>(outcome);
  for (const auto& [id, label] : labels) EXPECT_EQ(label, labels.at(id < 10 ? 0 : 11)) << id;
  EXPECT_NE(labels.at(0), labels.at(11));
  ASSERT_TRUE(told_modularity(outcome.report));
  EXPECT_DOUBLE_EQ(*told_modularity(outcome.report), 6.0 / 7.0 - 0.5);
}

/// The sides of a complete bipartite graph exchange their labels in every round.
TEST(Cdlp, ABipartiteGraphOscillates) {
  oracle::Graph graph;
  graph.directed = false;
  for (oracle::Id left = 0; left < 4; ++left)
    for (oracle::Id right = 10; right < 16; ++right) graph.edges.push_back({left, right});
  oracle::normalise(graph);
  for (const std::uint64_t rounds : {5U, 6U}) {
    AlgorithmOptions options;
    options.iterations = rounds;
    const auto labels = column_of<GlobalId>(run_algorithm("cdlp", graph, {}, options));
    for (const auto& [id, label] : labels)
      EXPECT_EQ(label, GlobalId{(id < 10) == (rounds % 2 == 0) ? 0U : 10U}) << id << " after " << rounds;
  }
}

/// With repeated edges dropped, u v and v u still are two edges of a directed graph.
TEST(Cdlp, DroppedRepeatsKeepBothDirections) {
  // 2 hears 3 twice (both ways), and 1 once although it is listed three times.
  oracle::Graph graph{{}, {{1, 2}, {1, 2}, {1, 2}, {2, 3}, {3, 2}}, {}, true};
  oracle::normalise(graph);
  BuildOptions build_options;
  build_options.needs = find_algorithm("cdlp").needs({});
  build_options.multi_edges = MultiEdges::drop;
  const DistributedGraph built = build(graph, build_options);
  EXPECT_EQ(built.edge_count, 3U);
  core::ThreadTeam team(1);
  AlgorithmOptions options;
  options.iterations = 1;
  AlgorithmRun run = find_algorithm("cdlp").run(built, team, options, {});
  const auto labels = column_of<GlobalId>({std::move(run.report), {}, std::move(run.result)});
  EXPECT_EQ(labels.at(2), GlobalId{3});
}

} // namespace
} // namespace pregel::testing_support
