#include "reference_graph.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace pregel::testing_support {

std::map<std::uint64_t, std::uint32_t> ReferenceGraph::out_degrees() const {
  std::map<std::uint64_t, std::uint32_t> degrees;
  for (const std::uint64_t v : vertices) degrees[v] = 0;
  for (const Arc& arc : arcs) ++degrees[arc.source];
  return degrees;
}

ReferenceGraph reference_of(const oracle::Graph& graph, const BuildOptions& wanted) {
  BuildOptions options = wanted;
  if (options.needs.simple) {
    options.self_loops = SelfLoops::drop;
    options.multi_edges = MultiEdges::drop;
  }
  const bool symmetric = !graph.directed || options.needs.path == MessagePath::both_ways;
  ReferenceGraph reference;
  reference.vertices = graph.vertices;
  std::set<std::pair<std::uint64_t, std::uint64_t>> distinct_edges;
  std::uint64_t kept = 0;
  for (std::size_t i = 0; i < graph.edges.size(); ++i) {
    const auto [source, target] = graph.edges[i];
    if (source == target && options.self_loops == SelfLoops::drop) continue;
    const bool has_weight = options.needs.weights && !graph.weights.empty();
    const double weight = has_weight ? graph.weights[i] : 1.0;
    reference.arcs.push_back({target, source, weight});
    if (symmetric && source != target) reference.arcs.push_back({source, target, weight});
    const bool turned = symmetric && target < source;
    distinct_edges.emplace(turned ? target : source, turned ? source : target);
    ++kept;
  }
  std::ranges::sort(reference.arcs);
  reference.edge_count = kept;
  if (options.multi_edges == MultiEdges::drop) {
    reference.edge_count = distinct_edges.size();
    const auto same_ends = [](const Arc& a, const Arc& b) { return a.target == b.target && a.source == b.source; };
    const auto repeats = std::ranges::unique(reference.arcs, same_ends);
    reference.arcs.erase(repeats.begin(), repeats.end());
  }
  return reference;
}

std::vector<Arc> gather_in_arcs(const DistributedGraph& graph) {
  std::vector<Arc> mine;
  const Rows<Slot>& rows = graph.in_arcs;
  for (std::uint32_t v = 0; v < graph.local_count; ++v) {
    for (std::uint64_t a = rows.offsets[v]; a < rows.offsets[v + 1]; ++a) {
      mine.push_back({number(graph.id_of(LocalId{v})), number(graph.slot_ids[index(rows.entries[a])]),
                      rows.weights.empty() ? 1.0 : rows.weights[a]});
    }
  }
  std::vector<Arc> all = gather_lists(mine);
  std::ranges::stable_sort(all, {}, &Arc::target);
  return all;
}

std::vector<Arc> gather_out_edges(const DistributedGraph& graph) {
  std::vector<Arc> mine;
  const Rows<GlobalId>& rows = graph.out_edges;
  for (std::uint32_t v = 0; v < graph.local_count; ++v) {
    for (std::uint64_t e = rows.offsets[v]; e < rows.offsets[v + 1]; ++e) {
      mine.push_back(
          {number(rows.entries[e]), number(graph.id_of(LocalId{v})), rows.weights.empty() ? 1.0 : rows.weights[e]});
    }
  }
  std::vector<Arc> all = gather_lists(mine);
  std::ranges::stable_sort(all, {}, &Arc::source);
  return all;
}

} // namespace pregel::testing_support
