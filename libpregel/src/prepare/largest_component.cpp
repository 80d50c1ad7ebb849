// The components are found by our own wcc on a copy of the edges. Then each edge travels to the owner of its source,
// who knows whether it stays: both ends are in one component.
#include <algorithm>
#include <span>
#include <variant>
#include <vector>

#include "collectives/routed_exchange.hpp"
#include "core/collectives.hpp"
#include "edge_stream.hpp"
#include "pregel/algorithms/algorithm.hpp"
#include "pregel/engine/run_report.hpp"
#include "pregel/graph/graph_builder.hpp"
#include "pregel/prepare/prepare.hpp"

namespace pregel {
namespace {

[[nodiscard]] GraphInput copy_without_weights(const GraphInput& input) {
  GraphInput copy;
  for (std::size_t block = 0; block < input.edges.block_count(); ++block) {
    for (const Edge& edge : input.edges.edges(block)) copy.edges.append(edge);
  }
  copy.vertices = input.vertices;
  copy.contiguous_first = input.contiguous_first;
  copy.contiguous_vertices = input.contiguous_vertices;
  return copy;
}

/// The label of the largest component: components are counted on the ranks that own the vertices they are called after.
/// Collective.
[[nodiscard]] std::uint64_t largest_label(const core::Communicator& comm, const DistributedGraph& graph,
                                          const std::vector<GlobalId>& labels) {
  struct Count {
    std::uint64_t label, vertices;
  };
  std::vector<std::uint64_t> sorted;
  for (const GlobalId label : labels) sorted.push_back(number(label));
  std::sort(sorted.begin(), sorted.end());
  std::vector<Count> mine, owned;
  for (const std::uint64_t label : sorted) {
    if (mine.empty() || mine.back().label != label) mine.push_back({label, 0});
    ++mine.back().vertices;
  }
  auto produce = collectives::produce_each(
      mine, [&](auto& push, Count count) { push(graph.owner(GlobalId{count.label}), count); });
  collectives::routed_exchange<Count>(
      comm, produce, [&](int, std::span<const Count> some) { owned.insert(owned.end(), some.begin(), some.end()); });
  std::sort(owned.begin(), owned.end(), [](const Count& a, const Count& b) { return a.label < b.label; });
  Count largest{~std::uint64_t{0}, 0};
  for (std::size_t begin = 0, end = 0; begin < owned.size(); begin = end) {
    Count sum{owned[begin].label, 0};
    for (end = begin; end < owned.size() && owned[end].label == sum.label; ++end) sum.vertices += owned[end].vertices;
    if (sum.vertices > largest.vertices) largest = sum;
  }
  const std::uint64_t most = core::all_reduce_value(comm, largest.vertices, core::Reduce::max);
  if (largest.vertices != most) largest.label = ~std::uint64_t{0};
  return core::all_reduce_value(comm, largest.label, core::Reduce::min);
}

} // namespace

GraphInput keep_largest_component(const core::Communicator& comm, GraphInput&& input, core::ThreadTeam& team) {
  const Algorithm& wcc = find_algorithm("wcc");
  BuildOptions build;
  build.needs = wcc.needs({});
  const DistributedGraph graph = build_graph(comm, copy_without_weights(input), build, team);
  const AlgorithmRun run = wcc.run(graph, team, {}, {});
  const auto& labels = std::get<std::vector<GlobalId>>(run.result.columns.at(0).values);
  const std::uint64_t label = largest_label(comm, graph, labels);

  GraphInput kept;
  std::vector<bool> stays(graph.local_count, false);
  for (std::size_t i = 0; i < labels.size(); ++i) { // ascending by id, as graph.ascending is
    if (number(labels[i]) != label) continue;
    stays[index(graph.ascending[i])] = true;
    kept.vertices.push_back(graph.id_of(graph.ascending[i]));
  }
  kept.edges = EdgeBlocks(input.edges.weighted());
  auto produce = produce_edges(
      input.edges,
      [](Edge edge, double weight) {
        return MovingEdge{number(edge.source), number(edge.target), weight};
      },
      [&](const MovingEdge& edge) { return graph.owner(GlobalId{edge.source}); });
  collectives::routed_exchange<MovingEdge>(comm, produce, [&](int, std::span<const MovingEdge> some) {
    for (const MovingEdge& edge : some) {
      if (stays[index(*graph.find(GlobalId{edge.source}))])
        kept.edges.append({GlobalId{edge.source}, GlobalId{edge.target}}, edge.weight);
    }
  });
  kept.names = input.names;
  kept.directed = input.directed;
  kept.description = std::move(input.description);
  return kept;
}

} // namespace pregel
