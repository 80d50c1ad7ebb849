#include "support/awkward_graphs.hpp"

#include <limits>
#include <random>
#include <utility>

namespace oracle {
namespace {

constexpr bool kDirected = true;
constexpr bool kUndirected = false;
/// 2^64 - 1 means "no vertex" to the engine, so this is the largest id of all.
constexpr Id kLargestId = std::numeric_limits<Id>::max() - 1;

Graph made_of(std::vector<Id> vertices, std::vector<Edge> edges, bool directed) {
  Graph graph{std::move(vertices), std::move(edges), {}, directed};
  normalise(graph);
  return graph;
}

Graph star(Id leaves, bool directed) {
  std::vector<Edge> edges;
  for (Id leaf = 1; leaf <= leaves; ++leaf) edges.push_back({0, leaf});
  return made_of({}, edges, directed);
}

/// All edges point at the centre, which dangles.
Graph star_inwards(Id leaves) {
  std::vector<Edge> edges;
  for (Id leaf = 1; leaf <= leaves; ++leaf) edges.push_back({leaf, 0});
  return made_of({}, edges, kDirected);
}

Graph chain(Id vertices, bool directed) {
  std::vector<Edge> edges;
  for (Id v = 0; v + 1 < vertices; ++v) edges.push_back({v, v + 1});
  return made_of({}, edges, directed);
}

Graph complete(Id vertices) {
  std::vector<Edge> edges;
  for (Id u = 0; u < vertices; ++u) {
    for (Id v = u + 1; v < vertices; ++v) edges.push_back({u, v});
  }
  return made_of({}, edges, kUndirected);
}

/// Two triangles, one of them with a tail, and a pair. Their ids interleave, so that ranks share all components.
Graph separate_components() {
  return made_of({}, {{0, 2}, {2, 4}, {4, 0}, {4, 6}, {1, 3}, {3, 5}, {5, 1}, {7, 8}}, kUndirected);
}

Graph bipartite(Id left, Id right) {
  std::vector<Edge> edges;
  for (Id u = 0; u < left; ++u) {
    for (Id v = 0; v < right; ++v) edges.push_back({u, left + v});
  }
  return made_of({}, edges, kUndirected);
}

Graph binary_tree(Id vertices, bool directed) {
  std::vector<Edge> edges;
  for (Id v = 1; v < vertices; ++v) edges.push_back({(v - 1) / 2, v});
  return made_of({}, edges, directed);
}

Graph repeated_edges(bool directed) {
  return made_of({}, {{0, 1}, {0, 1}, {1, 0}, {1, 2}, {1, 2}, {1, 2}, {2, 2}, {2, 2}, {3, 0}}, directed);
}

/// Ids at the upper end of 64 bits and around 2^63 and 2^32, where signed or narrow arithmetic fails.
Graph huge_ids(bool directed) {
  constexpr Id kHalf = Id{1} << 63U;
  constexpr Id kNarrow = Id{1} << 32U;
  return made_of({kNarrow},
                 {{kLargestId, kLargestId - 1},
                  {kLargestId - 1, kHalf},
                  {kHalf, kHalf - 1},
                  {kHalf - 1, kNarrow - 1},
                  {kNarrow - 1, 0},
                  {0, kLargestId}},
                 directed);
}

/// Ids with gaps; under `modulo` by 2, 3 and 4 whole ranks stay empty.
Graph gappy_ids(bool directed) {
  return made_of({12}, {{1200, 24}, {24, 36000}, {36000, 1200}, {24, 48}, {600012, 48}}, directed);
}

/// A cycle 0..4 with a tail that leads into it and one that leads out.
Graph cycle_with_tails() {
  return made_of({}, {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 0}, {10, 11}, {11, 2}, {3, 20}, {20, 21}, {21, 22}},
                 kDirected);
}

/// Half of the vertices have no out-edge, one has nothing at all.
Graph dangling() {
  return made_of({9}, {{0, 5}, {1, 5}, {1, 6}, {2, 7}, {3, 8}, {4, 0}, {4, 8}, {0, 1}}, kDirected);
}

/// Numbers 0 .. bound-1 that are the same with every standard library, unlike std::uniform_int_distribution.
std::uint64_t below(std::mt19937_64& random, std::uint64_t bound) {
  return (random() >> 32U) * bound >> 32U;
}

} // namespace

Graph random_graph(std::size_t vertices, std::size_t edges, bool directed, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Graph graph;
  graph.directed = directed;
  for (Id v = 0; v < vertices; ++v) graph.vertices.push_back(v);
  for (std::size_t i = 0; vertices > 0 && i < edges; ++i) {
    const Id source = below(random, vertices);
    const Id target = below(random, vertices);
    graph.edges.push_back({source, target});
  }
  normalise(graph);
  return graph;
}

Graph with_weights(Graph graph, std::uint64_t seed, unsigned largest) {
  std::mt19937_64 random(seed);
  graph.weights.clear();
  for (std::size_t i = 0; i < graph.edges.size(); ++i) {
    graph.weights.push_back(static_cast<double>(1 + below(random, largest)));
  }
  return graph;
}

Graph with_direction(Graph graph, bool directed) {
  graph.directed = directed;
  return graph;
}

std::vector<NamedGraph> awkward_graphs() {
  return {
      {"no_vertices", made_of({}, {}, kDirected)},
      {"one_vertex", made_of({5}, {}, kUndirected)},
      {"isolated_vertices", made_of({0, 1, 2, 3, 7, 8, 100}, {}, kDirected)},
      {"one_vertex_with_loop", made_of({}, {{3, 3}}, kDirected)},
      {"one_vertex_with_loop_undirected", made_of({}, {{3, 3}}, kUndirected)},
      {"one_edge", made_of({}, {{1, 0}}, kDirected)},
      {"repeated_edges", repeated_edges(kDirected)},
      {"repeated_edges_undirected", repeated_edges(kUndirected)},
      {"star", star(40, kUndirected)},
      {"star_outwards", star(40, kDirected)},
      {"star_inwards", star_inwards(40)},
      {"chain", chain(50, kUndirected)},
      {"chain_directed", chain(50, kDirected)},
      {"separate_components", separate_components()},
      {"complete", complete(12)},
      {"bipartite", bipartite(5, 9)},
      {"binary_tree", binary_tree(31, kUndirected)},
      {"binary_tree_directed", binary_tree(31, kDirected)},
      {"huge_ids", huge_ids(kDirected)},
      {"huge_ids_undirected", huge_ids(kUndirected)},
      {"gappy_ids", gappy_ids(kDirected)},
      {"gappy_ids_undirected", gappy_ids(kUndirected)},
      {"cycle_with_tails", cycle_with_tails()},
      {"dangling", dangling()},
      {"random_sparse_directed", random_graph(60, 70, kDirected, 1)},
      {"random_sparse_undirected", random_graph(60, 40, kUndirected, 2)},
      {"random_dense_directed", random_graph(25, 300, kDirected, 3)},
      {"random_dense_undirected", random_graph(25, 200, kUndirected, 4)},
      {"random_medium_directed", random_graph(200, 1000, kDirected, 5)},
      {"random_medium_undirected", random_graph(200, 800, kUndirected, 6)},
  };
}

} // namespace oracle
