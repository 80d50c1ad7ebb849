// The oracles of neighbour_oracles.hpp on graphs that one can do by hand.
#include "support/neighbour_oracles.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "support/awkward_graphs.hpp"

namespace oracle {
namespace {

Graph of(std::vector<Edge> edges, bool directed) {
  Graph graph{{}, std::move(edges), {}, directed};
  normalise(graph);
  return graph;
}

/// A triangle 1 2 3 with a tail 3-4, a loop and a repeat.
Graph paw(bool directed) {
  return of({{1, 2}, {2, 3}, {3, 1}, {2, 1}, {3, 4}, {4, 4}, {3, 4}}, directed);
}

TEST(NeighbourOracles, LabelsOfAPathOfThree) {
  const Graph graph = of({{1, 2}, {2, 3}}, false);
  EXPECT_EQ(community_labels(graph, 0), (std::vector<Id>{1, 2, 3}));
  EXPECT_EQ(community_labels(graph, 1), (std::vector<Id>{2, 1, 2}));
  EXPECT_EQ(community_labels(graph, 2), (std::vector<Id>{1, 2, 1})) << "the sides exchange their labels";
}

TEST(NeighbourOracles, ALabelCountsAsOftenAsTheEdgeIsListed) {
  EXPECT_EQ(community_labels(of({{1, 2}, {3, 2}, {2, 3}}, true), 1), (std::vector<Id>{2, 3, 2}));
}

TEST(NeighbourOracles, TrianglesAndClusteringOfAPaw) {
  EXPECT_EQ(triangles(paw(true)), (std::vector<std::uint64_t>{1, 1, 1, 0}));
  EXPECT_EQ(clustering(paw(false)), (std::vector<double>{1, 1, 1.0 / 3, 0}));
  // Directed: 1 2 both ways, 2->3, 3->1, 3->4. Between the neighbours of 1 leads 2->3 alone.
  EXPECT_EQ(clustering(paw(true)), (std::vector<double>{0.5, 0.5, 2.0 / 6, 0}));
}

TEST(NeighbourOracles, DegreesOfAPaw) {
  EXPECT_EQ(degrees(paw(true)), (std::vector<Degrees>{{2, 1}, {1, 2}, {1, 3}, {3, 1}}));
  EXPECT_EQ(degrees(paw(false)), (std::vector<Degrees>{{3, 3}, {3, 3}, {4, 4}, {3, 3}}));
}

TEST(NeighbourOracles, ModularityOfTwoTriangles) {
  const Graph graph = of({{0, 1}, {1, 2}, {0, 2}, {2, 3}, {3, 4}, {4, 5}, {3, 5}}, false);
  EXPECT_NEAR(modularity(graph, {0, 0, 0, 3, 3, 3}), 5.0 / 14, 1e-15);
  EXPECT_NEAR(modularity(graph, {0, 0, 0, 0, 0, 0}), 0, 1e-15);
}

TEST(NeighbourOracles, ModularityOfDirectedEdgesAndLoops) {
  EXPECT_NEAR(modularity(of({{0, 1}, {1, 2}, {2, 3}}, true), {0, 0, 2, 2}), 2.0 / 3 - (2.0 * 1 + 1 * 2) / 9, 1e-15);
  EXPECT_NEAR(modularity(of({{0, 0}, {1, 1}}, false), {0, 1}), 0.5, 1e-15);
  EXPECT_NEAR(modularity(of({{0, 0}, {1, 1}}, true), {0, 1}), 0.5, 1e-15);
}

TEST(NeighbourOracles, HubsOfAStar) {
  const Importance found = hubs_and_authorities(of({{1, 0}, {2, 0}, {3, 0}, {4, 0}}, true), 1);
  EXPECT_EQ(found.authorities, (std::vector<double>{1, 0, 0, 0, 0}));
  EXPECT_EQ(found.hubs, (std::vector<double>{0, .5, .5, .5, .5}));
}

TEST(NeighbourOracles, PersonalisedRanksOfAPairAndItsLimit) {
  // 1 -> 2, and 2 has no out-edge: its mass goes home.
  const Graph graph = of({{1, 2}}, true);
  const std::vector<double> once = personalised_pagerank(graph, 1, 1, 0.5);
  EXPECT_EQ(once, (std::vector<double>{.5, .5}));
  const std::vector<double> limit = personalised_pagerank(graph, 1, 200, 0.5);
  EXPECT_NEAR(limit[0], 2.0 / 3, 1e-15);
}

} // namespace
} // namespace oracle
