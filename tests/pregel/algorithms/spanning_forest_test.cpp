// The minimum spanning forest against Kruskal's method, in the same order of edges.
#include <numeric>
#include <tuple>

#include "structure_testing.hpp"

namespace pregel::testing_support {
namespace {

using Line = std::tuple<std::uint64_t, std::uint64_t, double>; // u, v, weight

/// The rows of all ranks in ascending order.
std::vector<Line> lines_of(const AlgorithmOutcome& outcome) {
  struct Item {
    std::uint64_t u, v;
    double weight;
  };
  const auto& ends = std::get<std::vector<GlobalId>>(outcome.table.columns.at(0).values);
  const auto& weights = std::get<std::vector<double>>(outcome.table.columns.at(1).values);
  EXPECT_TRUE(std::ranges::is_sorted(outcome.table.ids));
  std::vector<Item> mine;
  for (std::size_t i = 0; i < ends.size(); ++i)
    mine.push_back({number(outcome.table.ids[i]), number(ends[i]), weights[i]});
  std::vector<Line> lines;
  for (const Item& item : gather_lists(mine)) lines.emplace_back(item.u, item.v, item.weight);
  std::ranges::sort(lines);
  return lines;
}

std::vector<Line> kruskal(const oracle::Graph& graph) {
  std::vector<std::tuple<double, oracle::Id, oracle::Id>> edges;
  for (std::size_t i = 0; i < graph.edges.size(); ++i) {
    const auto [low, high] = std::minmax(graph.edges[i].source, graph.edges[i].target);
    edges.emplace_back(graph.weights.empty() ? 1 : graph.weights[i], low, high);
  }
  std::ranges::sort(edges);
  std::map<oracle::Id, oracle::Id> tree; // each tree by one of its vertices
  for (const oracle::Id id : graph.vertices) tree[id] = id;
  std::vector<Line> lines;
  for (const auto& [weight, u, v] : edges) {
    const oracle::Id joined = tree[v], into = tree[u];
    if (joined == into) continue;
    for (auto& [id, name] : tree)
      if (name == joined) name = into;
    lines.emplace_back(u, v, weight);
  }
  std::ranges::sort(lines);
  return lines;
}

class SpanningForestTest : public AlgorithmTest {};
INSTANTIATE_TEST_SUITE_P(All, SpanningForestTest, testing::ValuesIn(settings()), setting_name);

TEST_P(SpanningForestTest, IsKruskals) {
  for_structure_graphs(GetParam(), [](const oracle::Graph& plain) {
    for (const oracle::Graph& graph : {plain, oracle::with_weights(plain, 31, 5)}) { // few weights: many ties
      const AlgorithmOutcome outcome = run_algorithm("msf", graph, GetParam(), {});
      EXPECT_EQ(outcome.columns, (std::vector<std::string>{"to", "weight"}));
      const std::vector<Line> wanted = kruskal(graph);
      EXPECT_EQ(lines_of(outcome), wanted);
      double weight = 0;
      for (const Line& line : wanted) weight += std::get<2>(line);
      for (const auto& [name, value] : outcome.report.aggregates)
        EXPECT_EQ(value, name == "forest_edges" ? static_cast<double>(wanted.size()) : weight) << name;
    }
  });
}

TEST_P(SpanningForestTest, TakesNegativeAndBrokenWeights) {
  oracle::Graph graph = oracle::with_weights(oracle::random_graph(60, 200, false, 77), 78, 1000);
  for (double& weight : graph.weights) weight = (weight - 500) / 7;
  EXPECT_EQ(lines_of(run_algorithm("msf", graph, GetParam(), {})), kruskal(graph));
}

} // namespace
} // namespace pregel::testing_support
