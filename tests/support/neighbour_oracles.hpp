// Oracles of the kernels that look at neighbours and at links: community labels, triangles, clustering, degrees, hubs
// and authorities, personalised ranks. Independent of the engine as oracles.hpp says: maps where the engine counts in
// tables, all pairs of neighbours where it intersects lists, a dense matrix in long double where it sends messages.
//
// All results list one value per vertex in the order of Graph::vertices.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "support/oracles.hpp"

namespace oracle {

/// Labels after `rounds` synchronous rounds from the ids: the most frequent one among the far ends of all edges at a
/// vertex (a loop once), the smallest of several.
[[nodiscard]] std::vector<Id> community_labels(const Graph& graph, std::size_t rounds);

/// Modularity by its definition as a sum over all ordered pairs of vertices in the same community: edges between them
/// less the product of their degrees over the number of edges (undirected edges are one each way). 0 without edges.
[[nodiscard]] double modularity(const Graph& graph, const std::vector<Id>& communities);

/// Triangles through each vertex of the simple undirected graph: loops, repeats and directions are ignored.
[[nodiscard]] std::vector<std::uint64_t> triangles(const Graph& graph);

/// Edges between the neighbours of a vertex over d(d-1) for d neighbours; each direction counts, an undirected edge
/// twice. 0 for d < 2. Loops and repeats are ignored.
[[nodiscard]] std::vector<double> clustering(const Graph& graph);

struct Degrees {
  std::uint64_t in = 0, out = 0;
  friend bool operator==(const Degrees&, const Degrees&) = default;
};
/// Edges that enter and leave; equal in an undirected graph. A loop counts once each way.
[[nodiscard]] std::vector<Degrees> degrees(const Graph& graph);

struct Importance {
  std::vector<double> hubs, authorities;
};
/// `updates` rounds from 1/sqrt(n): authorities from hubs, then hubs from authorities, each scaled to length 1 (all
/// zero if there is no edge).
[[nodiscard]] Importance hubs_and_authorities(const Graph& graph, std::size_t updates);

/// `iterations` Jacobi rounds from all mass at `source`: rank = d * sum over in-arcs of rank/outdegree, and the source
/// also gets 1-d and d times the rank of the vertices without out-arcs.
[[nodiscard]] std::vector<double> personalised_pagerank(const Graph& graph, Id source, std::size_t iterations,
                                                        double damping = 0.85);

} // namespace oracle
