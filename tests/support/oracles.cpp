#include "support/oracles.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <queue>
#include <stdexcept>
#include <string>
#include <utility>

namespace oracle {
namespace {

using Ranks = std::vector<long double>;

/// One Jacobi round, scattering each rank over the out-arcs.
Ranks next_ranks(const std::vector<std::vector<Arc>>& arcs, const Ranks& ranks, long double damping) {
  const auto count = static_cast<long double>(ranks.size());
  Ranks sums(ranks.size(), 0);
  long double dangling = 0;
  for (std::size_t v = 0; v < ranks.size(); ++v) {
    if (arcs[v].empty()) dangling += ranks[v];
    for (const Arc& arc : arcs[v]) sums[arc.target] += ranks[v] / static_cast<long double>(arcs[v].size());
  }
  for (long double& sum : sums) sum = (1 - damping) / count + damping * (sum + dangling / count);
  return sums;
}

Ranks equal_ranks(const Graph& graph) {
  const std::size_t count = graph.vertices.size();
  return Ranks(count, count == 0 ? 0 : 1 / static_cast<long double>(count));
}

std::vector<double> rounded(const Ranks& ranks) {
  return {ranks.begin(), ranks.end()};
}

/// Union-find over positions; the root of a set is its smallest position, hence its smallest id.
class DisjointSets {
 public:
  explicit DisjointSets(std::size_t count) : parent_(count) {
    std::iota(parent_.begin(), parent_.end(), std::size_t{0});
  }
  std::size_t root(std::size_t v) {
    while (parent_[v] != v) v = parent_[v] = parent_[parent_[v]];
    return v;
  }
  void join(std::size_t a, std::size_t b) {
    const auto [low, high] = std::minmax({root(a), root(b)});
    parent_[high] = low;
  }

 private:
  std::vector<std::size_t> parent_;
};

} // namespace

void normalise(Graph& graph) {
  auto& vertices = graph.vertices;
  for (const auto& [source, target] : graph.edges) {
    vertices.push_back(source);
    vertices.push_back(target);
  }
  std::sort(vertices.begin(), vertices.end());
  vertices.erase(std::unique(vertices.begin(), vertices.end()), vertices.end());
}

std::size_t position(const Graph& graph, Id id) {
  const auto found = std::lower_bound(graph.vertices.begin(), graph.vertices.end(), id);
  if (found == graph.vertices.end() || *found != id) {
    throw std::out_of_range("no vertex " + std::to_string(id) + " in the oracle's graph");
  }
  return static_cast<std::size_t>(found - graph.vertices.begin());
}

std::vector<std::vector<Arc>> out_arcs(const Graph& graph) {
  std::vector<std::vector<Arc>> arcs(graph.vertices.size());
  for (std::size_t i = 0; i < graph.edges.size(); ++i) {
    const std::size_t source = position(graph, graph.edges[i].source);
    const std::size_t target = position(graph, graph.edges[i].target);
    const double weight = graph.weights.empty() ? 1 : graph.weights[i];
    arcs[source].push_back({target, weight});
    if (!graph.directed && source != target) arcs[target].push_back({source, weight});
  }
  return arcs;
}

std::vector<double> pagerank(const Graph& graph, std::size_t iterations, double damping) {
  const auto arcs = out_arcs(graph);
  Ranks ranks = equal_ranks(graph);
  for (std::size_t i = 0; i < iterations; ++i) ranks = next_ranks(arcs, ranks, damping);
  return rounded(ranks);
}

std::vector<double> converged_pagerank(const Graph& graph, double damping) {
  const auto arcs = out_arcs(graph);
  Ranks ranks = equal_ranks(graph);
  for (long double change = 1; change > 1e-17L;) {
    Ranks next = next_ranks(arcs, ranks, damping);
    change = 0;
    for (std::size_t v = 0; v < ranks.size(); ++v) change = std::max(change, std::abs(next[v] - ranks[v]));
    ranks = std::move(next);
  }
  return rounded(ranks);
}

std::vector<double> shortest_paths(const Graph& graph, Id source) {
  const auto arcs = out_arcs(graph);
  std::vector<double> distance(graph.vertices.size(), std::numeric_limits<double>::infinity());
  using Entry = std::pair<double, std::size_t>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> heap;
  distance[position(graph, source)] = 0;
  heap.emplace(0.0, position(graph, source));
  while (!heap.empty()) {
    const auto [from, v] = heap.top();
    heap.pop();
    if (from > distance[v]) continue; // reached by a shorter way since it was pushed
    for (const auto& [target, weight] : arcs[v]) {
      if (weight < 0) throw std::invalid_argument("the oracle of shortest paths needs weights >= 0");
      if (from + weight >= distance[target]) continue;
      distance[target] = from + weight;
      heap.emplace(distance[target], target);
    }
  }
  return distance;
}

std::vector<std::int64_t> bfs(const Graph& graph, Id source) {
  const auto arcs = out_arcs(graph);
  std::vector<std::int64_t> depth(graph.vertices.size(), kUnreachable);
  std::queue<std::size_t> queue;
  depth[position(graph, source)] = 0;
  queue.push(position(graph, source));
  for (; !queue.empty(); queue.pop()) {
    for (const Arc& arc : arcs[queue.front()]) {
      if (depth[arc.target] != kUnreachable) continue;
      depth[arc.target] = depth[queue.front()] + 1;
      queue.push(arc.target);
    }
  }
  return depth;
}

std::vector<Id> components(const Graph& graph) {
  DisjointSets sets(graph.vertices.size());
  for (const auto& [source, target] : graph.edges) sets.join(position(graph, source), position(graph, target));
  std::vector<Id> labels;
  for (std::size_t v = 0; v < graph.vertices.size(); ++v) labels.push_back(graph.vertices[sets.root(v)]);
  return labels;
}

} // namespace oracle
