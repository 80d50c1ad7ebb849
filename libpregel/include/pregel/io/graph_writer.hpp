// A graph as a file, in each of the formats that are read (readers.hpp), our own included. What is written is read
// again as the same graph; the bytes are the same for every number of ranks.
//
// All functions need a graph that has out_edges and lies in ranges (PartitionKind::range), are collective, write a file
// that is complete or absent, and return the bytes written by all ranks.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/communicator.hpp"
#include "pregel/graph/distributed_graph.hpp"
#include "pregel/graph/name_directory.hpp"
#include "pregel/io/readers.hpp"

namespace pregel {

/// Writes `u v` or `u v weight` a line (reals %.17g), ascending by u, then v; an undirected edge once, with u <= v.
/// Lines of `header`, each put after "# ", come first. `names`: of string ids, or null.
std::uint64_t write_edge_list(const core::Communicator& comm, const DistributedGraph& graph, const std::string& header,
                              const std::string& path, const NameDirectory* names = nullptr);

/// Writes every vertex, isolated ones included, an id a line, ascending (Graphalytics `.v`).
std::uint64_t write_vertex_list(const core::Communicator& comm, const DistributedGraph& graph, const std::string& path,
                                const NameDirectory* names = nullptr);

/// Writes any format but `automatic`. Graphalytics makes NAME.e, NAME.v and NAME.properties. Formats that number their
/// vertices from 1 want them so (numbers_from_one). InputError for what the format has no room for: names, or a
/// direction (METIS).
std::uint64_t write_graph(const core::Communicator& comm, const DistributedGraph& graph, const NameDirectory* names,
                          GraphFormat format, const std::string& header, const std::string& path);

/// The format that a name to be written tells; edge_list for names that tell nothing. InputError for compressed ones.
/// Local.
[[nodiscard]] GraphFormat format_to_write(std::string_view path);

/// True for the formats whose vertices are 1 .. n. Local.
[[nodiscard]] bool numbers_from_one(GraphFormat format);

} // namespace pregel
