// What readers and generators hand to the graph builder: one rank's share of the edges, in no particular order, and of
// the vertices that exist beyond the edges' endpoints.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pregel/graph/edge_blocks.hpp"
#include "pregel/graph/types.hpp"

namespace pregel {

class NameDirectory; // pregel/graph/name_directory.hpp

struct GraphInput {
  EdgeBlocks edges;                           ///< this rank's share; each input edge is on exactly one rank
  std::vector<GlobalId> vertices;             ///< this rank's share of the listed vertices (may repeat)
  std::uint64_t contiguous_vertices = 0;      ///< so many ids from contiguous_first on exist; the same on every rank
  std::uint64_t contiguous_first = 0;         ///< 0 for generators, 1 for formats that number from 1
  std::optional<bool> directed;               ///< what the file says of it, if it does; the same on every rank
  std::shared_ptr<const NameDirectory> names; ///< only with string ids: GlobalId -> name
  std::string description; ///< file or generator spec, for messages and the stamp; the same on every rank

  /// The same again, for a second graph of it: the builder consumes its input. Local.
  [[nodiscard]] GraphInput copy() const {
    return {edges.copy(), vertices, contiguous_vertices, contiguous_first, directed, names, description};
  }
};

/// What happens to loops (u,u).
enum class SelfLoops { keep, drop };
/// What happens to repeated edges. `drop` keeps one of them, with the smallest weight; in an undirected graph u v and v
/// u are the same edge.
enum class MultiEdges { keep, drop };

} // namespace pregel
