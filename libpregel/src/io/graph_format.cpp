// A name tells the format where its ending belongs to one format alone; the first bytes tell the rest, as far as no
// edge list could look so: HDF5's signature, `%%MatrixMarket`, a line `p sp ...`, a vertex with a colon behind it.
#include "graph_format.hpp"

#include <utility>

#include "core/agreement.hpp"
#include "core/collectives.hpp"
#include "core/error.hpp"
#include "pregel/io/fields.hpp"
#include "text_head.hpp"

namespace pregel {
namespace {

constexpr std::pair<std::string_view, GraphFormat> kNames[] = {
    {"auto", GraphFormat::automatic},
    {"edgelist", GraphFormat::edge_list},
    {"graphalytics", GraphFormat::graphalytics},
    {"matrixmarket", GraphFormat::matrix_market},
    {"metis", GraphFormat::metis},
    {"dimacs", GraphFormat::dimacs},
    {"adjacency", GraphFormat::adjacency_list},
    {"csv", GraphFormat::csv},
    {"hdf5", GraphFormat::hdf5},
};

constexpr std::pair<std::string_view, GraphFormat> kEndings[] = {
    {".mtx", GraphFormat::matrix_market},
    {".metis", GraphFormat::metis},
    {".graph", GraphFormat::metis},
    {".gr", GraphFormat::dimacs},
    {".adj", GraphFormat::adjacency_list},
    {".adjlist", GraphFormat::adjacency_list},
    {".csv", GraphFormat::csv},
    {".tsv", GraphFormat::csv},
    {".h5", GraphFormat::hdf5},
    {".hdf5", GraphFormat::hdf5},
};

/// What the first line of data shows.
[[nodiscard]] GraphFormat format_of_first_line(TextHead& head, IdKind ids) {
  if (ids == IdKind::text) return GraphFormat::edge_list; // anything may be a name
  while (const std::optional<HeadLine> line = head.next()) {
    const std::vector<std::string_view> fields = split_columns(line->text);
    if (fields.empty() || fields[0][0] == '#' || fields[0][0] == '%') continue;
    if (fields[0] == "c") continue; // a comment, if this is DIMACS
    if (fields[0] == "p") return GraphFormat::dimacs;
    const bool colon = fields[0].ends_with(':') || (fields.size() > 1 && fields[1] == ":");
    return colon ? GraphFormat::adjacency_list : GraphFormat::edge_list;
  }
  return GraphFormat::edge_list;
}

/// Rank 0's view.
[[nodiscard]] GraphFormat look(const ReadOptions& options) {
  if (options.vertex_file) return GraphFormat::graphalytics;
  TextHead head(options.graph_file);
  if (head.first_bytes(8) == "\x89HDF\r\n\x1a\n") return GraphFormat::hdf5;
  if (head.first_bytes(14) == "%%MatrixMarket") return GraphFormat::matrix_market;
  const GraphFormat named = format_of_name(options.graph_file);
  return named != GraphFormat::automatic ? named : format_of_first_line(head, options.ids);
}

} // namespace

std::string_view without_compression(std::string_view file) {
  if (file.ends_with(".gz")) file.remove_suffix(3);
  if (file.ends_with(".zst")) file.remove_suffix(4);
  return file;
}

GraphFormat format_of_name(std::string_view file) {
  file = without_compression(file);
  for (const auto& [ending, format] : kEndings) {
    if (file.ends_with(ending)) return format;
  }
  return GraphFormat::automatic;
}

GraphFormat parse_graph_format(std::string_view name) {
  for (const auto& [known, format] : kNames) {
    if (known == name) return format;
  }
  std::string all;
  for (const std::string& known : graph_format_names()) all += (all.empty() ? "" : ", ") + known;
  throw core::InputError("--format " + std::string(name) + ": not one of " + all);
}

const std::vector<std::string>& graph_format_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const auto& [name, format] : kNames) all.emplace_back(name);
    return all;
  }();
  return names;
}

GraphFormat recognise_format(const core::Communicator& comm, const ReadOptions& options) {
  GraphFormat format = options.format;
  if (format != GraphFormat::automatic) return format;
  core::agree(comm, [&] {
    if (comm.rank() != 0) return;
    format = look(options);
    // find_vertex_file() looks for the companion of a .e file.
    if (format == GraphFormat::edge_list || format == GraphFormat::graphalytics) format = GraphFormat::automatic;
  });
  return static_cast<GraphFormat>(core::broadcast_value(comm, static_cast<int>(format), 0));
}

} // namespace pregel
