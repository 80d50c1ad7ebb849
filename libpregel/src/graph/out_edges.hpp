// The edges that leave each vertex, for programs that read them: a side path of the graph builder.
#pragma once

#include <cstdint>
#include <vector>

#include "core/communicator.hpp"
#include "pregel/graph/distributed_graph.hpp"
#include "pregel/graph/graph_builder.hpp"
#include "pregel/graph/graph_input.hpp"

namespace pregel {

struct OutEdge {
  std::uint64_t source, target;
  double weight;
};

/// For a directed graph: the edges whose source this rank owns, ascending by source, target and weight, cleaned as
/// `options` say. `input` keeps its edges. Collective.
[[nodiscard]] std::vector<OutEdge> route_out_edges(const core::Communicator& comm, const GraphInput& input,
                                                   const Partitioner& partitioner, const BuildOptions& options);

/// Fills graph.out_edges, after in_arcs and the index: from `routed`, or if `symmetric` from the arcs that enter, which
/// are those that leave. Local.
void fill_out_edges(DistributedGraph& graph, const std::vector<OutEdge>& routed, bool symmetric);

} // namespace pregel
