// Core numbers by parallel peeling (ParK: Dasari, Desh, Zubair, "ParK: An efficient algorithm for k-core decomposition
// on multi-core processors", 2014). At each level one scan over the vertices finds those whose remaining degree is the
// level; they form the first front. Taking a vertex out lowers its neighbours' degrees, and whoever comes down to the
// level joins the next front. A degree that falls below the level, because two threads took neighbours out at once, is
// lifted back: the level is what the vertex's core number is then.
#include <atomic>
#include <vector>

#include "kernels.hpp"

namespace reference {
namespace {

using Front = std::vector<Vertex>;

void append(Front& all, const Front& mine) {
#pragma omp critical
  all.insert(all.end(), mine.begin(), mine.end());
}

Front scan(const Buffer<std::int32_t>& degree, std::int32_t level) {
  Front front;
#pragma omp parallel
  {
    Front mine;
#pragma omp for schedule(static) nowait
    for (std::size_t v = 0; v < degree.size(); ++v) {
      if (degree[v] == level) mine.push_back(static_cast<Vertex>(v));
    }
    append(front, mine);
  }
  return front;
}

Front peel(const Csr<Vertex>& graph, Buffer<std::int32_t>& degree, const Front& front, std::int32_t level) {
  Front next;
#pragma omp parallel
  {
    Front mine;
#pragma omp for schedule(dynamic, 64) nowait
    for (std::size_t i = 0; i < front.size(); ++i) {
      for (const Vertex u : graph.neighbours(front[i])) {
        const std::atomic_ref left(degree[u]);
        if (left.load(std::memory_order_relaxed) <= level) continue;
        const std::int32_t before = left.fetch_sub(1, std::memory_order_relaxed);
        if (before == level + 1) mine.push_back(u);
        if (before <= level) left.fetch_add(1, std::memory_order_relaxed);
      }
    }
    append(next, mine);
  }
  return next;
}

} // namespace

Buffer<std::int32_t> core_numbers(const Csr<Vertex>& graph) {
  Buffer<std::int32_t> degree(graph.vertex_count());
#pragma omp parallel for schedule(static)
  for (Vertex v = 0; v < graph.vertex_count(); ++v) degree[v] = static_cast<std::int32_t>(graph.degree(v));
  std::size_t done = 0;
  for (std::int32_t level = 0; done < degree.size(); ++level) {
    for (Front front = scan(degree, level); !front.empty(); front = peel(graph, degree, front, level))
      done += front.size();
  }
  return degree;
}

} // namespace reference
