// Shortest paths by delta-stepping (Meyer, Sanders: "Δ-stepping: a parallelizable shortest path algorithm", 2003), with
// the two ideas of the GAP benchmark: each thread has its own buckets, of which only the current one is merged into a
// shared frontier at a barrier, and a thread whose new work for the current bucket is small does it at once, without a
// barrier (bucket fusion: Zhang et al., "Optimizing Ordered Graph Algorithms with GraphIt", 2020). Vertices whose
// distance fell again meanwhile stay in their old bucket and are recognised by their distance when it is opened.
#include <algorithm>
#include <atomic>

#include <omp.h>

#include "kernels.hpp"

namespace reference {
namespace {

constexpr std::size_t kNoBucket = std::numeric_limits<std::size_t>::max();
constexpr std::size_t kFusionLimit = 1000;

/// The buckets of one thread.
class Buckets {
 public:
  void put(std::size_t bucket, Vertex v) {
    if (bucket >= buckets_.size()) buckets_.resize(bucket + 1);
    buckets_[bucket].push_back(v);
  }
  [[nodiscard]] std::vector<Vertex>* at(std::size_t bucket) {
    return bucket < buckets_.size() ? &buckets_[bucket] : nullptr;
  }
  [[nodiscard]] std::size_t first_filled(std::size_t from) const {
    for (std::size_t bucket = from; bucket < buckets_.size(); ++bucket) {
      if (!buckets_[bucket].empty()) return bucket;
    }
    return kNoBucket;
  }

 private:
  std::vector<std::vector<Vertex>> buckets_;
};

void relax_arcs(const Csr<WeightedArc>& graph, Vertex u, std::int32_t delta, Buffer<std::int32_t>& distance,
                Buckets& buckets) {
  const std::int32_t from = std::atomic_ref(distance[u]).load(std::memory_order_relaxed);
  for (const WeightedArc arc : graph.neighbours(u)) {
    std::atomic_ref place(distance[arc.vertex]);
    const std::int32_t shorter = from + arc.weight;
    std::int32_t old = place.load(std::memory_order_relaxed);
    while (shorter < old) {
      if (place.compare_exchange_weak(old, shorter, std::memory_order_relaxed)) {
        buckets.put(static_cast<std::size_t>(shorter / delta), arc.vertex);
        break;
      }
    }
  }
}

/// The bucket fusion of one thread: goes on with what fell into its current bucket as long as that is little.
void drain_small(const Csr<WeightedArc>& graph, std::size_t current, std::int32_t delta, Buffer<std::int32_t>& distance,
                 Buckets& buckets, std::vector<Vertex>& work) {
  for (auto* bucket = buckets.at(current); bucket != nullptr && !bucket->empty() && bucket->size() < kFusionLimit;
       bucket = buckets.at(current)) {
    work.swap(*bucket);
    bucket->clear();
    for (const Vertex u : work) relax_arcs(graph, u, delta, distance, buckets);
    work.clear();
  }
}

/// What the threads share between two barriers.
struct Round {
  std::vector<Vertex> frontier;
  std::size_t current = 0;
  std::size_t next = kNoBucket;
  std::size_t next_size = 0;
};

/// One thread's part of closing a round: agrees on the next bucket and moves its share of it into the frontier. All
/// threads of the team call it together.
void merge_next_bucket(Round& round, Buckets& buckets) {
  const std::size_t mine = buckets.first_filled(round.current);
#pragma omp critical
  round.next = std::min(round.next, mine);
#pragma omp barrier
  std::vector<Vertex>* const share = round.next == kNoBucket ? nullptr : buckets.at(round.next);
  std::size_t place = 0;
  if (share != nullptr) place = std::atomic_ref(round.next_size).fetch_add(share->size(), std::memory_order_relaxed);
#pragma omp barrier
#pragma omp single
  {
    round.frontier.resize(round.next_size);
    round.current = round.next;
    round.next = kNoBucket;
    round.next_size = 0;
  }
  if (share != nullptr) {
    std::copy(share->begin(), share->end(), round.frontier.begin() + static_cast<std::ptrdiff_t>(place));
    share->clear();
  }
#pragma omp barrier
}

} // namespace

Buffer<std::int32_t> shortest_paths(const Csr<WeightedArc>& graph, Vertex source, std::int32_t delta) {
  Buffer<std::int32_t> distance(graph.vertex_count());
#pragma omp parallel for schedule(static)
  for (Vertex v = 0; v < graph.vertex_count(); ++v) distance[v] = kUnreached;
  distance[source] = 0;
  Round round;
  round.frontier.push_back(source);
#pragma omp parallel
  {
    Buckets buckets;
    std::vector<Vertex> work;
    while (round.current != kNoBucket) {
      const auto opened_from = static_cast<std::int64_t>(round.current) * delta;
#pragma omp for schedule(dynamic, 64) nowait
      for (std::size_t i = 0; i < round.frontier.size(); ++i) {
        const Vertex u = round.frontier[i];
        // A distance below the bucket means that the vertex was done from a better bucket before.
        if (std::atomic_ref(distance[u]).load(std::memory_order_relaxed) >= opened_from) {
          relax_arcs(graph, u, delta, distance, buckets);
        }
      }
      drain_small(graph, round.current, delta, distance, buckets, work);
      merge_next_bucket(round, buckets);
    }
  }
  return distance;
}

} // namespace reference
