// Oracles: sequential programs that know the right answer. They are independent of the engine on purpose: their own
// graph type, other methods (Dijkstra with a heap, a queue, union-find, long double), no MPI, no code of any library.
// Slow and obvious beats fast.
//
// All results list one value per vertex in the order of Graph::vertices.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace oracle {

using Id = std::uint64_t;

struct Edge {
  Id source = 0;
  Id target = 0;
  friend auto operator<=>(const Edge&, const Edge&) = default;
};

/// A graph as a file lists it. Loops and repeated edges count as often as they are listed.
struct Graph {
  std::vector<Id> vertices;    ///< ascending, no repeats, all endpoints included: normalise() sees to it
  std::vector<Edge> edges;     ///< in the order of the file
  std::vector<double> weights; ///< one an edge, or empty: all are 1
  bool directed = true;        ///< if not, each edge counts both ways; a loop is one arc all the same
};

/// Adds missing endpoints to `vertices` and sorts them. Every oracle expects that this has been done.
void normalise(Graph& graph);

/// Position of `id` in graph.vertices; throws std::out_of_range for an id that is not there.
[[nodiscard]] std::size_t position(const Graph& graph, Id id);

/// An arc to the vertex at position `target`.
struct Arc {
  std::size_t target;
  double weight;
};

/// Out-arcs by position, each list in the order of the edges.
[[nodiscard]] std::vector<std::vector<Arc>> out_arcs(const Graph& graph);

/// `iterations` Jacobi rounds from 1/n: rank = (1-d)/n + d * (sum over in-arcs of rank/outdegree + dangling/n), where
/// `dangling` is the rank of the vertices without out-arcs. Computed in long double.
[[nodiscard]] std::vector<double> pagerank(const Graph& graph, std::size_t iterations, double damping = 0.85);

/// The same until no rank changes by more than 1e-17.
[[nodiscard]] std::vector<double> converged_pagerank(const Graph& graph, double damping = 0.85);

/// Length of the shortest path from `source`, infinity where there is none. Weights must not be negative.
[[nodiscard]] std::vector<double> shortest_paths(const Graph& graph, Id source);

inline constexpr std::int64_t kUnreachable = std::numeric_limits<std::int64_t>::max();

/// Fewest arcs from `source`, kUnreachable where there is no path.
[[nodiscard]] std::vector<std::int64_t> bfs(const Graph& graph, Id source);

/// Smallest id of the component; directions are ignored.
[[nodiscard]] std::vector<Id> components(const Graph& graph);

} // namespace oracle
