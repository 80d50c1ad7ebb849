// From loose edges to a DistributedGraph: route arcs to the owners of their targets, sort, clean, renumber, agree on
// mirrors.
#pragma once

#include <optional>

#include "core/communicator.hpp"
#include "core/thread_team.hpp"
#include "pregel/graph/distributed_graph.hpp"
#include "pregel/graph/graph_input.hpp"
#include "pregel/partition/partitioner.hpp"

namespace pregel {

/// Along which directions of the edges a program's messages travel.
enum class MessagePath {
  along_edges, ///< from source to target (undirected graphs: both ways)
  both_ways,   ///< direction is ignored
};

struct GraphNeeds {
  MessagePath path = MessagePath::along_edges;
  bool weights = false;    ///< keep weights (1 where the input has none)
  bool directions = false; ///< both_ways of a directed graph: an arc's weight says where its edge points (ArcDirection)
  bool push = true;        ///< arcs_from_slot too: cheap supersteps when few vertices send
  bool simple = false;     ///< without loops and repeats, whatever BuildOptions say: neighbours are a set
  bool out_edges = false;  ///< out_edges too: for programs that read their edges
};

struct BuildOptions {
  bool directed = true;
  PartitionKind partition = PartitionKind::hash;
  std::optional<Partitioner> partitioner{}; ///< instead of a new one of that kind; of as many ranks as the communicator
  SelfLoops self_loops = SelfLoops::keep;
  MultiEdges multi_edges = MultiEdges::keep;
  GraphNeeds needs = {};
};

/// Consumes `input`, freeing its edges on the way. Vertices are the endpoints of all edges (also of dropped ones), the
/// listed ones and the contiguous ones. `comm` must outlive the graph. `team` is that of the runs on it: each thread
/// fills the arcs of the vertices that it will compute, and so has them near (thread_ranges.hpp). Collective.
[[nodiscard]] DistributedGraph build_graph(const core::Communicator& comm, GraphInput&& input,
                                           const BuildOptions& options, core::ThreadTeam& team);

/// The same for runs on one thread.
[[nodiscard]] DistributedGraph build_graph(const core::Communicator& comm, GraphInput&& input,
                                           const BuildOptions& options);

} // namespace pregel
