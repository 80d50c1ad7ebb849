// Strongly connected components of the listed edges, taken as directed, by the multistep method (Slota, Rajamanickam,
// Madduri, "BFS and coloring-based parallel algorithms for strongly connected components", IPDPS 2014): vertices
// without live arcs in or out are trimmed, the component of the vertex with most arcs is where the searches from it
// along and against the arcs meet, and the rest is coloured: the largest id that reaches a vertex is its colour, and
// what a root reaches backwards within its colour is its component.
#include <algorithm>
#include <atomic>
#include <utility>
#include <vector>

#include "kernels.hpp"

namespace reference {
namespace {

constexpr Vertex kLive = ~Vertex{0};

struct Components {
  const Csr<Vertex>& out;
  const Csr<Vertex>& in;
  Buffer<Vertex> component; ///< kLive: not known yet

  [[nodiscard]] bool live(Vertex v) { return std::atomic_ref(component[v]).load(std::memory_order_relaxed) == kLive; }
};

/// Rows by the first end of each pair (edge.u if `forward`, else edge.v); loops are left out.
Csr<Vertex> rows(const EdgeList& list, bool forward) {
  Csr<Vertex> csr;
  const auto ends = [&](const Edge& edge) { return forward ? std::pair(edge.u, edge.v) : std::pair(edge.v, edge.u); };
  std::vector<std::uint64_t> next(list.vertex_count + std::size_t{1}, 0);
  for (const Edge& edge : list.edges) {
    if (edge.u != edge.v) ++next[ends(edge).first + std::size_t{1}];
  }
  for (std::size_t v = 0; v < list.vertex_count; ++v) next[v + 1] += next[v];
  csr.offsets = Buffer<std::uint64_t>(next.size());
  std::copy(next.begin(), next.end(), csr.offsets.begin());
  csr.arcs = Buffer<Vertex>(next.back());
  for (const Edge& edge : list.edges) {
    if (edge.u != edge.v) csr.arcs[next[ends(edge).first]++] = ends(edge).second;
  }
#pragma omp parallel for schedule(dynamic, 1024)
  for (Vertex v = 0; v < list.vertex_count; ++v)
    std::sort(csr.arcs.data() + csr.offsets[v], csr.arcs.data() + csr.offsets[v + std::size_t{1}]);
  return csr;
}

/// Trims until nothing changes.
void trim(Components& all) {
  for (bool changed = true; changed;) {
    changed = false;
#pragma omp parallel for schedule(dynamic, 4096) reduction(|| : changed)
    for (Vertex v = 0; v < all.component.size(); ++v) {
      if (!all.live(v)) continue;
      const auto any_live = [&](const Csr<Vertex>& arcs) {
        return std::ranges::any_of(arcs.neighbours(v), [&](Vertex u) { return all.live(u); });
      };
      if (any_live(all.in) && any_live(all.out)) continue;
      std::atomic_ref(all.component[v]).store(v, std::memory_order_relaxed);
      changed = true;
    }
  }
}

/// Marks what is reached from `front` through live vertices that `may_enter`.
template <class MayEnter>
void search(const Csr<Vertex>& arcs, std::vector<Vertex> front, Buffer<std::uint8_t>& marks, std::uint8_t mark,
            const MayEnter& may_enter) {
  for (const Vertex v : front) marks[v] |= mark;
  while (!front.empty()) {
    std::vector<Vertex> next;
#pragma omp parallel
    {
      std::vector<Vertex> mine;
#pragma omp for schedule(dynamic, 64) nowait
      for (std::size_t i = 0; i < front.size(); ++i) {
        for (const Vertex u : arcs.neighbours(front[i])) {
          const std::atomic_ref flags(marks[u]);
          if ((flags.load(std::memory_order_relaxed) & mark) != 0 || !may_enter(front[i], u)) continue;
          if ((flags.fetch_or(mark, std::memory_order_relaxed) & mark) == 0) mine.push_back(u);
        }
      }
#pragma omp critical
      next.insert(next.end(), mine.begin(), mine.end());
    }
    front = std::move(next);
  }
}

void clear(Buffer<std::uint8_t>& marks) {
#pragma omp parallel for schedule(static)
  for (std::size_t v = 0; v < marks.size(); ++v) marks[v] = 0;
}

void take_giant(Components& all, Buffer<std::uint8_t>& marks) {
  const auto count = static_cast<Vertex>(all.component.size());
  Vertex pivot = kLive;
  const auto arcs = [&](Vertex v) { return std::min(all.in.degree(v), all.out.degree(v)); };
  for (Vertex v = 0; v < count; ++v)
    if (all.live(v) && (pivot == kLive || arcs(v) > arcs(pivot))) pivot = v;
  if (pivot == kLive) return;
  clear(marks);
  const auto is_live = [&](Vertex, Vertex u) { return all.live(u); };
  search(all.out, {pivot}, marks, 1, is_live);
  search(all.in, {pivot}, marks, 2, is_live);
#pragma omp parallel for schedule(static)
  for (Vertex v = 0; v < count; ++v)
    if (marks[v] == 3) all.component[v] = pivot;
}

/// One round of colours; false if nobody was live.
bool take_colours(Components& all, Buffer<std::uint8_t>& marks, Buffer<Vertex>& colour) {
  const auto count = static_cast<Vertex>(all.component.size());
#pragma omp parallel for schedule(static)
  for (Vertex v = 0; v < count; ++v) colour[v] = v;
  for (bool changed = true; changed;) {
    changed = false;
#pragma omp parallel for schedule(dynamic, 4096) reduction(|| : changed)
    for (Vertex v = 0; v < count; ++v) {
      if (!all.live(v)) continue;
      for (const Vertex u : all.in.neighbours(v)) {
        const Vertex theirs = std::atomic_ref(colour[u]).load(std::memory_order_relaxed);
        if (!all.live(u) || theirs <= colour[v]) continue;
        std::atomic_ref(colour[v]).store(theirs, std::memory_order_relaxed);
        changed = true;
      }
    }
  }
  std::vector<Vertex> roots;
  for (Vertex v = 0; v < count; ++v)
    if (all.live(v) && colour[v] == v) roots.push_back(v);
  clear(marks);
  search(all.in, roots, marks, 1, [&](Vertex v, Vertex u) { return all.live(u) && colour[u] == colour[v]; });
#pragma omp parallel for schedule(static)
  for (Vertex v = 0; v < count; ++v)
    if (marks[v] != 0) all.component[v] = colour[v];
  return !roots.empty();
}

} // namespace

DirectedCsr build_directed(const EdgeList& list) {
  return {rows(list, true), rows(list, false)};
}

Buffer<Vertex> strong_components(const DirectedCsr& graph) {
  const Vertex count = graph.out.vertex_count();
  Components all{graph.out, graph.in, Buffer<Vertex>(count)};
#pragma omp parallel for schedule(static)
  for (Vertex v = 0; v < count; ++v) all.component[v] = kLive;
  Buffer<std::uint8_t> marks(count);
  Buffer<Vertex> colour(count);
  trim(all);
  take_giant(all, marks);
  do trim(all);
  while (take_colours(all, marks, colour));
  return std::move(all.component);
}

} // namespace reference
