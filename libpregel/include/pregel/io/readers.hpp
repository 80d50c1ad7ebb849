// Graph files, read in parallel: each rank reads its share. Text is cut at line ends (text_lines.hpp); formats with a
// header have it read by every rank first.
//
//   edge_list        source target [weight]                     edge_list.hpp; vertices are the endpoints
//   graphalytics     the same in NAME.e, vertices in NAME.v     every endpoint must be listed there
//   matrix_market    %%MatrixMarket matrix coordinate ...       vertices 1 .. n; symmetric matrices are undirected
//   metis            n m [fmt], then a line a vertex            vertices 1 .. n; undirected
//   dimacs           p sp n m, then a source target weight      vertices 1 .. n; shortest-path files (.gr)
//   adjacency_list   vertex[:] neighbour neighbour ...          vertices are what is named
//   csv              a header, then columns chosen by name      vertices are the endpoints
//   hdf5             our own binary form                        src/io/graph_hdf5.hpp
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/communicator.hpp"
#include "core/thread_team.hpp"
#include "pregel/graph/graph_input.hpp"
#include "pregel/io/text_lines.hpp"

namespace pregel {

/// automatic: told by the name and the first bytes (graph_format.cpp), edge_list when nothing tells.
enum class GraphFormat { automatic, edge_list, graphalytics, matrix_market, metis, dimacs, adjacency_list, csv, hdf5 };
/// number: 0 .. 2^64-2. text: any bytes but blanks, tabs, line ends and zero.
enum class IdKind { number, text };

struct ReadOptions {
  std::string graph_file;                      ///< in any of the formats; text may be gzip or zstd
  std::optional<std::string> vertex_file = {}; ///< Graphalytics `.v`; found beside a `.e` file when not given. Given
                                               ///< with any format it makes that graphalytics
  GraphFormat format = GraphFormat::automatic;
  IdKind ids = IdKind::number;
  bool weighted = false;            ///< weights are required and read; else they are ignored and all weights are 1
  bool weights_if_declared = false; ///< also read where the file itself says that it has them
  /// What the user says of the direction. Matrices that are stored by half are made whole for `true`.
  std::optional<bool> directed = {};
  std::vector<std::string> columns = {}; ///< of csv: source, target and weight by name, or by number from 1
  TextLimits limits = {};                ///< buffer sizes
};

/// "edgelist", "graphalytics", "matrixmarket", "metis", "dimacs", "adjacency", "csv", "hdf5" or "auto"; InputError for
/// others. Local.
[[nodiscard]] GraphFormat parse_graph_format(std::string_view name);
/// The names that parse_graph_format() takes.
[[nodiscard]] const std::vector<std::string>& graph_format_names();

/// Direction as told by `NAME.properties` beside `NAME.e` (graph.*.directed = true|false), if there is one. FileError
/// for another value. Local.
[[nodiscard]] std::optional<bool> directed_by_properties(const std::string& graph_file);

/// Reads the graph: every rank its share. A vertex file is read first. Throws FileError ("FILE:LINE: reason", the
/// same on all ranks: the first bad line of the file) or InputError for files that cannot be opened. Collective. `team`
/// parses on several threads.
[[nodiscard]] GraphInput read_graph(const core::Communicator& comm, const ReadOptions& options, core::ThreadTeam& team);

} // namespace pregel
