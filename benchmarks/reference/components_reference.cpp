// Connected components in two ways. Both keep a forest in one array: component[v] is v's parent, smaller than v, or v
// itself for a root; a tree is one component found so far.
//
// Shiloach-Vishkin ("An O(log n) parallel connectivity algorithm", 1982, in the form of Bader, Cong and Feo, 2005):
// hook the root of the larger label under the smaller one along every arc, then halve all paths until the trees are
// stars; repeat until nothing hooks. Threads may overwrite each other's hook: the lost one is seen again in the next
// round.
//
// Afforest (Sutton, Ben-Nun, Barak: "Optimizing Parallel Graph Connectivity Computation via Subgraph Sampling", 2018):
// linking two arcs of each vertex joins nearly everything, so the component that a sample shows to be the largest can
// skip all its remaining arcs. Those that matter are seen from their other end.
#include <algorithm>
#include <atomic>
#include <random>
#include <unordered_map>

#include "kernels.hpp"

namespace reference {
namespace {

Vertex load(Vertex& place) {
  return std::atomic_ref(place).load(std::memory_order_relaxed);
}
void store(Vertex& place, Vertex value) {
  std::atomic_ref(place).store(value, std::memory_order_relaxed);
}

Buffer<Vertex> single_vertices(Vertex count) {
  Buffer<Vertex> component(count);
#pragma omp parallel for schedule(static)
  for (Vertex v = 0; v < count; ++v) component[v] = v;
  return component;
}

/// Points every vertex at its root.
void compress(Buffer<Vertex>& component) {
#pragma omp parallel for schedule(dynamic, 16384)
  for (std::size_t v = 0; v < component.size(); ++v) {
    while (true) {
      const Vertex parent = load(component[v]);
      const Vertex grandparent = load(component[parent]);
      if (parent == grandparent) break;
      store(component[v], grandparent);
    }
  }
}

/// One round of hooking; returns whether any root was hooked.
bool hook(const Csr<Vertex>& graph, Buffer<Vertex>& component) {
  bool changed = false;
#pragma omp parallel for schedule(dynamic, 16384) reduction(|| : changed)
  for (Vertex u = 0; u < graph.vertex_count(); ++u) {
    for (const Vertex v : graph.neighbours(u)) {
      const Vertex mine = load(component[u]);
      const Vertex other = load(component[v]);
      if (mine == other) continue;
      const auto [low, high] = std::minmax(mine, other);
      if (load(component[high]) != high) continue; // not a root: its own hook comes when paths are short
      store(component[high], low);
      changed = true;
    }
  }
  return changed;
}

/// Joins the trees of u and v: climbs from the larger label until one root hangs under the other.
void link(Vertex u, Vertex v, Buffer<Vertex>& component) {
  Vertex one = load(component[u]);
  Vertex other = load(component[v]);
  while (one != other) {
    const Vertex high = std::max(one, other);
    const Vertex low = std::min(one, other);
    Vertex parent = load(component[high]);
    if (parent == low) return;
    if (parent == high &&
        std::atomic_ref(component[high]).compare_exchange_strong(parent, low, std::memory_order_relaxed)) {
      return;
    }
    one = load(component[load(component[high])]);
    other = load(component[low]);
  }
}

Vertex most_frequent_in_sample(const Buffer<Vertex>& component) {
  constexpr int kSamples = 1024;
  std::mt19937_64 random(1);
  std::uniform_int_distribution<std::size_t> any(0, component.size() - 1);
  std::unordered_map<Vertex, int> seen;
  for (int i = 0; i < kSamples; ++i) ++seen[component[any(random)]];
  return std::max_element(seen.begin(), seen.end(), [](auto& a, auto& b) { return a.second < b.second; })->first;
}

} // namespace

Buffer<Vertex> components_shiloach_vishkin(const Csr<Vertex>& graph) {
  Buffer<Vertex> component = single_vertices(graph.vertex_count());
  while (hook(graph, component)) compress(component);
  return component;
}

Buffer<Vertex> components_afforest(const Csr<Vertex>& graph) {
  constexpr std::size_t kFirstArcs = 2;
  Buffer<Vertex> component = single_vertices(graph.vertex_count());
  if (component.size() == 0) return component;
  for (std::size_t k = 0; k < kFirstArcs; ++k) {
#pragma omp parallel for schedule(dynamic, 16384)
    for (Vertex u = 0; u < graph.vertex_count(); ++u) {
      if (k < graph.degree(u)) link(u, graph.neighbours(u)[k], component);
    }
    compress(component);
  }
  const Vertex largest = most_frequent_in_sample(component);
#pragma omp parallel for schedule(dynamic, 16384)
  for (Vertex u = 0; u < graph.vertex_count(); ++u) {
    if (load(component[u]) == largest || graph.degree(u) <= kFirstArcs) continue;
    for (const Vertex v : graph.neighbours(u).subspan(kFirstArcs)) link(u, v, component);
  }
  compress(component);
  return component;
}

} // namespace reference
