#include "out_edges.hpp"

#include <algorithm>
#include <span>
#include <tuple>

#include "collectives/routed_exchange.hpp"

namespace pregel {

std::vector<OutEdge> route_out_edges(const core::Communicator& comm, const GraphInput& input,
                                     const Partitioner& partitioner, const BuildOptions& options) {
  std::vector<OutEdge> mine;
  std::size_t block = 0;
  const auto produce = [&](auto&& push) {
    if (block == input.edges.block_count()) return false;
    const auto edges = input.edges.edges(block);
    const auto weights = input.edges.weights(block);
    for (std::size_t i = 0; i < edges.size(); ++i) {
      if (edges[i].source == edges[i].target && options.self_loops == SelfLoops::drop) continue;
      push(partitioner.owner(edges[i].source),
           OutEdge{number(edges[i].source), number(edges[i].target), weights.empty() ? 1.0 : weights[i]});
    }
    return ++block < input.edges.block_count();
  };
  collectives::routed_exchange<OutEdge>(
      comm, produce, [&](int, std::span<const OutEdge> items) { mine.insert(mine.end(), items.begin(), items.end()); });
  const auto key = [](const OutEdge& e) { return std::tuple(e.source, e.target, e.weight); };
  std::sort(mine.begin(), mine.end(), [&](const OutEdge& a, const OutEdge& b) { return key(a) < key(b); });
  if (options.multi_edges == MultiEdges::drop) {
    mine.erase(
        std::unique(mine.begin(), mine.end(),
                    [](const OutEdge& a, const OutEdge& b) { return a.source == b.source && a.target == b.target; }),
        mine.end());
  }
  return mine;
}

void fill_out_edges(DistributedGraph& graph, const std::vector<OutEdge>& routed, bool symmetric) {
  Rows<GlobalId>& rows = graph.out_edges;
  rows.offsets.assign(graph.local_count + std::size_t{1}, 0);
  if (symmetric) { // what leaves a vertex is what enters it
    rows.offsets = graph.in_arcs.offsets;
    rows.weights = graph.in_arcs.weights;
    for (const Slot slot : graph.in_arcs.entries) rows.entries.push_back(graph.slot_ids[index(slot)]);
    return;
  }
  for (const OutEdge& edge : routed) ++rows.offsets[index(*graph.find(GlobalId{edge.source})) + std::size_t{1}];
  for (std::size_t v = 0; v < graph.local_count; ++v) rows.offsets[v + 1] += rows.offsets[v];
  std::vector<std::uint64_t> next(rows.offsets.begin(), rows.offsets.end() - 1);
  rows.entries.resize(routed.size());
  if (graph.weighted) rows.weights.resize(routed.size());
  for (const OutEdge& edge : routed) {
    const std::uint64_t position = next[index(*graph.find(GlobalId{edge.source}))]++;
    rows.entries[position] = GlobalId{edge.target};
    if (graph.weighted) rows.weights.set(position, edge.weight);
  }
}

} // namespace pregel
