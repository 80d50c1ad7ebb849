// First stage of the graph builder: every input edge becomes one or two arcs, and each arc travels to the owner of its
// target. While all ids are below 2^32 an arc is one 64-bit word; else two.
#pragma once

#include <cstdint>

#include "collectives/routed_exchange.hpp"
#include "core/communicator.hpp"
#include "core/huge_vector.hpp"
#include "pregel/graph/graph_builder.hpp"
#include "pregel/graph/graph_input.hpp"
#include "radix_sort.hpp"

namespace pregel {

struct WideArc {
  std::uint64_t target_id, source_id;
};
struct WideWeightedArc {
  std::uint64_t target_id, source_id;
  double weight;
};

inline void set_arc(PlainArc& arc, std::uint64_t target, std::uint64_t source, double) {
  arc.key = target << 32 | source;
}
inline void set_arc(WeightedArc& arc, std::uint64_t target, std::uint64_t source, double weight) {
  arc = {target << 32 | source, weight};
}
inline void set_arc(WideArc& arc, std::uint64_t target, std::uint64_t source, double) {
  arc = {target, source};
}
inline void set_arc(WideWeightedArc& arc, std::uint64_t target, std::uint64_t source, double weight) {
  arc = {target, source, weight};
}

template <class Arc>
concept Compact = requires(const Arc& arc) {
  arc.key;
};

template <class Arc>
[[nodiscard]] std::uint64_t target_of(const Arc& arc) {
  if constexpr (Compact<Arc>)
    return arc.key >> 32;
  else
    return arc.target_id;
}
template <class Arc>
[[nodiscard]] std::uint64_t source_of(const Arc& arc) {
  if constexpr (Compact<Arc>)
    return arc.key & 0xffffffffU;
  else
    return arc.source_id;
}

/// Walks this rank's edges a few thousand at a time, freeing blocks behind it.
class EdgeCursor {
 public:
  explicit EdgeCursor(EdgeBlocks& edges) : edges_(edges) {}

  /// Calls visit(edge, weight) for the next edges; false when none are left.
  template <class Visit>
  bool visit_some(Visit&& visit) {
    constexpr std::size_t kEdgesAtATime = 2048;
    if (edges_.block_count() == 0) return false;
    const auto edges = std::as_const(edges_).edges(0);
    const auto weights = edges_.weights(0);
    const std::size_t end = std::min(edges.size(), position_ + kEdgesAtATime);
    for (; position_ < end; ++position_) visit(edges[position_], weights.empty() ? 1.0 : weights[position_]);
    if (position_ == edges.size()) {
      edges_.drop_front();
      position_ = 0;
    }
    return edges_.block_count() != 0;
  }

 private:
  EdgeBlocks& edges_;
  std::size_t position_ = 0;
};

/// Sends each arc to its target's owner and returns the arcs that this rank owns, unordered. With `symmetric` an edge
/// makes arcs both ways (a loop makes one); with `directions` their weights are marks of ArcDirection. Dropped loops
/// leave their vertex in `input.vertices`. Collective.
template <class Arc>
[[nodiscard]] core::HugeVector<Arc> route_arcs(const core::Communicator& comm, GraphInput& input,
                                               const Partitioner& partitioner, bool symmetric, bool directions,
                                               SelfLoops loops, std::uint64_t expected_arcs) {
  core::HugeVector<Arc> arcs;
  arcs.reserve(expected_arcs);
  EdgeCursor cursor(input.edges);
  const auto produce = [&](auto&& push) {
    return cursor.visit_some([&](Edge edge, double weight) {
      const std::uint64_t source = number(edge.source), target = number(edge.target);
      if (source == target && loops == SelfLoops::drop) {
        input.vertices.push_back(edge.source);
        return;
      }
      Arc arc;
      if (directions) weight = source == target ? ArcDirection::kBoth : ArcDirection::kIn;
      set_arc(arc, target, source, weight);
      push(partitioner.owner(edge.target), arc);
      if (symmetric && source != target) {
        set_arc(arc, source, target, directions ? ArcDirection::kOut : weight);
        push(partitioner.owner(edge.source), arc);
      }
    });
  };
  const auto consume = [&](int, std::span<const Arc> items) { arcs.insert(arcs.end(), items.begin(), items.end()); };
  collectives::routed_exchange<Arc>(comm, produce, consume);
  return arcs;
}

} // namespace pregel
