#include "graph_file_options.hpp"

#include <sstream>

#include "core/error.hpp"

namespace drivers {

std::optional<bool> GraphFileOptions::asked_direction() const {
  if (directed) return true;
  if (undirected) return false;
  return std::nullopt;
}

void add_graph_file_options(CLI::App& app, GraphFileOptions& o) {
  app.add_option("--vertices", o.vertices, "Graphalytics .v file (default: beside the .e file)")->group("Input");
  app.add_option("--format", o.format, "auto (by the file's name and first bytes), or one of the formats")
      ->check(CLI::IsMember(pregel::graph_format_names()))
      ->capture_default_str()
      ->group("Input");
  app.add_option("--columns", o.columns,
                 "csv: names (or numbers from 1) of the columns with source, target and weight, as src,dst,weight")
      ->group("Input");
  app.add_option("--ids", o.ids, "number (unsigned 64-bit) or string (names)")
      ->check(CLI::IsMember({"number", "string"}))
      ->capture_default_str()
      ->group("Input");
  auto* directed = app.add_flag("--directed", o.directed, "edges have a direction (default for files that do not say)")
                       ->group("Input");
  app.add_flag("--undirected", o.undirected, "each edge counts both ways")->excludes(directed)->group("Input");
  app.add_flag("--weighted", o.weighted, "read weights (else they are 1); an edge list's third column")->group("Input");
  app.add_option("--self-loops", o.self_loops,
                 "keep or drop edges u u (auto: keep for files, the generator's habit else)")
      ->check(CLI::IsMember({"auto", "keep", "drop"}))
      ->capture_default_str()
      ->group("Input");
  app.add_option("--multi-edges", o.multi_edges,
                 "keep or drop repeated edges; drop keeps the smallest weight (auto as above)")
      ->check(CLI::IsMember({"auto", "keep", "drop"}))
      ->capture_default_str()
      ->group("Input");
}

void check_graph_file_options(const GraphFileOptions& o) {
  if (o.format != "auto" && o.format != "graphalytics" && !o.vertices.empty())
    throw core::InputError("--vertices goes with the Graphalytics format; leave --format " + o.format + " out");
  if (!o.columns.empty() && o.format != "auto" && o.format != "csv")
    throw core::InputError("--columns goes with the format csv; leave --format " + o.format + " out");
}

pregel::ReadOptions read_options_of(const GraphFileOptions& o, const std::string& graph) {
  pregel::ReadOptions read;
  read.graph_file = graph;
  if (!o.vertices.empty()) read.vertex_file = o.vertices;
  read.format = pregel::parse_graph_format(o.format);
  read.ids = o.ids == "string" ? pregel::IdKind::text : pregel::IdKind::number;
  read.weighted = o.weighted;
  read.directed = o.asked_direction();
  std::istringstream names(o.columns);
  for (std::string name; std::getline(names, name, ',');) read.columns.push_back(name);
  if (!o.columns.empty() && (read.columns.size() < 2 || read.columns.size() > 3))
    throw core::InputError("--columns " + o.columns + ": expected source,target or source,target,weight");
  return read;
}

} // namespace drivers
