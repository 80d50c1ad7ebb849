// Text graphs, read in parallel: each rank reads its share of the bytes, cut at line ends.
#pragma once

#include <optional>
#include <string>

#include "core/communicator.hpp"
#include "core/thread_team.hpp"
#include "pregel/graph/graph_input.hpp"

namespace pregel {

enum class TextFormat { automatic, edge_list, graphalytics };
enum class IdKind { number, text };

struct ReadOptions {
  std::string graph_file;                 ///< edge list, or Graphalytics `.e`; `.gz` of either
  std::optional<std::string> vertex_file; ///< Graphalytics `.v`; found beside a `.e` file when not given
  TextFormat format = TextFormat::automatic;
  IdKind ids = IdKind::number;
  bool weighted = false; ///< a third column is required and read; else it is ignored
};

/// Direction as told by `NAME.properties` beside `NAME.e` (graph.*.directed = true|false), if there is one. Every rank
/// may call it: local.
[[nodiscard]] std::optional<bool> directed_by_properties(const std::string& graph_file);

/// Reads the graph: every rank its share. Throws FileError ("FILE:LINE: reason", the same on all ranks: the first bad
/// line of the file) or InputError for files that cannot be opened. Collective. `team` parses on several threads.
[[nodiscard]] GraphInput read_graph(const core::Communicator& comm, const ReadOptions& options, core::ThreadTeam& team);

} // namespace pregel
