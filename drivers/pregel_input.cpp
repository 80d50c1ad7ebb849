#include "pregel_input.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <system_error>
#include <utility>

#include "core/agreement.hpp"
#include "core/clock.hpp"
#include "core/collectives.hpp"
#include "pregel/error.hpp"
#include "pregel/graph/graph_builder.hpp"
#include "pregel/graph/name_directory.hpp"
#include "pregel/io/generators.hpp"
#include "pregel/io/readers.hpp"

namespace drivers {
namespace {

using core::InputError;

/// Edges as they come, and what is to be made of them.
struct RawGraph {
  pregel::GraphInput input;
  pregel::BuildOptions build;
  bool weighted = false;
  pregel::OldIds old_ids; // if asked for
};

RawGraph read_or_generate(const core::Communicator& comm, const PregelOptions& o, core::ThreadTeam& team) {
  RawGraph raw;
  raw.weighted = o.weighted;
  if (!o.generate.empty()) {
    const pregel::GeneratorSpec spec = pregel::parse_generator(o.generate);
    pregel::require_room_for(comm, spec);
    raw.input = core::agree(comm, [&] { return pregel::generate(comm, spec, team); });
    raw.build.directed = o.asked_direction().value_or(spec.directed);
    set_policies(o, spec.default_self_loops(), spec.default_multi_edges(), raw.build);
    raw.weighted = raw.weighted || spec.weights != pregel::WeightKind::none;
  } else {
    raw.input = pregel::read_graph(comm, read_options_of(o, o.graph), team);
    raw.build.directed = direction_of(o, o.graph, raw.input);
    set_policies(o, pregel::SelfLoops::keep, pregel::MultiEdges::keep, raw.build);
  }
  raw.input = prepare(comm, o, std::move(raw.input), raw.build.directed, team, raw.old_ids);
  return raw;
}

[[noreturn]] void refuse_source(const AlgorithmChoice& o, const Source& source, const std::string& reason) {
  if (source.line != 0) throw pregel::FileError(o.sources_file, source.line, reason);
  throw InputError(reason);
}

/// The lines of --sources that name a vertex. Local.
std::vector<Source> parse_sources(const AlgorithmChoice& o, const std::string& text) {
  std::istringstream in(text);
  std::vector<Source> sources;
  unsigned long long number = 0;
  for (std::string line; std::getline(in, line);) {
    std::istringstream fields(line);
    Source source{{}, ++number, {}};
    if (fields >> source.word && source.word[0] != '#' && source.word[0] != '%') sources.push_back(source);
  }
  if (sources.empty()) throw InputError(o.sources_file + " names no source vertex");
  return sources;
}

pregel::GlobalId parse_id(const AlgorithmChoice& o, const Source& source) {
  std::uint64_t id = 0;
  const char* const last = source.word.data() + source.word.size();
  const auto [end, error] = std::from_chars(source.word.data(), last, id);
  if (error != std::errc{} || end != last)
    refuse_source(o, source, "source vertex '" + source.word + "' is not an unsigned 64-bit number");
  return pregel::GlobalId{id};
}

std::string read_sources_file(const std::string& path) {
  std::error_code ignored; // what cannot be looked at cannot be opened either
  if (std::filesystem::is_directory(path, ignored)) throw InputError("cannot open " + path + ": Is a directory");
  std::ifstream in(path);
  if (!in) throw InputError("cannot open " + path + ": " + std::generic_category().message(errno));
  return {std::istreambuf_iterator<char>(in), {}};
}

} // namespace

GraphPlan plan_graphs(const std::vector<GraphUser>& users, const pregel::BuildOptions& build, bool weighted) {
  GraphPlan plan;
  for (const GraphUser& user : users) {
    pregel::GraphNeeds needs = user.needs;
    needs.weights = weighted && user.algorithm->reads_weights;
    if (build.self_loops == pregel::SelfLoops::drop && build.multi_edges == pregel::MultiEdges::drop)
      needs.simple = false; // it is anyway
    if (!build.directed) {  // both ways anyway, and nothing to mark
      needs.path = pregel::MessagePath::along_edges;
      needs.directions = false;
    }
    const auto same = std::ranges::find_if(plan.needs, [&](const pregel::GraphNeeds& other) {
      return other.path == needs.path && other.weights == needs.weights && other.directions == needs.directions &&
             other.simple == needs.simple;
    });
    plan.graph_of.push_back(static_cast<std::size_t>(same - plan.needs.begin()));
    if (same == plan.needs.end()) {
      plan.needs.push_back(needs);
    } else {
      same->push = same->push || needs.push;
      same->out_edges = same->out_edges || needs.out_edges;
    }
  }
  return plan;
}

LoadedGraphs load_graphs(const core::Communicator& comm, const PregelOptions& o, const std::vector<GraphUser>& users,
                         const pregel::Placement& placement, core::ThreadTeam& team) {
  core::barrier(comm);
  const core::Stopwatch watch;
  RawGraph raw = read_or_generate(comm, o, team);
  const double read_seconds = core::all_reduce_value(comm, watch.seconds(), core::Reduce::max);
  raw.build.partition = placement.kind;
  raw.build.partitioner = placement.partitioner;
  const GraphPlan plan = plan_graphs(users, raw.build, raw.weighted);
  LoadedGraphs loaded{{}, plan.graph_of, read_seconds, std::move(raw.old_ids)};
  for (std::size_t g = 0; g < plan.needs.size(); ++g) {
    const bool is_last = g + 1 == plan.needs.size();
    raw.build.needs = plan.needs[g];
    pregel::LoadedGraph graph;
    graph.names = raw.input.names;
    graph.description = raw.input.description;
    graph.graph = pregel::build_graph(comm, is_last ? std::move(raw.input) : raw.input.copy(), raw.build, team);
    raw.build.partitioner = graph.graph.partitioner; // a vertex has one owner in all of them
    loaded.graphs.push_back(std::move(graph));
  }
  const double seconds = core::all_reduce_value(comm, watch.seconds(), core::Reduce::max);
  for (pregel::LoadedGraph& graph : loaded.graphs) graph.seconds = seconds;
  return loaded;
}

std::vector<Source> read_sources(const core::Communicator& comm, const PregelOptions& o,
                                 const AlgorithmChoice& choice) {
  std::vector<Source> sources;
  if (!choice.source.empty()) sources.push_back({choice.source, 0, {}});
  if (!choice.sources_file.empty()) {
    const std::string text =
        core::agree(comm, [&] { return comm.rank() == 0 ? read_sources_file(choice.sources_file) : std::string(); });
    sources = parse_sources(choice, core::broadcast_string(comm, text, 0));
  }
  const bool graph_is_given = !o.graph.empty() || !o.generate.empty(); // a stored graph says itself what its ids are
  if (o.ids != "number" || !graph_is_given) return sources;
  for (Source& source : sources) source.id = parse_id(choice, source);
  return sources;
}

void resolve_sources(const core::Communicator& comm, const AlgorithmChoice& choice, const pregel::LoadedGraph& loaded,
                     std::vector<Source>& sources) {
  for (Source& source : sources) {
    source.id = loaded.names ? loaded.names->find(comm, source.word) : parse_id(choice, source);
    if (!source.id || !loaded.graph.exists(*source.id))
      refuse_source(choice, source, "source vertex " + source.word + " does not exist in " + loaded.description);
  }
}

} // namespace drivers
