// The graph of the reference kernels: compressed sparse rows in shared memory, undirected, each adjacency list
// ascending. One array says where a vertex's neighbours begin, one holds them all; weighted graphs keep the weight
// beside the neighbour, because a relaxation always needs both. Vertices are 0 .. n-1; those without an arc exist but
// take no part.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace reference {

using Vertex = std::uint32_t;
using Weight = std::int32_t;

/// An arc of a weighted graph.
struct WeightedArc {
  Vertex vertex;
  Weight weight;
  friend auto operator<=>(const WeightedArc&, const WeightedArc&) = default;
};

[[nodiscard]] constexpr Vertex endpoint(Vertex arc) noexcept {
  return arc;
}
[[nodiscard]] constexpr Vertex endpoint(WeightedArc arc) noexcept {
  return arc.vertex;
}

/// An array whose elements start uninitialised: pages are first touched by the thread that fills them.
template <class T>
class Buffer {
 public:
  Buffer() = default;
  explicit Buffer(std::size_t size) : data_(std::make_unique_for_overwrite<T[]>(size)), size_(size) {}

  [[nodiscard]] T& operator[](std::size_t i) noexcept { return data_[i]; }
  [[nodiscard]] const T& operator[](std::size_t i) const noexcept { return data_[i]; }
  [[nodiscard]] T* data() noexcept { return data_.get(); }
  [[nodiscard]] const T* data() const noexcept { return data_.get(); }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] T* begin() noexcept { return data(); }
  [[nodiscard]] T* end() noexcept { return data() + size_; }
  [[nodiscard]] const T* begin() const noexcept { return data(); }
  [[nodiscard]] const T* end() const noexcept { return data() + size_; }

 private:
  std::unique_ptr<T[]> data_;
  std::size_t size_ = 0;
};

/// Arc is Vertex or WeightedArc.
template <class Arc>
struct Csr {
  Buffer<std::uint64_t> offsets; ///< vertex_count() + 1
  Buffer<Arc> arcs;

  [[nodiscard]] Vertex vertex_count() const noexcept { return static_cast<Vertex>(offsets.size() - 1); }
  [[nodiscard]] std::uint64_t arc_count() const noexcept { return arcs.size(); }
  [[nodiscard]] std::uint64_t degree(Vertex v) const noexcept { return offsets[v + 1] - offsets[v]; }
  [[nodiscard]] std::span<const Arc> neighbours(Vertex v) const noexcept {
    return {arcs.data() + offsets[v], degree(v)};
  }
  /// Vertices with at least one arc: all that an edge list file can tell of.
  [[nodiscard]] Vertex present_count() const noexcept;
};

/// An undirected edge, listed once.
struct Edge {
  Vertex u;
  Vertex v;
};

/// Edges as read; `weights` is empty or as long as `edges`.
struct EdgeList {
  Vertex vertex_count = 0; ///< largest id + 1
  std::vector<Edge> edges;
  std::vector<Weight> weights;
};

/// Both directions of every edge, sorted; loops (one arc) and repeated edges stay. Missing weights are 1. Uses the
/// threads of the enclosing OpenMP settings.
template <class Arc>
[[nodiscard]] Csr<Arc> build_csr(const EdgeList& list);

} // namespace reference
