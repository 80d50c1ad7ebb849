// Betweenness against its definition: for every pair and every vertex, how many of the shortest paths lead through it,
// from counts of paths between all pairs. And the estimate of the diameter against all eccentricities.
#include <cmath>
#include <limits>

#include "core/error.hpp"
#include "structure_testing.hpp"

namespace pregel::testing_support {
namespace {

/// Distances and numbers of shortest paths between all pairs, by position; neighbours are sets.
struct AllPairs {
  explicit AllPairs(const oracle::Graph& graph) {
    const std::size_t n = graph.vertices.size();
    std::vector<std::set<std::size_t>> next(n);
    for (const auto& [u, v] : graph.edges) {
      if (u == v) continue;
      next[position(graph, u)].insert(position(graph, v));
      if (!graph.directed) next[position(graph, v)].insert(position(graph, u));
    }
    distance.assign(n, std::vector<std::int64_t>(n, oracle::kUnreachable));
    paths.assign(n, std::vector<double>(n, 0));
    for (std::size_t s = 0; s < n; ++s) {
      std::vector<std::size_t> front{s};
      distance[s][s] = 0;
      paths[s][s] = 1;
      for (std::int64_t d = 1; !front.empty(); ++d) {
        std::set<std::size_t> reached;
        for (const std::size_t v : front) {
          for (const std::size_t w : next[v]) {
            if (distance[s][w] == oracle::kUnreachable) distance[s][w] = d;
            if (distance[s][w] != d) continue;
            paths[s][w] += paths[s][v];
            reached.insert(w);
          }
        }
        front.assign(reached.begin(), reached.end());
      }
    }
  }
  std::vector<std::vector<std::int64_t>> distance;
  std::vector<std::vector<double>> paths;
};

std::map<std::uint64_t, double> betweenness(const oracle::Graph& graph, const std::set<oracle::Id>& sources) {
  const AllPairs all(graph);
  const std::size_t n = graph.vertices.size();
  std::map<std::uint64_t, double> centrality;
  for (const oracle::Id id : graph.vertices) centrality[id] = 0;
  for (std::size_t s = 0; s < n; ++s) {
    if (!sources.contains(graph.vertices[s])) continue;
    for (std::size_t t = 0; t < n; ++t) {
      if (s == t || all.distance[s][t] == oracle::kUnreachable) continue;
      if (!graph.directed && t < s && sources.contains(graph.vertices[t])) continue; // the pair has been seen
      for (std::size_t v = 0; v < n; ++v) {
        if (v == s || v == t || all.distance[s][v] == oracle::kUnreachable) continue;
        if (all.distance[v][t] == oracle::kUnreachable) continue;
        if (all.distance[s][v] + all.distance[v][t] != all.distance[s][t]) continue;
        centrality[graph.vertices[v]] += all.paths[s][v] * all.paths[v][t] / all.paths[s][t];
      }
    }
  }
  return centrality;
}

class BetweennessTest : public AlgorithmTest {
 protected:
  static void expect_betweenness(const oracle::Graph& graph, const std::set<oracle::Id>& sources) {
    AlgorithmOptions options;
    if (sources.size() < graph.vertices.size())
      for (const oracle::Id id : sources) options.sources.insert(options.sources.begin(), GlobalId{id});
    const AlgorithmOutcome outcome = run_algorithm("bc", graph, GetParam(), options);
    EXPECT_EQ(outcome.columns, std::vector<std::string>{"centrality"});
    const auto found = column_of<double>(outcome), wanted = betweenness(graph, sources);
    ASSERT_EQ(found.size(), wanted.size());
    for (const auto& [id, value] : wanted) EXPECT_NEAR(found.at(id), value, 1e-9 * (1 + value)) << id;
  }
};
INSTANTIATE_TEST_SUITE_P(All, BetweennessTest, testing::ValuesIn(settings()), setting_name);

TEST_P(BetweennessTest, OfAFewSources) {
  for_structure_graphs(GetParam(), [](const oracle::Graph& graph) {
    std::set<oracle::Id> sources;
    for (std::size_t i = 0; i < graph.vertices.size(); i += graph.vertices.size() / 3 + 1)
      sources.insert(graph.vertices[i]);
    expect_betweenness(graph, sources);
  });
}

TEST_P(BetweennessTest, OfAllVertices) {
  expect_betweenness(oracle::random_graph(20, 45, true, 400), [] {
    std::set<oracle::Id> all;
    for (oracle::Id id = 0; id < 20; ++id) all.insert(id);
    return all;
  }());
  for (const auto& [name, graph] : structure_graphs()) {
    if (name != "chain" && name != "star" && name != "repeated_edges") continue;
    SCOPED_TRACE(name);
    expect_betweenness(oracle::with_direction(graph, false), {graph.vertices.begin(), graph.vertices.end()});
  }
}

/// A long tail behind a clique: more levels than those for which everybody stays awake.
TEST_P(BetweennessTest, OfManyLevels) {
  oracle::Graph graph;
  graph.directed = false;
  for (oracle::Id u = 0; u < 6; ++u)
    for (oracle::Id v = 0; v < u; ++v) graph.edges.push_back({u, v});
  for (oracle::Id v = 5; v < 40; ++v) graph.edges.push_back({v, v + 1});
  graph.edges.push_back({7, 9}); // a shortcut, for paths of different length
  oracle::normalise(graph);
  for (const bool directed : {true, false}) {
    SCOPED_TRACE(directed);
    expect_betweenness(oracle::with_direction(graph, directed), {0, 5, 39});
  }
}

TEST_P(BetweennessTest, RefusesMorePathsThanADoubleHolds) {
  oracle::Graph diamonds; // each doubles the number of paths
  for (oracle::Id i = 0; i < 1030; ++i) {
    for (const oracle::Id middle : {3 * i + 1, 3 * i + 2}) {
      diamonds.edges.push_back({3 * i, middle});
      diamonds.edges.push_back({middle, 3 * i + 3});
    }
  }
  oracle::normalise(diamonds);
  AlgorithmOptions options;
  options.sources = {GlobalId{0}};
  EXPECT_THROW((void)run_algorithm("bc", diamonds, GetParam(), options), core::Error);
}

class DiameterTest : public AlgorithmTest {};
INSTANTIATE_TEST_SUITE_P(All, DiameterTest, testing::ValuesIn(settings()), setting_name);

TEST_P(DiameterTest, IsABoundFromBelow) {
  for_structure_graphs(GetParam(), [](const oracle::Graph& graph) {
    const AlgorithmOutcome outcome = run_algorithm("diameter", graph, GetParam(), {});
    EXPECT_EQ(outcome.columns, std::vector<std::string>{"eccentricity"});
    const oracle::Graph both_ways = oracle::with_direction(graph, false);
    const AllPairs all(both_ways);
    std::int64_t largest = 0, radius = std::numeric_limits<std::int64_t>::max();
    for (const auto& [id, bound] : column_of<std::int64_t>(outcome)) {
      if (bound == oracle::kUnreachable) continue; // another component
      std::int64_t eccentricity = 0;
      for (const std::int64_t d : all.distance[position(both_ways, id)])
        if (d != oracle::kUnreachable) eccentricity = std::max(eccentricity, d);
      EXPECT_LE(bound, eccentricity) << id;
      EXPECT_GE(2 * bound, eccentricity) << id << ": a sweep from the far end sees half of it at least";
      largest = std::max(largest, bound);
      radius = std::min(radius, eccentricity);
    }
    if (graph.vertices.empty()) return;
    EXPECT_GE(largest, radius);
    for (const auto& [name, value] : outcome.report.aggregates) {
      if (name != "diameter") continue;
      EXPECT_EQ(value, static_cast<double>(largest));
    }
  });
}

TEST_P(DiameterTest, IsExactOnTrees) {
  oracle::Graph tree;
  tree.directed = false;
  for (oracle::Id v = 1; v < 64; ++v) tree.edges.push_back({v, (v - 1) / 2}); // depth 5: diameter 10
  for (oracle::Id v = 63; v < 70; ++v) tree.edges.push_back({v, v + 1});      // a tail of 7 at a leaf
  oracle::normalise(tree);
  const auto bounds = column_of<std::int64_t>(run_algorithm("diameter", tree, GetParam(), {}));
  const AllPairs all(tree);
  std::int64_t diameter = 0;
  for (const auto& row : all.distance) diameter = std::max(diameter, *std::ranges::max_element(row));
  EXPECT_EQ(bounds.at(70), diameter);
}

} // namespace
} // namespace pregel::testing_support
