#include "graph_file_options.hpp"

#include <filesystem>
#include <sstream>
#include <utility>

#include <CLI/CLI.hpp>

#include "command_line.hpp"
#include "core/error.hpp"

namespace drivers {
namespace {

[[noreturn]] void refuse_old_ids() {
  throw core::InputError("--old-ids: vertices keep their ids here; it goes with --relabel degree");
}

} // namespace

std::optional<bool> GraphFileOptions::asked_direction() const {
  if (directed) return true;
  if (undirected || symmetrise) return false;
  return std::nullopt;
}

void add_graph_file_options(CLI::App& app, GraphFileOptions& o) {
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
  app.add_flag("--symmetrise", o.symmetrise,
               "undirected, and u v and v u are one edge: --undirected --multi-edges drop")
      ->excludes(directed)
      ->group("Input");
  app.add_flag("--weighted", o.weighted, "read weights (else they are 1); an edge list's third column")->group("Input");
  app.add_option("--self-loops", o.self_loops,
                 "keep or drop edges u u (auto: keep for files, the generator's habit else)")
      ->check(CLI::IsMember({"auto", "keep", "drop"}))
      ->capture_default_str()
      ->group("Input");
  app.add_option("--multi-edges", o.multi_edges,
                 "repeated edges: keep, or make one of them with the smallest weight (drop), the first one's, or the "
                 "sum (auto as above)")
      ->check(CLI::IsMember({"auto", "keep", "drop", "first", "sum"}))
      ->capture_default_str()
      ->group("Input");
  app.add_flag("--largest-component", o.largest_component, "leave out all but the largest (weak) component")
      ->group("Input");
  app.add_option("--relabel", o.relabel, "degree: number the vertices 0, 1, ... by descending degree")
      ->check(CLI::IsMember({"none", "degree"}))
      ->capture_default_str()
      ->group("Input");
  app.add_option("--old-ids", o.old_ids,
                 "where vertices were renumbered: write this file, a line a vertex with its new id and the one it had")
      ->check(not_empty())
      ->group("Input");
}

void check_graph_file_options(const GraphFileOptions& o, bool numbers_from_one) {
  if (o.format != "auto" && o.format != "graphalytics" && !o.vertices.empty())
    throw core::InputError("--vertices goes with the Graphalytics format; leave --format " + o.format + " out");
  if (!o.columns.empty() && o.format != "auto" && o.format != "csv")
    throw core::InputError("--columns goes with the format csv; leave --format " + o.format + " out");
  if (o.relabel != "none" && o.ids == "string")
    throw core::InputError("--relabel renumbers vertices; it does not go with --ids string");
  if (o.symmetrise && o.multi_edges == "keep")
    throw core::InputError("--symmetrise makes u v and v u one edge; use --undirected to keep both");
  if (o.old_ids.empty()) return;
  if (o.relabel == "none" && !numbers_from_one) refuse_old_ids();
  require_shared_target(o.old_ids, "results");
}

std::string vertex_file_beside(const std::string& graph) {
  std::filesystem::path file = graph;
  if (file.extension() == ".gz" || file.extension() == ".zst") file.replace_extension();
  return file.extension() == ".e" ? file.replace_extension(".v").string() : "";
}

pregel::ReadOptions read_options_of(const GraphFileOptions& o, const std::string& graph) {
  pregel::ReadOptions read;
  read.graph_file = graph;
  if (!o.vertices.empty()) read.vertex_file = o.vertices;
  read.format = pregel::parse_graph_format(o.format);
  read.ids = o.ids == "string" ? pregel::IdKind::text : pregel::IdKind::number;
  read.weighted = o.weighted;
  read.directed = o.asked_direction();
  read.limits.in_order = o.multi_edges == "first";
  std::istringstream names(o.columns);
  for (std::string name; std::getline(names, name, ',');) read.columns.push_back(name);
  if (!o.columns.empty() && (read.columns.size() < 2 || read.columns.size() > 3))
    throw core::InputError("--columns " + o.columns + ": expected source,target or source,target,weight");
  return read;
}

bool direction_of(const GraphFileOptions& o, const std::string& graph, const pregel::GraphInput& input) {
  if (const auto asked = o.asked_direction()) return *asked;
  if (input.directed) return *input.directed;
  return pregel::directed_by_properties(graph).value_or(true);
}

pregel::GraphInput prepare(const core::Communicator& comm, const GraphFileOptions& o, pregel::GraphInput&& input,
                           bool directed, core::ThreadTeam& team, pregel::OldIds& old_ids, bool numbers_from_one) {
  pregel::GraphInput prepared = std::move(input);
  if (o.multi_edges == "first" || o.multi_edges == "sum") {
    const auto weight = o.multi_edges == "sum" ? pregel::MergedWeight::sum : pregel::MergedWeight::first;
    prepared = pregel::merge_repeats(comm, std::move(prepared), !directed, weight);
  }
  if (o.largest_component) prepared = pregel::keep_largest_component(comm, std::move(prepared), team);
  const bool by_degree = o.relabel == "degree";
  if (by_degree || (numbers_from_one && prepared.names == nullptr && prepared.contiguous_first != 1)) {
    const auto order = by_degree ? pregel::NewOrder::degree : pregel::NewOrder::ascending;
    prepared = pregel::renumber(comm, std::move(prepared), order, numbers_from_one ? 1 : 0,
                                o.old_ids.empty() ? nullptr : &old_ids);
  } else if (!o.old_ids.empty()) {
    refuse_old_ids();
  }
  return prepared;
}

void set_policies(const GraphFileOptions& o, pregel::SelfLoops loops, pregel::MultiEdges repeats,
                  pregel::BuildOptions& build) {
  build.self_loops = loops;
  if (o.self_loops == "keep") build.self_loops = pregel::SelfLoops::keep;
  if (o.self_loops == "drop") build.self_loops = pregel::SelfLoops::drop;
  build.multi_edges = repeats;
  if (o.multi_edges == "keep") build.multi_edges = pregel::MultiEdges::keep;
  if (o.symmetrise || (o.multi_edges != "keep" && o.multi_edges != "auto"))
    build.multi_edges = pregel::MultiEdges::drop;
}

} // namespace drivers
