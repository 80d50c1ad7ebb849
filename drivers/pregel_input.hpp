// Where pregel's graph and source vertices come from.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/communicator.hpp"
#include "core/thread_team.hpp"
#include "pregel/algorithms/algorithm.hpp"
#include "pregel/checkpoint/stored_graph.hpp"
#include "pregel_options.hpp"

namespace drivers {

/// An algorithm as far as its graph is concerned.
struct GraphUser {
  const pregel::Algorithm* algorithm;
  pregel::GraphNeeds needs;
};

struct GraphPlan {
  std::vector<pregel::GraphNeeds> needs;
  std::vector<std::size_t> graph_of; ///< a user
};
/// Users share a graph unless its arcs differ: PUSH lists and lists of edges out are only added. Local.
[[nodiscard]] GraphPlan plan_graphs(const std::vector<GraphUser>& users, const pregel::BuildOptions& build,
                                    bool weighted);

/// The graphs of a list of algorithms: those with the same needs share one.
struct LoadedGraphs {
  std::vector<pregel::LoadedGraph> graphs;
  std::vector<std::size_t> graph_of; ///< a user
  double read_seconds = 0;           ///< reading or generating alone, the slowest rank
  pregel::OldIds old_ids;            ///< for --old-ids; without columns if nothing was renumbered here
};

/// Reads or generates the edges once and builds from them the graphs that `users` need. While there are more graphs to
/// build than one, a rank keeps its edges besides. Each graph's seconds are those of the whole. Collective.
[[nodiscard]] LoadedGraphs load_graphs(const core::Communicator& comm, const PregelOptions& options,
                                       const std::vector<GraphUser>& users, const pregel::Placement& placement,
                                       core::ThreadTeam& team);

/// A source as the user wrote it; `line` of the --sources file, 0 for --source.
struct Source {
  std::string word;
  unsigned long long line = 0;
  std::optional<pregel::GlobalId> id;
};

/// --source, or the lines of --sources; with numbers as ids they are parsed already. Refused before the graph is
/// loaded. Collective.
[[nodiscard]] std::vector<Source> read_sources(const core::Communicator& comm, const PregelOptions& options,
                                               const AlgorithmChoice& choice);

/// Finds the sources in the graph; InputError on every rank for one that is not there. Collective.
void resolve_sources(const core::Communicator& comm, const AlgorithmChoice& choice, const pregel::LoadedGraph& loaded,
                     std::vector<Source>& sources);

} // namespace drivers
