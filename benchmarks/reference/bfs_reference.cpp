// Breadth-first search that changes direction (Beamer, Asanović, Patterson: "Direction-Optimizing Breadth-First
// Search", 2012). Top-down steps walk the arcs of the frontier; when those are many, bottom-up steps let each unreached
// vertex look for any neighbour in the frontier and stop at the first.
//
// Top-down changes to bottom-up when the frontier has more than 1/alpha of the arcs nobody has walked yet, and back
// when the frontier shrinks below 1/beta of the vertices. An unreached vertex holds minus its degree as parent, so that
// the thread that claims it learns its degree from the value it replaces.
#include <algorithm>
#include <atomic>

#include "kernels.hpp"

namespace reference {
namespace {

constexpr std::uint64_t kAlpha = 15;
constexpr std::uint64_t kBeta = 18;
constexpr std::size_t kWordBits = 64;

using Bitmap = std::vector<std::uint64_t>;

bool contains(const Bitmap& bitmap, Vertex v) {
  return ((bitmap[v / kWordBits] >> (v % kWordBits)) & 1U) != 0;
}

/// The vertices in order of discovery; the frontier is the window [begin, end) and slides on. Every vertex enters at
/// most once, so one array of n places is enough.
class Discovery {
 public:
  explicit Discovery(std::size_t capacity) : vertices_(capacity) {}

  [[nodiscard]] std::size_t size() const { return end_ - begin_; }
  [[nodiscard]] Vertex operator[](std::size_t i) const { return vertices_[begin_ + i]; }
  /// What was appended becomes the frontier.
  void slide() {
    begin_ = end_;
    end_ = tail_.load(std::memory_order_relaxed);
  }
  /// Called by several threads at once.
  void append(const std::vector<Vertex>& found) {
    const std::size_t place = tail_.fetch_add(found.size(), std::memory_order_relaxed);
    std::copy(found.begin(), found.end(), vertices_.data() + place);
  }
  /// Forgets the past: the array then has room for another n.
  void restart() {
    begin_ = end_ = 0;
    tail_.store(0, std::memory_order_relaxed);
  }

 private:
  Buffer<Vertex> vertices_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::atomic<std::size_t> tail_{0};
};

Buffer<std::int32_t> parents_unreached(const Csr<Vertex>& graph) {
  Buffer<std::int32_t> parent(graph.vertex_count());
#pragma omp parallel for schedule(static)
  for (Vertex v = 0; v < graph.vertex_count(); ++v) {
    parent[v] = -static_cast<std::int32_t>(std::max<std::uint64_t>(graph.degree(v), 1));
  }
  return parent;
}

/// Returns the number of arcs of the new frontier.
std::uint64_t top_down_step(const Csr<Vertex>& graph, Buffer<std::int32_t>& parent, Discovery& discovery) {
  constexpr std::size_t kFlush = 4096;
  std::uint64_t arcs = 0;
#pragma omp parallel reduction(+ : arcs)
  {
    std::vector<Vertex> found;
    found.reserve(kFlush);
#pragma omp for schedule(dynamic, 64) nowait
    for (std::size_t i = 0; i < discovery.size(); ++i) {
      const Vertex u = discovery[i];
      for (const Vertex v : graph.neighbours(u)) {
        std::atomic_ref place(parent[v]);
        std::int32_t old = place.load(std::memory_order_relaxed);
        if (old >= 0 || !place.compare_exchange_strong(old, static_cast<std::int32_t>(u), std::memory_order_relaxed)) {
          continue;
        }
        arcs += static_cast<std::uint64_t>(-old);
        found.push_back(v);
        if (found.size() == kFlush) {
          discovery.append(found);
          found.clear();
        }
      }
    }
    discovery.append(found);
  }
  return arcs;
}

/// Returns the number of vertices reached. A thread owns whole words of `next`, so plain stores do.
std::uint64_t bottom_up_step(const Csr<Vertex>& graph, Buffer<std::int32_t>& parent, const Bitmap& frontier,
                             Bitmap& next) {
  std::uint64_t reached = 0;
#pragma omp parallel for schedule(dynamic, 16) reduction(+ : reached)
  for (std::size_t word = 0; word < next.size(); ++word) {
    std::uint64_t bits = 0;
    const auto first = static_cast<Vertex>(word * kWordBits);
    const Vertex last = std::min<Vertex>(first + kWordBits, graph.vertex_count());
    for (Vertex u = first; u < last; ++u) {
      if (parent[u] >= 0) continue;
      for (const Vertex v : graph.neighbours(u)) {
        if (!contains(frontier, v)) continue;
        parent[u] = static_cast<std::int32_t>(v);
        bits |= std::uint64_t{1} << (u - first);
        ++reached;
        break;
      }
    }
    next[word] = bits;
  }
  return reached;
}

Bitmap to_bitmap(const Discovery& frontier, Vertex vertex_count) {
  Bitmap bitmap((vertex_count + kWordBits - 1) / kWordBits, 0);
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < frontier.size(); ++i) {
    const Vertex v = frontier[i];
    std::atomic_ref(bitmap[v / kWordBits]).fetch_or(std::uint64_t{1} << (v % kWordBits), std::memory_order_relaxed);
  }
  return bitmap;
}

void to_discovery(const Bitmap& bitmap, Discovery& discovery) {
  discovery.restart();
#pragma omp parallel
  {
    std::vector<Vertex> found;
#pragma omp for schedule(static) nowait
    for (std::size_t word = 0; word < bitmap.size(); ++word) {
      for (std::uint64_t bits = bitmap[word]; bits != 0; bits &= bits - 1) {
        found.push_back(static_cast<Vertex>(word * kWordBits) + static_cast<Vertex>(__builtin_ctzll(bits)));
      }
    }
    discovery.append(found);
  }
  discovery.slide();
}

/// Bottom-up steps until the frontier shrinks and is small.
void bottom_up_phase(const Csr<Vertex>& graph, Buffer<std::int32_t>& parent, Discovery& discovery) {
  Bitmap frontier = to_bitmap(discovery, graph.vertex_count());
  Bitmap next(frontier.size());
  std::uint64_t awake = discovery.size();
  std::uint64_t before = 0;
  do {
    before = awake;
    awake = bottom_up_step(graph, parent, frontier, next);
    frontier.swap(next);
  } while (awake >= before || awake > graph.vertex_count() / kBeta);
  to_discovery(frontier, discovery);
}

} // namespace

Buffer<std::int32_t> bfs(const Csr<Vertex>& graph, Vertex source) {
  Buffer<std::int32_t> parent = parents_unreached(graph);
  parent[source] = static_cast<std::int32_t>(source);
  Discovery discovery(graph.vertex_count());
  discovery.append({source});
  discovery.slide();
  std::uint64_t unwalked = graph.arc_count();
  std::uint64_t frontier_arcs = graph.degree(source);
  while (discovery.size() > 0) {
    if (frontier_arcs > unwalked / kAlpha) {
      bottom_up_phase(graph, parent, discovery);
      frontier_arcs = 1;
    } else {
      unwalked -= std::min(unwalked, frontier_arcs);
      frontier_arcs = top_down_step(graph, parent, discovery);
      discovery.slide();
    }
  }
  return parent;
}

} // namespace reference
