// A graph as tables of a checkpoint, and back, on any number of ranks. What is stored are the arcs as messages travel
// along them, after clean-up: so a stored graph is rebuilt without the options that made it.
//
// Tables: "vertices" (id, sources: the ids of the senders of its arcs in, ascending, and with weights: weights, in the
// same order), and with string ids "names" (name).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/checkpoint/table.hpp"
#include "core/communicator.hpp"
#include "pregel/graph/distributed_graph.hpp"
#include "pregel/graph/graph_builder.hpp"
#include "pregel/graph/name_directory.hpp"
#include "pregel/partition/partitioner.hpp"

namespace pregel {

/// A graph ready to run on, and what is known of where it came from.
struct LoadedGraph {
  DistributedGraph graph;
  std::shared_ptr<const NameDirectory> names; ///< with string ids
  std::string description;                    ///< file or generator spec
  double seconds = 0;                         ///< to load it, slowest rank
};

/// This rank's part. `names` is null with numbers as ids. Local.
[[nodiscard]] core::checkpoint::Part save_graph(const DistributedGraph& graph, const NameDirectory* names);

/// What is equal on every rank: counts, direction, fingerprint, description. Local.
[[nodiscard]] nlohmann::json describe_graph(const LoadedGraph& loaded);

/// Which ranks get which vertices of a rebuilt graph.
struct Placement {
  PartitionKind kind = PartitionKind::hash;
  std::optional<Partitioner> partitioner{}; ///< instead of a new one of that kind
};

/// Rebuilds a graph whose parts, however they were cut, lie on the ranks of `comm` in any order: `parts` are this
/// rank's. `needs` are those of the program that made it. GraphError on every rank unless the fingerprint is that of
/// `description`. `team`: that of the runs on it (build_graph). Collective.
[[nodiscard]] LoadedGraph rebuild_graph(const core::Communicator& comm,
                                        const std::vector<core::checkpoint::Part>& parts,
                                        const nlohmann::json& description, GraphNeeds needs, const Placement& placement,
                                        core::ThreadTeam& team);

} // namespace pregel
