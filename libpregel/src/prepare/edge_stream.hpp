// Edges on their way between ranks, with what a preparation must know of each.
#pragma once

#include <cstdint>
#include <span>
#include <utility>

#include "collectives/routed_exchange.hpp"
#include "core/communicator.hpp"
#include "pregel/graph/graph_input.hpp"

namespace pregel {

struct MovingEdge {
  std::uint64_t source, target;
  double weight;
};

/// A produce function that hands out all edges: make(edge, weight) gives the item, owner(item) its rank. The blocks are
/// freed on the way. Local.
template <class Make, class Owner>
[[nodiscard]] auto produce_edges(EdgeBlocks& edges, Make make, Owner owner) {
  return [&edges, make, owner, position = std::size_t{0}](auto&& push) mutable {
    constexpr std::size_t kAtATime = 4096;
    if (edges.block_count() == 0) return false;
    const auto block = std::as_const(edges).edges(0);
    const auto weights = edges.weights(0);
    const std::size_t end = std::min(block.size(), position + kAtATime);
    for (; position < end; ++position) {
      const auto item = make(block[position], weights.empty() ? 1.0 : weights[position]);
      push(owner(item), item);
    }
    if (position == block.size()) {
      edges.drop_front();
      position = 0;
    }
    return edges.block_count() != 0;
  };
}

/// Calls visit(id) for this rank's share of the vertices that exist beyond the edges' ends. Local.
template <class Visit>
void for_each_listed(const core::Communicator& comm, const GraphInput& input, const Visit& visit) {
  for (const GlobalId id : input.vertices) visit(number(id));
  const auto ranks = static_cast<std::uint64_t>(comm.size()), rank = static_cast<std::uint64_t>(comm.rank());
  const std::uint64_t n = input.contiguous_vertices;
  const std::uint64_t begin = n / ranks * rank + std::min(n % ranks, rank);
  const std::uint64_t end = begin + n / ranks + (rank < n % ranks ? 1 : 0);
  for (std::uint64_t i = begin; i < end; ++i) visit(input.contiguous_first + i);
}

} // namespace pregel
