// Betweenness by Brandes ("A faster algorithm for betweenness centrality", 2001), one source at a time, level by level:
// outwards every vertex of a level adds its number of paths to its neighbours of the next one, backwards every vertex
// gathers the dependencies of its neighbours behind. The levels are stretches of one queue.
#include <atomic>
#include <vector>

#include "kernels.hpp"

namespace reference {
namespace {

constexpr std::int32_t kFar = -1;

/// What one wave leaves: depths, numbers of paths, the vertices in order of depth and where each depth begins.
struct Wave {
  explicit Wave(Vertex count) : depth(count), paths(count) {}
  Buffer<std::int32_t> depth;
  Buffer<double> paths;
  std::vector<Vertex> order;
  std::vector<std::size_t> begins;
};

void go_outwards(const Csr<Vertex>& graph, Vertex source, Wave& wave) {
#pragma omp parallel for schedule(static)
  for (std::size_t v = 0; v < wave.depth.size(); ++v) {
    wave.depth[v] = kFar;
    wave.paths[v] = 0;
  }
  wave.depth[source] = 0;
  wave.paths[source] = 1;
  wave.order.assign(1, source);
  wave.begins.assign(1, 0);
  for (std::int32_t level = 1; wave.begins.back() < wave.order.size(); ++level) {
    const std::size_t begin = wave.begins.back();
    const std::size_t end = wave.order.size();
    wave.begins.push_back(end);
    std::vector<Vertex> next;
#pragma omp parallel
    {
      std::vector<Vertex> mine;
#pragma omp for schedule(dynamic, 64) nowait
      for (std::size_t i = begin; i < end; ++i) {
        const Vertex v = wave.order[i];
        for (const Vertex w : graph.neighbours(v)) {
          const std::atomic_ref depth(wave.depth[w]);
          std::int32_t seen = depth.load(std::memory_order_relaxed);
          if (seen == kFar && depth.compare_exchange_strong(seen, level, std::memory_order_relaxed)) {
            mine.push_back(w);
            seen = level;
          }
          if (seen == level) std::atomic_ref(wave.paths[w]).fetch_add(wave.paths[v], std::memory_order_relaxed);
        }
      }
#pragma omp critical
      next.insert(next.end(), mine.begin(), mine.end());
    }
    wave.order.insert(wave.order.end(), next.begin(), next.end());
  }
  wave.begins.pop_back(); // the last level was empty: what is left ends with the queue
}

void come_back(const Csr<Vertex>& graph, const Wave& wave, Buffer<double>& delta, Buffer<double>& centrality) {
  std::size_t end = wave.order.size();
  for (std::size_t level = wave.begins.size(); level-- > 0; end = wave.begins[level]) {
#pragma omp parallel for schedule(dynamic, 64)
    for (std::size_t i = wave.begins[level]; i < end; ++i) {
      const Vertex v = wave.order[i];
      double sum = 0;
      for (const Vertex w : graph.neighbours(v)) {
        if (wave.depth[w] == wave.depth[v] + 1) sum += (1 + delta[w]) / wave.paths[w];
      }
      delta[v] = wave.paths[v] * sum;
      if (level > 0) centrality[v] += delta[v];
    }
  }
}

} // namespace

Buffer<double> betweenness(const Csr<Vertex>& graph, Vertex source) {
  Buffer<double> centrality(graph.vertex_count());
  Buffer<double> delta(graph.vertex_count());
#pragma omp parallel for schedule(static)
  for (Vertex v = 0; v < graph.vertex_count(); ++v) centrality[v] = 0;
  Wave wave(graph.vertex_count());
  go_outwards(graph, source, wave);
  come_back(graph, wave, delta, centrality);
  return centrality;
}

} // namespace reference
