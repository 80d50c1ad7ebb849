// Random walks: they follow edges, end where none leads on, and take each turn as often as the bias says.
#include <array>
#include <cmath>

#include "structure_testing.hpp"

namespace pregel::testing_support {
namespace {

class RandomWalkTest : public AlgorithmTest {
 protected:
  static std::vector<std::map<std::uint64_t, GlobalId>> walk(const oracle::Graph& graph, std::uint64_t steps, double p,
                                                             double q) {
    AlgorithmOptions options;
    options.iterations = steps;
    options.walk_p = p;
    options.walk_q = q;
    const AlgorithmOutcome outcome = run_algorithm("random-walk", graph, GetParam(), options);
    EXPECT_EQ(outcome.columns.size(), steps);
    std::vector<std::map<std::uint64_t, GlobalId>> columns;
    for (std::size_t step = 0; step < steps; ++step) columns.push_back(column_of<GlobalId>(outcome, step));
    return columns;
  }
};
INSTANTIATE_TEST_SUITE_P(All, RandomWalkTest, testing::ValuesIn(settings()), setting_name);

TEST_P(RandomWalkTest, FollowsEdges) {
  for_structure_graphs(GetParam(), [](const oracle::Graph& graph) {
    const auto arcs = oracle::out_arcs(graph);
    const auto steps = walk(graph, 4, 0.5, 2);
    for (const oracle::Id start : graph.vertices) {
      GlobalId at{start};
      for (const auto& column : steps) {
        const GlobalId next = column.at(start);
        if (at == kNoVertex) {
          EXPECT_EQ(next, kNoVertex);
          continue;
        }
        const auto& out = arcs[position(graph, number(at))];
        EXPECT_EQ(next == kNoVertex, out.empty());
        if (next != kNoVertex) {
          const std::size_t target = position(graph, number(next));
          EXPECT_TRUE(std::ranges::any_of(out, [&](const oracle::Arc& arc) { return arc.target == target; }));
        }
        at = next;
      }
    }
  });
}

/// Many copies of a triangle t v x and an edge v y: from t by v, the weights of t, x and y are 1/p, 1 and 1/q.
TEST_P(RandomWalkTest, TurnsAsTheBiasSays) {
  oracle::Graph graph;
  graph.directed = false;
  constexpr oracle::Id kCopies = 3000;
  for (oracle::Id c = 0; c < kCopies; ++c) {
    const oracle::Id t = 4 * c, v = t + 1, x = t + 2, y = t + 3;
    for (const oracle::Edge edge : {oracle::Edge{t, v}, {v, x}, {t, x}, {v, y}}) graph.edges.push_back(edge);
  }
  oracle::normalise(graph);
  for (const auto& [p, q] : {std::pair(0.25, 4.0), std::pair(4.0, 0.25), std::pair(1.0, 1.0), std::pair(2.0, 3.0)}) {
    SCOPED_TRACE(std::to_string(p) + " " + std::to_string(q));
    const auto steps = walk(graph, 2, p, q);
    std::array<double, 4> seen{};
    double walks = 0;
    for (oracle::Id c = 0; c < kCopies; ++c) {
      if (steps[0].at(4 * c) != GlobalId{4 * c + 1}) continue; // by x
      ++seen[number(steps[1].at(4 * c)) - 4 * c];
      ++walks;
    }
    EXPECT_NEAR(walks, kCopies / 2.0, 5 * std::sqrt(kCopies / 4.0));
    const double all = 1 / p + 1 + 1 / q;
    for (const auto& [vertex, weight] : {std::pair(0, 1 / p), std::pair(2, 1.0), std::pair(3, 1 / q)}) {
      const double share = weight / all;
      EXPECT_NEAR(seen[static_cast<std::size_t>(vertex)], walks * share, 5 * std::sqrt(walks * share * (1 - share)));
    }
  }
}

} // namespace
} // namespace pregel::testing_support
