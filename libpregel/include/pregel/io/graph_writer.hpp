// A graph as text files that any reader of edge lists takes, our own included.
#pragma once

#include <cstdint>
#include <string>

#include "core/communicator.hpp"
#include "pregel/graph/distributed_graph.hpp"

namespace pregel {

/// Writes `u v` or `u v weight` a line (reals %.17g), ascending by u, then v; an undirected edge once, with u <= v.
/// Lines of `header`, each put after "# ", come first. The same bytes for every number of ranks. The graph has
/// out_edges and lies in ranges (PartitionKind::range). Complete or absent. Collective. Returns bytes written (all
/// ranks).
std::uint64_t write_edge_list(const core::Communicator& comm, const DistributedGraph& graph, const std::string& header,
                              const std::string& path);

/// Writes every vertex, isolated ones included, an id a line, ascending (Graphalytics `.v`). Otherwise as above.
std::uint64_t write_vertex_list(const core::Communicator& comm, const DistributedGraph& graph, const std::string& path);

} // namespace pregel
