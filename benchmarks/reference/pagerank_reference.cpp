// PageRank by pulling: every round first turns ranks into contributions rank/degree, then each vertex adds up those of
// its neighbours. Nobody writes what another thread writes, so there is not one atomic. As in the GAP benchmark, mass
// of vertices without arcs is ignored (in an undirected graph they are isolated) and float suffices; unlike its newer
// versions new values are not used within the round, so that the result is that of the synchronous definition.
#include <algorithm>

#include "kernels.hpp"

namespace reference {

template <class Real>
Buffer<Real> pagerank(const Csr<Vertex>& graph, int rounds, Real damping) {
  const Vertex count = graph.vertex_count();
  const Vertex present = graph.present_count();
  const Real start = Real{1} / static_cast<Real>(present);
  const Real base = (Real{1} - damping) / static_cast<Real>(present);
  Buffer<Real> rank(count);
  Buffer<Real> contribution(count);
#pragma omp parallel for schedule(static)
  for (Vertex v = 0; v < count; ++v) rank[v] = graph.degree(v) > 0 ? start : Real{0};
  for (int round = 0; round < rounds; ++round) {
#pragma omp parallel for schedule(static)
    for (Vertex v = 0; v < count; ++v) {
      contribution[v] = rank[v] / static_cast<Real>(std::max<std::uint64_t>(graph.degree(v), 1));
    }
#pragma omp parallel for schedule(dynamic, 16384)
    for (Vertex v = 0; v < count; ++v) {
      Real sum{0};
      for (const Vertex neighbour : graph.neighbours(v)) sum += contribution[neighbour];
      if (graph.degree(v) > 0) rank[v] = base + damping * sum;
    }
  }
  return rank;
}

template Buffer<float> pagerank(const Csr<Vertex>&, int, float);
template Buffer<double> pagerank(const Csr<Vertex>&, int, double);

} // namespace reference
