// How good a division of the vertices into communities is: modularity, the share of the edges that stay inside
// communities less the share that would if the ends of the edges were shuffled (Newman, Girvan, "Finding and evaluating
// community structure in networks", Physical Review E 69, 2004; for directed graphs Leicht, Newman, "Community
// structure in directed networks", Physical Review Letters 100, 2008):
//   Q = sum over communities of  inside / m  -  leaving * entering / m^2
// with m directed edges, `inside` those within the community, `leaving` and `entering` those that begin and end in it.
// An undirected edge is one each way, a loop too. Repeats count, weights do not.
#pragma once

#include <optional>
#include <span>

#include "core/thread_team.hpp"
#include "pregel/graph/distributed_graph.hpp"

namespace pregel {

/// Of communities named by the id of some vertex of the graph, one for each local vertex, by LocalId; nothing if the
/// graph has no edges. The graph must have arcs both ways, with directions if it is directed. The same bits on all
/// ranks, and on any number of them. Collective.
[[nodiscard]] std::optional<double> modularity(const DistributedGraph& graph, core::ThreadTeam& team,
                                               std::span<const GlobalId> communities);

} // namespace pregel
