// Strongly connected components against Tarjan's depth-first search, and on graphs that take many rounds.
#include <functional>
#include <limits>

#include "structure_testing.hpp"

namespace pregel::testing_support {
namespace {

std::map<std::uint64_t, GlobalId> strong_components(const oracle::Graph& graph) {
  const auto arcs = oracle::out_arcs(graph);
  constexpr std::size_t kUnseen = std::numeric_limits<std::size_t>::max();
  std::vector<std::size_t> order(arcs.size(), kUnseen), low(arcs.size()), stack;
  std::vector<bool> on_stack(arcs.size());
  std::map<std::uint64_t, GlobalId> components;
  std::size_t next = 0;
  const std::function<void(std::size_t)> visit = [&](std::size_t v) {
    order[v] = low[v] = next++;
    stack.push_back(v);
    on_stack[v] = true;
    for (const oracle::Arc& arc : arcs[v]) {
      if (order[arc.target] == kUnseen) {
        visit(arc.target);
        low[v] = std::min(low[v], low[arc.target]);
      } else if (on_stack[arc.target]) {
        low[v] = std::min(low[v], order[arc.target]);
      }
    }
    if (low[v] != order[v]) return;
    const auto first = std::ranges::find(stack, v);
    const std::size_t smallest = *std::min_element(first, stack.end());
    for (auto member = first; member != stack.end(); ++member) {
      components[graph.vertices[*member]] = GlobalId{graph.vertices[smallest]};
      on_stack[*member] = false;
    }
    stack.erase(first, stack.end());
  };
  for (std::size_t v = 0; v < arcs.size(); ++v)
    if (order[v] == kUnseen) visit(v);
  return components;
}

class StrongComponentsTest : public AlgorithmTest {};
INSTANTIATE_TEST_SUITE_P(All, StrongComponentsTest, testing::ValuesIn(settings()), setting_name);

TEST_P(StrongComponentsTest, AreThoseOfTarjan) {
  for_structure_graphs(GetParam(), [](const oracle::Graph& graph) {
    const AlgorithmOutcome outcome = run_algorithm("scc", graph, GetParam(), {});
    EXPECT_EQ(outcome.columns, std::vector<std::string>{"component"});
    EXPECT_EQ(column_of<GlobalId>(outcome), strong_components(graph));
  });
}

/// Triangles one behind the other, joined by single arcs; ids ascend or descend along the arcs.
oracle::Graph triangles_in_a_row(oracle::Id count, bool ascending) {
  oracle::Graph graph;
  for (oracle::Id t = 0; t < count; ++t) {
    for (oracle::Id i = 0; i < 3; ++i) graph.edges.push_back({3 * t + i, 3 * t + (i + 1) % 3});
    if (t + 1 < count && ascending) graph.edges.push_back({3 * t, 3 * t + 3});
    if (t + 1 < count && !ascending) graph.edges.push_back({3 * t + 3, 3 * t});
  }
  oracle::normalise(graph);
  return graph;
}

TEST_P(StrongComponentsTest, TakeFewRoundsInARow) {
  for (const bool ascending : {true, false}) {
    const oracle::Graph graph = triangles_in_a_row(40, ascending);
    const AlgorithmOutcome outcome = run_algorithm("scc", graph, GetParam(), {});
    EXPECT_EQ(column_of<GlobalId>(outcome), strong_components(graph));
    EXPECT_LT(outcome.report.supersteps(), 600U) << "a round for each of 40 components would take thousands";
  }
}

} // namespace
} // namespace pregel::testing_support
