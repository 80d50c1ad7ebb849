#include "pregel_input.hpp"

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

[[noreturn]] void refuse_source(const PregelOptions& o, const Source& source, const std::string& reason) {
  if (source.line != 0) throw pregel::FileError(o.sources_file, source.line, reason);
  throw InputError(reason);
}

/// The lines of --sources that name a vertex. Local.
std::vector<Source> parse_sources(const PregelOptions& o, const std::string& text) {
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

pregel::GlobalId parse_id(const PregelOptions& o, const Source& source) {
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

pregel::LoadedGraph load_graph(const core::Communicator& comm, const PregelOptions& o, pregel::GraphNeeds needs,
                               const pregel::Algorithm& algorithm, const pregel::Placement& placement,
                               core::ThreadTeam& team) {
  core::barrier(comm);
  const core::Stopwatch watch;
  pregel::BuildOptions build;
  build.partition = placement.kind;
  build.partitioner = placement.partitioner;
  pregel::GraphInput input;
  bool weighted = o.weighted;
  if (!o.generate.empty()) {
    const pregel::GeneratorSpec spec = pregel::parse_generator(o.generate);
    pregel::require_room_for(comm, spec);
    input = core::agree(comm, [&] { return pregel::generate(comm, spec, team); });
    build.directed = o.asked_direction().value_or(spec.directed);
    set_policies(o, spec.default_self_loops(), spec.default_multi_edges(), build);
    weighted = weighted || spec.weights != pregel::WeightKind::none;
  } else {
    input = pregel::read_graph(comm, read_options_of(o, o.graph), team);
    build.directed = direction_of(o, o.graph, input);
    set_policies(o, pregel::SelfLoops::keep, pregel::MultiEdges::keep, build);
  }
  input = prepare(comm, o, std::move(input), build.directed, team);
  needs.weights = weighted && algorithm.reads_weights;
  build.needs = needs;
  pregel::LoadedGraph loaded;
  loaded.names = input.names;
  loaded.description = input.description;
  loaded.graph = pregel::build_graph(comm, std::move(input), build);
  loaded.seconds = core::all_reduce_value(comm, watch.seconds(), core::Reduce::max);
  return loaded;
}

std::vector<Source> read_sources(const core::Communicator& comm, const PregelOptions& o) {
  std::vector<Source> sources;
  if (!o.source.empty()) sources.push_back({o.source, 0, {}});
  if (!o.sources_file.empty()) {
    const std::string text =
        core::agree(comm, [&] { return comm.rank() == 0 ? read_sources_file(o.sources_file) : std::string(); });
    sources = parse_sources(o, core::broadcast_string(comm, text, 0));
  }
  const bool graph_is_given = !o.graph.empty() || !o.generate.empty(); // a stored graph says itself what its ids are
  if (o.ids != "number" || !graph_is_given) return sources;
  for (Source& source : sources) source.id = parse_id(o, source);
  return sources;
}

void resolve_sources(const core::Communicator& comm, const PregelOptions& o, const pregel::LoadedGraph& loaded,
                     std::vector<Source>& sources) {
  for (Source& source : sources) {
    source.id = loaded.names ? loaded.names->find(comm, source.word) : parse_id(o, source);
    if (!source.id || !loaded.graph.exists(*source.id))
      refuse_source(o, source, "source vertex " + source.word + " does not exist in " + loaded.description);
  }
}

} // namespace drivers
