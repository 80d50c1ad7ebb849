// The oracles against results that were computed elsewhere: by hand, or the exact ranks beside the graph. What judges
// the engine must itself be judged.
#include "support/oracles.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "support/awkward_graphs.hpp"
#include "support/graph_text.hpp"

namespace oracle {
namespace {

const std::string kData = SUPERSTEP_TEST_FILES;

void expect_near(const std::vector<double>& actual, const std::vector<double>& expected, double tolerance) {
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t i = 0; i < actual.size(); ++i) EXPECT_NEAR(actual[i], expected[i], tolerance) << "at " << i;
}

TEST(Oracles, PageRankByHand) {
  const Graph graph = read_graph_text(kData + "/pagerank4.txt", true);
  expect_near(pagerank(graph, 1), {.568750, .143750, .143750, .143750}, 5e-7);
  expect_near(pagerank(graph, 2), {.342969, .279219, .098594, .279219}, 5e-7);
  expect_near(pagerank(graph, 5), {.442032, .209158, .139651, .209158}, 5e-7);
}

TEST(Oracles, PageRankOfSevenVertices) {
  const Graph graph = read_graph_text(kData + "/pagerank7.txt", true);
  const std::vector<double> eleventh = pagerank(graph, 11);
  expect_near(eleventh, {.34647, .07046, .13044, .07046, .13044, .18129, .07046}, 5e-6);
  const std::vector<double> many = pagerank(graph, 200);
  double largest = 0;
  for (std::size_t i = 0; i < many.size(); ++i) largest = std::max(largest, std::abs(many[i] - eleventh[i]));
  EXPECT_NEAR(largest, 1.24e-4, 5e-7);
}

TEST(Oracles, ConvergedPageRankIsTheExactOne) {
  const Graph graph = read_graph_text(kData + "/smallworld60.el", true);
  std::ifstream file(kData + "/smallworld60.pagerank");
  std::vector<double> expected(graph.vertices.size());
  Id id = 0;
  double rank = 0;
  while (file >> id >> rank) expected.at(position(graph, id)) = rank;
  expect_near(converged_pagerank(graph), expected, 1e-15);
}

TEST(Oracles, ShortestPaths) {
  const Graph graph = read_graph_text(kData + "/sssp6.txt", true);
  EXPECT_EQ(shortest_paths(graph, 1), (std::vector<double>{0, 1, 2, 4, 6, 5}));
  EXPECT_EQ(shortest_paths(graph, 5)[0], std::numeric_limits<double>::infinity());
  EXPECT_EQ(bfs(graph, 1), (std::vector<std::int64_t>{0, 1, 1, 2, 1, 3}));
  EXPECT_EQ(bfs(graph, 5)[0], kUnreachable);
}

TEST(Oracles, Components) {
  const Graph graph = read_graph_text(kData + "/wcc7.txt", false, kData + "/wcc7.v");
  EXPECT_EQ(components(graph), (std::vector<Id>{1, 1, 1, 1, 5, 5, 7}));
}

TEST(AwkwardGraphs, HaveDistinctNamesAndKeepTheirMass) {
  std::set<std::string> names;
  for (const auto& [name, graph] : awkward_graphs()) {
    EXPECT_TRUE(names.insert(name).second) << name;
    if (graph.vertices.empty()) continue;
    const std::vector<double> ranks = converged_pagerank(graph);
    EXPECT_NEAR(std::accumulate(ranks.begin(), ranks.end(), 0.0), 1.0, 1e-12) << name;
  }
}

TEST(AwkwardGraphs, DijkstraWithoutWeightsIsBreadthFirst) {
  for (const auto& [name, graph] : awkward_graphs()) {
    if (graph.vertices.empty()) continue;
    const Id source = graph.vertices[graph.vertices.size() / 2];
    const std::vector<double> distances = shortest_paths(graph, source);
    const std::vector<std::int64_t> depths = bfs(graph, source);
    for (std::size_t i = 0; i < depths.size(); ++i) {
      const bool reached = depths[i] != kUnreachable;
      EXPECT_EQ(std::isfinite(distances[i]), reached) << name;
      if (reached) {
        EXPECT_EQ(distances[i], static_cast<double>(depths[i])) << name;
      }
    }
  }
}

TEST(AwkwardGraphs, UndirectedComponentIsWhatASearchReaches) {
  for (const auto& [name, listed] : awkward_graphs()) {
    const Graph graph = with_direction(listed, false);
    const std::vector<Id> labels = components(graph);
    for (std::size_t v = 0; v < labels.size(); ++v) {
      const std::vector<std::int64_t> depths = bfs(graph, graph.vertices[v]);
      for (std::size_t u = 0; u < labels.size(); ++u) {
        EXPECT_EQ(depths[u] != kUnreachable, labels[u] == labels[v]) << name;
        if (depths[u] != kUnreachable) {
          EXPECT_LE(labels[v], graph.vertices[u]) << name;
        }
      }
    }
  }
}

TEST(GraphText, WritesWhatItReads) {
  const Graph graph = with_weights(random_graph(20, 30, true, 7), 8);
  const std::string path = testing::TempDir() + "superstep_graph_text_test";
  std::ofstream(path + ".e") << edge_list_text(graph);
  std::ofstream(path + ".v") << vertex_list_text(graph);
  const Graph again = read_graph_text(path + ".e", true, path + ".v");
  EXPECT_EQ(again.vertices, graph.vertices);
  EXPECT_EQ(again.edges, graph.edges);
  EXPECT_EQ(again.weights, graph.weights);
}

} // namespace
} // namespace oracle
