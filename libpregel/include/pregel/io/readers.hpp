// Text graphs, read in parallel: each rank reads its share of the bytes, cut at line ends (text_lines.hpp), in the line
// formats of edge_list.hpp.
#pragma once

#include <optional>
#include <string>

#include "core/communicator.hpp"
#include "core/thread_team.hpp"
#include "pregel/graph/graph_input.hpp"
#include "pregel/io/text_lines.hpp"

namespace pregel {

/// edge_list: edges only, vertices are their endpoints. graphalytics: edges in NAME.e, vertices in NAME.v, and every
/// endpoint must be listed there. automatic: graphalytics when the file's name ends in .e or .e.gz and its vertex file
/// exists, else edge_list.
enum class TextFormat { automatic, edge_list, graphalytics };
/// number: 0 .. 2^64-2. text: any bytes but blanks, tabs, line ends and zero.
enum class IdKind { number, text };

struct ReadOptions {
  std::string graph_file;                      ///< edge list, or Graphalytics `.e`; `.gz` of either
  std::optional<std::string> vertex_file = {}; ///< Graphalytics `.v`; found beside a `.e` file when not given. Given
                                               ///< with any format it makes that graphalytics
  TextFormat format = TextFormat::automatic;
  IdKind ids = IdKind::number;
  bool weighted = false;  ///< a third column is required and read; else it is ignored. Further columns always are
  TextLimits limits = {}; ///< buffer sizes
};

/// Direction as told by `NAME.properties` beside `NAME.e` (graph.*.directed = true|false), if there is one. FileError
/// for another value. Local.
[[nodiscard]] std::optional<bool> directed_by_properties(const std::string& graph_file);

/// Reads the graph: every rank its share. The vertex file is read first. Throws FileError ("FILE:LINE: reason", the
/// same on all ranks: the first bad line of the file) or InputError for files that cannot be opened. Collective. `team`
/// parses on several threads.
[[nodiscard]] GraphInput read_graph(const core::Communicator& comm, const ReadOptions& options, core::ThreadTeam& team);

} // namespace pregel
