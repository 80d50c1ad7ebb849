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

/// Triangles of the graph; loops and repeated edges are ignored.
[[nodiscard]] std::uint64_t count_triangles(const Csr<Vertex>& graph);

} // namespace reference
