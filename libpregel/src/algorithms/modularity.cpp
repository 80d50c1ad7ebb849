// Each rank counts the ends of edges at its vertices, by community; the totals of a community meet at the rank that
// owns the vertex it is named by. All counts are integers, a community's term is rounded by itself, and terms are
// summed exactly: nothing depends on who counted.
#include "modularity.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "collectives/routed_exchange.hpp"
#include "core/exact_reduction.hpp"
#include "pregel/engine/boundary_exchange.hpp"
#include "thread_blocks.hpp"

namespace pregel {
namespace {

/// Directed edges of a community.
struct EdgeEnds {
  std::uint64_t inside = 0, leaving = 0, entering = 0;

  EdgeEnds& operator+=(const EdgeEnds& other) noexcept {
    inside += other.inside;
    leaving += other.leaving;
    entering += other.entering;
    return *this;
  }
};
using EndsByCommunity = std::unordered_map<GlobalId, EdgeEnds>;

/// The communities of this rank's vertices and of their neighbours on other ranks, by slot. Collective.
std::vector<GlobalId> communities_by_slot(const DistributedGraph& graph, std::span<const GlobalId> communities) {
  std::vector<GlobalId> slots(graph.slot_count());
  std::ranges::copy(communities, slots.begin());
  VertexSet published;
  BoundaryExchange(graph, sizeof(GlobalId)).exchange(reinterpret_cast<std::byte*>(slots.data()), published, true);
  return slots;
}

/// Of the edges at local vertex `v`; an edge is inside where it ends.
EdgeEnds ends_at(const DistributedGraph& graph, std::uint32_t v, std::span<const GlobalId> community) {
  EdgeEnds ends;
  for (std::uint64_t arc = graph.in_arcs.offsets[v]; arc < graph.in_arcs.offsets[v + 1]; ++arc) {
    const std::uint32_t other = index(graph.in_arcs.entries[arc]);
    const std::uint64_t is_inside = community[v] == community[other] ? 1 : 0;
    if (graph.directed) {
      const double direction = graph.in_arcs.weights[arc];
      ends.leaving += ArcDirection::out(direction) ? 1 : 0;
      ends.entering += ArcDirection::in(direction) ? 1 : 0;
      ends.inside += ArcDirection::in(direction) ? is_inside : 0;
    } else {
      const std::uint64_t ways = other == v ? 2 : 1; // the other way has an arc of its own, unless it is a loop
      ends += {is_inside * ways, ways, ways};
    }
  }
  return ends;
}

EndsByCommunity count_here(const DistributedGraph& graph, core::ThreadTeam& team, std::span<const GlobalId> community) {
  constexpr std::size_t kBlock = 1024;
  std::vector<EndsByCommunity> counted(static_cast<std::size_t>(team.size()));
  for_blocks(team, graph.local_count, kBlock, [&](int thread, std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) {
      if (graph.in_arcs.length(v) == 0) continue;
      counted[static_cast<std::size_t>(thread)][community[v]] +=
          ends_at(graph, static_cast<std::uint32_t>(v), community);
    }
  });
  EndsByCommunity all = std::move(counted[0]);
  for (std::size_t thread = 1; thread < counted.size(); ++thread)
    for (const auto& [name, ends] : counted[thread]) all[name] += ends;
  return all;
}

/// Of the communities that are named by a vertex of this rank. Collective.
EndsByCommunity totals(const DistributedGraph& graph, const EndsByCommunity& counted) {
  struct Item {
    GlobalId name;
    EdgeEnds ends;
  };
  std::vector<Item> items;
  items.reserve(counted.size());
  for (const auto& [name, ends] : counted) items.push_back({name, ends});
  EndsByCommunity sums;
  collectives::routed_exchange<Item>(
      *graph.comm,
      collectives::produce_each(items, [&](auto& push, const Item& item) { push(graph.owner(item.name), item); }),
      [&](int, std::span<const Item> arrived) {
        for (const Item& item : arrived) sums[item.name] += item.ends;
      });
  return sums;
}

} // namespace

std::optional<double> modularity(const DistributedGraph& graph, core::ThreadTeam& team,
                                 std::span<const GlobalId> communities) {
  if (graph.edge_count == 0) return std::nullopt;
  std::uint64_t inside = 0;
  core::ExactSum products;
  for (const auto& [name, ends] : totals(graph, count_here(graph, team, communities_by_slot(graph, communities)))) {
    inside += ends.inside;
    products.add(static_cast<double>(ends.leaving) * static_cast<double>(ends.entering));
  }
  const auto edges = static_cast<double>(graph.directed ? graph.edge_count : 2 * graph.edge_count);
  const auto all_inside = static_cast<double>(core::all_reduce_value(*graph.comm, inside, core::Reduce::sum));
  return all_inside / edges - core::sum_over_ranks(*graph.comm, products) / edges / edges;
}

} // namespace pregel
