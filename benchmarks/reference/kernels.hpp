// The reference kernels: what a good shared-memory program needs for the same work. Each has its own file that explains
// the algorithm. All use the threads that OpenMP is set to and allocate their results inside, as part of the measured
// time.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "csr.hpp"

namespace reference {

/// `rounds` synchronous updates from 1/n, n counting the vertices with arcs; others have rank 0. Real is float or
/// double.
template <class Real>
[[nodiscard]] Buffer<Real> pagerank(const Csr<Vertex>& graph, int rounds, Real damping);

/// Parent of every vertex in a breadth-first tree; the source is its own parent, unreached vertices have a negative
/// one.
[[nodiscard]] Buffer<std::int32_t> bfs(const Csr<Vertex>& graph, Vertex source);

/// A label per vertex, equal exactly within components (Shiloach-Vishkin).
[[nodiscard]] Buffer<Vertex> components_shiloach_vishkin(const Csr<Vertex>& graph);

/// The same by Afforest, which looks at two neighbours of each vertex and then only outside the largest component.
[[nodiscard]] Buffer<Vertex> components_afforest(const Csr<Vertex>& graph);

inline constexpr std::int32_t kUnreached = std::numeric_limits<std::int32_t>::max();

/// Distances from `source`, kUnreached where there is no path; `delta` is the width of a bucket.
[[nodiscard]] Buffer<std::int32_t> shortest_paths(const Csr<WeightedArc>& graph, Vertex source, std::int32_t delta);

/// Core numbers; the graph must have neither loops nor repeated edges.
[[nodiscard]] Buffer<std::int32_t> core_numbers(const Csr<Vertex>& graph);

/// Dependencies of `source` on every vertex (Brandes), not halved.
[[nodiscard]] Buffer<double> betweenness(const Csr<Vertex>& graph, Vertex source);

/// The listed edges with the direction in which they are listed.
struct DirectedCsr {
  Csr<Vertex> out, in;
};
[[nodiscard]] DirectedCsr build_directed(const EdgeList& list);

/// A label per vertex, equal exactly within strongly connected components.
[[nodiscard]] Buffer<Vertex> strong_components(const DirectedCsr& graph);

/// Triangles of the graph; loops and repeated edges are ignored.
[[nodiscard]] std::uint64_t count_triangles(const Csr<Vertex>& graph);

} // namespace reference
