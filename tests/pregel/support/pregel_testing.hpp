// Tests of the graph engine speak in graphs of the oracles (support/oracles.hpp): here they become distributed graphs,
// and what each rank knows of its vertices becomes one map that every rank can compare.
#pragma once

#include <cstdint>
#include <map>
#include <ranges>
#include <span>
#include <string>
#include <vector>

#include "core/collectives.hpp"
#include "core/communicator.hpp"
#include "pregel/graph/graph_builder.hpp"
#include "support/awkward_graphs.hpp"
#include "support/oracles.hpp"

namespace pregel::testing_support {

/// All ranks of the test.
[[nodiscard]] const core::Communicator& world();

/// This rank's share of a graph, dealt out edge by edge and vertex by vertex. Local.
[[nodiscard]] GraphInput share_of(const oracle::Graph& graph, const core::Communicator& comm = world());

/// The graph on the ranks of `comm`; its own direction counts, whatever `options` says. Collective.
[[nodiscard]] DistributedGraph build(const oracle::Graph& graph, BuildOptions options = {},
                                     const core::Communicator& comm = world());

/// The awkward graphs, without and with weights.
[[nodiscard]] const std::vector<oracle::NamedGraph>& test_graphs();
/// A dozen of the awkward graphs that differ in kind, without weights: for suites that run each graph many times.
[[nodiscard]] const std::vector<oracle::NamedGraph>& selected_graphs();

inline constexpr PartitionKind kAllPartitions[] = {PartitionKind::hash, PartitionKind::modulo, PartitionKind::range};

/// The ranks' lists one after the other, on every rank. Collective.
template <core::Transferable T>
[[nodiscard]] std::vector<T> gather_lists(const std::vector<T>& mine) {
  return core::all_gather_varying(world(), std::span<const T>(mine));
}

/// Global id -> value, from values by LocalId. Collective.
template <std::ranges::random_access_range Values, class T = std::ranges::range_value_t<Values>>
[[nodiscard]] std::map<std::uint64_t, T> gather(const DistributedGraph& graph, const Values& by_local) {
  struct Item {
    std::uint64_t id;
    T value;
  };
  std::vector<Item> mine;
  for (std::uint32_t v = 0; v < graph.local_count; ++v) mine.push_back({number(graph.id_of(LocalId{v})), by_local[v]});
  std::map<std::uint64_t, T> all;
  for (const Item& item : gather_lists(mine)) all.emplace(item.id, item.value);
  return all;
}

/// An oracle's result as the same kind of map.
template <class T>
[[nodiscard]] std::map<std::uint64_t, T> by_id(const oracle::Graph& graph, const std::vector<T>& values) {
  std::map<std::uint64_t, T> all;
  for (std::size_t i = 0; i < values.size(); ++i) all.emplace(graph.vertices[i], values[i]);
  return all;
}

} // namespace pregel::testing_support
