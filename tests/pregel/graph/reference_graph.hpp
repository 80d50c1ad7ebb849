// What build_graph() should make of a graph, computed naively from the list of edges.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <vector>

#include "pregel/support/pregel_testing.hpp"

namespace pregel::testing_support {

/// Compares as arcs are stored: by target, then sender, then weight.
struct Arc {
  std::uint64_t target, source;
  double weight;
  auto operator<=>(const Arc&) const = default;
};

struct ReferenceGraph {
  std::vector<std::uint64_t> vertices; // ascending
  std::vector<Arc> arcs;               // ascending
  std::uint64_t edge_count = 0;

  [[nodiscard]] std::map<std::uint64_t, std::uint32_t> out_degrees() const;
};

[[nodiscard]] ReferenceGraph reference_of(const oracle::Graph& graph, const BuildOptions& options);

/// The arcs of `in_arcs` of all ranks in ascending order of their targets; the order within a target is the stored one.
/// Collective.
[[nodiscard]] std::vector<Arc> gather_in_arcs(const DistributedGraph& graph);
/// The same from `out_edges`: ascending by source, and within a source as stored. Collective.
[[nodiscard]] std::vector<Arc> gather_out_edges(const DistributedGraph& graph);

} // namespace pregel::testing_support
