// A vertex as its program sees it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "pregel/graph/distributed_graph.hpp"
#include "pregel/graph/types.hpp"

namespace pregel {

template <class P>
class Engine;
template <class P>
struct Worker;

/// An out-edge of a vertex.
struct OutEdgeView {
  GlobalId target{};
  double weight = 1.0; ///< 1 in an unweighted graph
};

/// The out-edges of a vertex, for a range-based for loop.
class OutEdgeRange {
 public:
  class Iterator {
   public:
    Iterator(const Rows<GlobalId>& rows, std::uint64_t edge) : rows_(&rows), edge_(edge) {}
    [[nodiscard]] OutEdgeView operator*() const { return {rows_->entries[edge_], rows_->weights[edge_]}; }
    Iterator& operator++() {
      ++edge_;
      return *this;
    }
    friend bool operator==(const Iterator& a, const Iterator& b) noexcept { return a.edge_ == b.edge_; }

   private:
    const Rows<GlobalId>* rows_;
    std::uint64_t edge_;
  };

  OutEdgeRange(const Rows<GlobalId>& rows, LocalId vertex) : rows_(rows), vertex_(index(vertex)) {}
  [[nodiscard]] Iterator begin() const { return {rows_, rows_.offsets[vertex_]}; }
  [[nodiscard]] Iterator end() const { return {rows_, rows_.offsets[vertex_ + 1]}; }
  [[nodiscard]] std::uint64_t size() const { return rows_.length(vertex_); }
  [[nodiscard]] OutEdgeView operator[](std::uint64_t i) const { return *Iterator(rows_, rows_.offsets[vertex_] + i); }
  /// Whether an edge leads to `target`.
  [[nodiscard]] bool contains(GlobalId target) const { return std::ranges::binary_search(rows_.row(vertex_), target); }

 private:
  const Rows<GlobalId>& rows_;
  std::size_t vertex_;
};

/// A handle for the duration of one compute() call. All members are local and cheap.
template <class P>
class Vertex {
 public:
  using Value = typename P::Value;
  using Message = typename P::Message;

  Vertex(Engine<P>& engine, Worker<P>& worker, LocalId local) : engine_(engine), worker_(worker), local_(local) {}

  [[nodiscard]] GlobalId id() const noexcept;
  /// Number of arcs along which send_to_neighbors() sends.
  [[nodiscard]] std::uint32_t degree() const noexcept;
  [[nodiscard]] Value& value() noexcept;
  [[nodiscard]] const Value& value() const noexcept;
  /// Ascending by target; needs GraphNeeds::out_edges.
  [[nodiscard]] OutEdgeRange edges() const;

  /// Sends `message` along every arc. A second call in the same superstep is combined with the first, or refused
  /// without a combiner.
  void send_to_neighbors(const Message& message);
  /// Sends to any vertex of the graph. What happens if there is none is RunOptions::unknown_target.
  void send(GlobalId target, const Message& message);
  /// Not to be computed again until a message arrives.
  void vote_to_halt() noexcept { halted_ = true; }
  [[nodiscard]] bool halted() const noexcept { return halted_; }

 private:
  Engine<P>& engine_;
  Worker<P>& worker_;
  LocalId local_;
  bool halted_ = false;
};

} // namespace pregel
