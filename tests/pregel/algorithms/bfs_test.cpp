// Breadth-first search against a queue; and that parents make a tree of shortest paths with the smallest ids.
#include <set>

#include "algorithm_testing.hpp"

namespace pregel::testing_support {
namespace {

class BfsTest : public AlgorithmTest {};
INSTANTIATE_TEST_SUITE_P(All, BfsTest, testing::ValuesIn(settings()), setting_name);

TEST_P(BfsTest, Depths) {
  for (const auto& [name, graph] : graphs_for(GetParam())) {
    for (const oracle::Id source : sources_in(graph)) {
      SCOPED_TRACE(name + " from " + std::to_string(source));
      AlgorithmOptions options;
      options.source = GlobalId{source};
      const AlgorithmOutcome outcome = run_algorithm("bfs", graph, GetParam(), options);
      EXPECT_EQ(outcome.columns, std::vector<std::string>{"depth"});
      EXPECT_EQ(column_of<std::int64_t>(outcome), by_id(graph, oracle::bfs(graph, source)));
    }
  }
}

/// Of all neighbours one level nearer to the source, the smallest id.
std::map<std::uint64_t, GlobalId> parents(const oracle::Graph& graph, oracle::Id source) {
  const auto depths = by_id(graph, oracle::bfs(graph, source));
  std::map<std::uint64_t, GlobalId> parents;
  for (const oracle::Id id : graph.vertices) parents[id] = kNoVertex;
  parents[source] = GlobalId{source};
  const auto arcs = oracle::out_arcs(graph);
  for (std::size_t u = 0; u < arcs.size(); ++u) { // ascending, so the first to come stays
    const oracle::Id id = graph.vertices[u];
    if (depths.at(id) == oracle::kUnreachable) continue;
    for (const oracle::Arc& arc : arcs[u]) {
      const oracle::Id child = graph.vertices[arc.target];
      if (depths.at(child) == depths.at(id) + 1 && parents[child] == kNoVertex) parents[child] = GlobalId{id};
    }
  }
  return parents;
}

TEST_P(BfsTest, Parents) {
  for (const auto& [name, graph] : graphs_for(GetParam())) {
    for (const oracle::Id source : sources_in(graph)) {
      SCOPED_TRACE(name + " from " + std::to_string(source));
      AlgorithmOptions options;
      options.source = GlobalId{source};
      options.parents = true;
      const AlgorithmOutcome outcome = run_algorithm("bfs", graph, GetParam(), options);
      EXPECT_EQ(outcome.columns, (std::vector<std::string>{"depth", "parent"}));
      EXPECT_EQ(column_of<std::int64_t>(outcome), by_id(graph, oracle::bfs(graph, source)));
      EXPECT_EQ(column_of<GlobalId>(outcome, 1), parents(graph, source));
    }
  }
}

} // namespace
} // namespace pregel::testing_support
