// Triangle counting along a degree order: vertices are renumbered by descending degree, each keeps its neighbours of
// smaller number, and every edge adds what the two lists that it joins have in common, found by merging them (Chiba and
// Nishizeki, 1985; in parallel as a loop over vertices, as most shared-memory frameworks have it). The whole graph is
// counted, not the vertices; renumbering is part of the time.
#include <algorithm>
#include <numeric>
#include <vector>

#include "kernels.hpp"

namespace reference {
namespace {

/// The simple graph, oriented: neighbours of smaller number, ascending.
Csr<Vertex> orient(const Csr<Vertex>& graph) {
  const Vertex n = graph.vertex_count();
  std::vector<Vertex> order(n);
  std::iota(order.begin(), order.end(), Vertex{0});
  std::sort(order.begin(), order.end(), [&](Vertex a, Vertex b) {
    return graph.degree(a) != graph.degree(b) ? graph.degree(a) > graph.degree(b) : a < b;
  });
  std::vector<Vertex> number(n);
  for (Vertex i = 0; i < n; ++i) number[order[i]] = i;

  std::vector<std::vector<Vertex>> lists(n);
#pragma omp parallel for schedule(dynamic, 1024)
  for (Vertex i = 0; i < n; ++i) {
    std::vector<Vertex>& list = lists[i];
    for (const Vertex neighbour : graph.neighbours(order[i]))
      if (number[neighbour] < i) list.push_back(number[neighbour]);
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }
  Csr<Vertex> oriented;
  oriented.offsets = Buffer<std::uint64_t>(n + std::size_t{1});
  oriented.offsets[0] = 0;
  for (Vertex i = 0; i < n; ++i) oriented.offsets[i + 1] = oriented.offsets[i] + lists[i].size();
  oriented.arcs = Buffer<Vertex>(oriented.offsets[n]);
#pragma omp parallel for schedule(dynamic, 1024)
  for (Vertex i = 0; i < n; ++i) std::copy(lists[i].begin(), lists[i].end(), &oriented.arcs[0] + oriented.offsets[i]);
  return oriented;
}

} // namespace

std::uint64_t count_triangles(const Csr<Vertex>& graph) {
  const Csr<Vertex> oriented = orient(graph);
  std::uint64_t total = 0;
#pragma omp parallel for schedule(dynamic, 64) reduction(+ : total)
  for (Vertex u = 0; u < oriented.vertex_count(); ++u) {
    const auto list = oriented.neighbours(u);
    for (const Vertex v : list) {
      auto at = list.begin();
      for (const Vertex w : oriented.neighbours(v)) { // all below v, as the list's own before v
        while (*at < w) ++at;
        total += *at == w ? 1 : 0;
      }
    }
  }
  return total;
}

} // namespace reference
