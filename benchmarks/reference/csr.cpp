// Counting sort by endpoint: count, sum up, scatter, then sort each list. The counters are shared by the threads;
// atomic increments on millions of different counters seldom meet, and this is not what the benchmark times.
#include "csr.hpp"

#include <algorithm>
#include <atomic>

namespace reference {
namespace {

std::uint64_t next_place(std::uint64_t& counter) {
  return std::atomic_ref(counter).fetch_add(1, std::memory_order_relaxed);
}

template <class Arc>
Arc make_arc(Vertex to, Weight weight) {
  if constexpr (std::is_same_v<Arc, WeightedArc>) {
    return {to, weight};
  } else {
    static_cast<void>(weight);
    return to;
  }
}

/// places[v] = number of arcs of v; then where they start.
Buffer<std::uint64_t> first_places(const EdgeList& list) {
  Buffer<std::uint64_t> places(std::size_t{list.vertex_count} + 1);
  std::fill(places.begin(), places.end(), 0);
  const auto edge_count = static_cast<std::int64_t>(list.edges.size());
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < edge_count; ++i) {
    const auto [u, v] = list.edges[static_cast<std::size_t>(i)];
    next_place(places[u]);
    if (u != v) next_place(places[v]);
  }
  std::uint64_t sum = 0;
  for (auto& place : places) {
    const std::uint64_t count = place;
    place = sum;
    sum += count;
  }
  return places;
}

template <class Arc>
void sort_lists(Csr<Arc>& graph) {
#pragma omp parallel for schedule(dynamic, 4096)
  for (Vertex v = 0; v < graph.vertex_count(); ++v) {
    std::sort(graph.arcs.data() + graph.offsets[v], graph.arcs.data() + graph.offsets[v + 1]);
  }
}

} // namespace

template <class Arc>
Vertex Csr<Arc>::present_count() const noexcept {
  Vertex present = 0;
  for (Vertex v = 0; v < vertex_count(); ++v) present += degree(v) > 0 ? 1 : 0;
  return present;
}

template <class Arc>
Csr<Arc> build_csr(const EdgeList& list) {
  Csr<Arc> graph{first_places(list), {}};
  Buffer<std::uint64_t> places(graph.offsets.size());
  std::copy(graph.offsets.begin(), graph.offsets.end(), places.begin());
  graph.arcs = Buffer<Arc>(graph.offsets[list.vertex_count]);
  const auto edge_count = static_cast<std::int64_t>(list.edges.size());
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < edge_count; ++i) {
    const auto index = static_cast<std::size_t>(i);
    const auto [u, v] = list.edges[index];
    const Weight weight = list.weights.empty() ? 1 : list.weights[index];
    graph.arcs[next_place(places[u])] = make_arc<Arc>(v, weight);
    if (u != v) graph.arcs[next_place(places[v])] = make_arc<Arc>(u, weight);
  }
  sort_lists(graph);
  return graph;
}

template struct Csr<Vertex>;
template struct Csr<WeightedArc>;
template Csr<Vertex> build_csr<Vertex>(const EdgeList&);
template Csr<WeightedArc> build_csr<WeightedArc>(const EdgeList&);

} // namespace reference
