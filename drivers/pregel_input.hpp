// Where pregel's graph and source vertices come from.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/communicator.hpp"
#include "core/thread_team.hpp"
#include "pregel/algorithms/algorithm.hpp"
#include "pregel/checkpoint/stored_graph.hpp"
#include "pregel_options.hpp"

namespace drivers {

/// Reads or generates the graph. Collective.
[[nodiscard]] pregel::LoadedGraph load_graph(const core::Communicator& comm, const PregelOptions& options,
                                             pregel::GraphNeeds needs, const pregel::Algorithm& algorithm,
                                             const pregel::Placement& placement, core::ThreadTeam& team);

/// A source as the user wrote it; `line` of the --sources file, 0 for --source.
struct Source {
  std::string word;
  unsigned long long line = 0;
  std::optional<pregel::GlobalId> id;
};

/// --source, or the lines of --sources; with numbers as ids they are parsed already. Refused before the graph is
/// loaded. Collective.
[[nodiscard]] std::vector<Source> read_sources(const core::Communicator& comm, const PregelOptions& options);

/// Finds the sources in the graph; InputError on every rank for one that is not there. Collective.
void resolve_sources(const core::Communicator& comm, const PregelOptions& options, const pregel::LoadedGraph& loaded,
                     std::vector<Source>& sources);

} // namespace drivers
