// What belongs to Graphalytics' three files NAME.e, NAME.v and NAME.properties, beyond the lines themselves.
#pragma once

#include <optional>
#include <string>
#include <unordered_set>

#include "core/communicator.hpp"
#include "pregel/graph/graph_input.hpp"
#include "pregel/io/readers.hpp"

namespace pregel {

/// The vertex file that goes with the options' graph file; nothing for an edge list. Collective: rank 0 looks at the
/// file system.
[[nodiscard]] std::optional<std::string> find_vertex_file(const core::Communicator& comm, const ReadOptions& options);

/// The endpoints of this rank's edges that no rank's `vertices` list. Collective.
[[nodiscard]] std::unordered_set<std::uint64_t> unlisted_endpoints(const core::Communicator& comm,
                                                                   std::span<const GlobalId> vertices,
                                                                   const EdgeBlocks& edges);

} // namespace pregel
