#include "pregel/checkpoint/stored_graph.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "core/agreement.hpp"
#include "core/clock.hpp"
#include "core/collectives.hpp"
#include "pregel/error.hpp"
#include "pregel/graph/graph_input.hpp"

namespace pregel {
namespace {

using core::checkpoint::Part;
using core::checkpoint::Table;

/// The senders of all arcs, as ids of type Id: four bytes where all ids fit.
template <class Id>
void add_sources(Table& vertices, const DistributedGraph& graph, std::vector<std::uint64_t> counts) {
  std::vector<Id> sources;
  sources.reserve(graph.in_arcs.entries.size());
  for (const Slot slot : graph.in_arcs.entries) sources.push_back(static_cast<Id>(number(graph.slot_ids[index(slot)])));
  vertices.add_list<Id>("sources", std::move(counts), std::span<const Id>(sources));
}

void add_weights(Table& vertices, const DistributedGraph& graph, std::vector<std::uint64_t> counts) {
  const ArcWeights& weights = graph.in_arcs.weights;
  std::vector<double> values(weights.size());
  for (std::size_t a = 0; a < values.size(); ++a) values[a] = weights[a];
  vertices.add_list<double>("weights", std::move(counts), std::span<const double>(values));
}

Table save_names(const NameDirectory& names) {
  std::vector<std::uint64_t> lengths;
  std::string letters;
  for (const std::string& name : names.local_names()) {
    lengths.push_back(name.size());
    letters += name;
  }
  Table table("names", lengths.size());
  table.add_list<std::uint8_t>(
      "name", std::move(lengths),
      std::span<const std::uint8_t>(reinterpret_cast<const std::uint8_t*>(letters.data()), letters.size()));
  return table;
}

std::vector<std::string> load_names(const std::vector<Part>& parts) {
  std::vector<std::string> names;
  for (const Part& part : parts) {
    const Table* const table = core::checkpoint::find_table(part, "names");
    if (table == nullptr || table->rows() == 0) continue;
    const auto* letters = reinterpret_cast<const char*>(table->column<std::uint8_t>("name").data());
    for (const std::uint64_t length : table->counts("name")) {
      names.emplace_back(letters, length);
      letters += length;
    }
  }
  return names;
}

template <class Id>
void load_arcs(const Table& vertices, GraphInput& input) {
  const std::span<const GlobalId> ids = vertices.column<GlobalId>("id");
  const std::span<const Id> sources = vertices.column<Id>("sources");
  const std::span<const std::uint64_t> counts = vertices.counts("sources");
  const std::span<const double> weights =
      vertices.has("weights") ? vertices.column<double>("weights") : std::span<const double>();
  std::size_t a = 0;
  for (std::size_t v = 0; v < ids.size(); ++v) {
    input.vertices.push_back(ids[v]);
    for (std::uint64_t i = 0; i < counts[v]; ++i, ++a)
      input.edges.append({GlobalId{sources[a]}, ids[v]}, weights.empty() ? 1.0 : weights[a]);
  }
}

GraphInput load_input(const std::vector<Part>& parts, bool weighted) {
  GraphInput input;
  input.edges = EdgeBlocks(weighted);
  for (const Part& part : parts) {
    const Table& vertices = core::checkpoint::require_table(part, "vertices");
    if (vertices.rows() == 0) continue;
    if (vertices.find("sources").type.bytes == 4)
      load_arcs<std::uint32_t>(vertices, input);
    else
      load_arcs<std::uint64_t>(vertices, input);
  }
  return input;
}

} // namespace

Part save_graph(const DistributedGraph& graph, const NameDirectory* names) {
  Table vertices("vertices", graph.local_count);
  vertices.add<GlobalId>("id", std::span<const GlobalId>(graph.slot_ids.data(), graph.local_count));
  std::vector<std::uint64_t> counts;
  counts.reserve(graph.local_count);
  for (std::uint32_t v = 0; v < graph.local_count; ++v) counts.push_back(graph.in_arcs.length(v));
  // All ranks must choose the same type, so the choice hangs on a number that all of them know.
  if (graph.largest_id <= 0xffffffffULL)
    add_sources<std::uint32_t>(vertices, graph, counts);
  else
    add_sources<std::uint64_t>(vertices, graph, counts);
  if (graph.weighted) add_weights(vertices, graph, std::move(counts));
  Part part;
  part.push_back(std::move(vertices));
  if (names != nullptr) part.push_back(save_names(*names));
  return part;
}

nlohmann::json describe_graph(const LoadedGraph& loaded) {
  const DistributedGraph& graph = loaded.graph;
  return {{"description", loaded.description}, {"vertices", graph.vertex_count},  {"edges", graph.edge_count},
          {"arcs", graph.arc_count},           {"directed", graph.directed},      {"weighted", graph.weighted},
          {"fingerprint", graph.fingerprint},  {"named", loaded.names != nullptr}};
}

LoadedGraph rebuild_graph(const core::Communicator& comm, const std::vector<Part>& parts,
                          const nlohmann::json& description, GraphNeeds needs, const Placement& placement,
                          core::ThreadTeam& team) {
  const core::Stopwatch watch;
  LoadedGraph loaded;
  loaded.description = description.at("description").get<std::string>();
  if (description.at("named").get<bool>()) {
    // Numbers of names are their places in bytewise order, so they come out as they were.
    const std::vector<std::string> names = core::agree(comm, [&] { return load_names(parts); });
    std::vector<GlobalId> ids;
    loaded.names = std::make_shared<const NameDirectory>(NameDirectory::build(comm, names, ids));
  }
  BuildOptions build;
  build.directed = true; // arcs as they are stored; the graph may still be called undirected, below
  build.partition = placement.kind;
  build.partitioner = placement.partitioner;
  needs.path = MessagePath::along_edges;
  needs.directions = false; // marks are stored as the weights they are
  needs.weights = description.at("weighted").get<bool>();
  build.needs = needs;
  GraphInput input = core::agree(comm, [&] { return load_input(parts, needs.weights); });
  loaded.graph = build_graph(comm, std::move(input), build, team);
  loaded.graph.directed = description.at("directed").get<bool>();
  loaded.graph.edge_count = description.at("edges").get<std::uint64_t>();
  if (loaded.graph.fingerprint != description.at("fingerprint").get<std::uint64_t>()) {
    GraphError error("the stored graph is not the one it was: its fingerprint has changed");
    error.set_rank(0); // all ranks see the same
    throw error;
  }
  loaded.seconds = core::all_reduce_value(comm, watch.seconds(), core::Reduce::max);
  return loaded;
}

} // namespace pregel
