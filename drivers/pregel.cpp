// pregel: load or generate a graph, run a vertex program on it, write the results.
//
//   mpirun -n 4 pregel pagerank --generate kron:scale=20,degree=16 --iterations 20 --output ranks.txt
#include <algorithm>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <system_error>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

#include "core/agreement.hpp"
#include "core/atomic_file.hpp"
#include "core/clock.hpp"
#include "core/collectives.hpp"
#include "core/log.hpp"
#include "core/metrics.hpp"
#include "core/runtime.hpp"
#include "pregel/algorithms/algorithm.hpp"
#include "pregel/error.hpp"
#include "pregel/graph/graph_builder.hpp"
#include "pregel/graph/name_directory.hpp"
#include "pregel/io/generators.hpp"
#include "pregel/io/readers.hpp"
#include "pregel/io/results.hpp"
#include "pregel_options.hpp"

namespace {

using core::InputError;
using drivers::PregelOptions;

/// A loaded graph and what is known of where it came from.
struct LoadedGraph {
  pregel::DistributedGraph graph;
  std::shared_ptr<const pregel::NameDirectory> names;
  std::string description;
  double seconds = 0;
};

template <class Policy>
Policy policy(const std::string& word, Policy by_default) {
  if (word == "keep") return Policy::keep;
  if (word == "drop") return Policy::drop;
  return by_default;
}

LoadedGraph load_graph(const core::Communicator& comm, const PregelOptions& o, pregel::GraphNeeds needs,
                       const pregel::Algorithm& algorithm, core::ThreadTeam& team) {
  core::barrier(comm);
  const core::Stopwatch watch;
  pregel::BuildOptions build;
  build.partition = pregel::parse_partition_kind(o.partition);
  pregel::GraphInput input;
  bool weighted = o.weighted;
  if (!o.generate.empty()) {
    const pregel::GeneratorSpec spec = pregel::parse_generator(o.generate);
    pregel::require_room_for(comm, spec);
    input = core::agree(comm, [&] { return pregel::generate(comm, spec, team); });
    build.directed = o.directed || (spec.directed && !o.undirected);
    build.self_loops = policy(o.self_loops, spec.default_self_loops());
    build.multi_edges = policy(o.multi_edges, spec.default_multi_edges());
    weighted = weighted || spec.weights != pregel::WeightKind::none;
  } else {
    pregel::ReadOptions read;
    read.graph_file = o.graph;
    if (!o.vertices.empty()) read.vertex_file = o.vertices;
    if (o.format == "edgelist") read.format = pregel::TextFormat::edge_list;
    if (o.format == "graphalytics") read.format = pregel::TextFormat::graphalytics;
    read.ids = o.ids == "string" ? pregel::IdKind::text : pregel::IdKind::number;
    read.weighted = o.weighted;
    input = pregel::read_graph(comm, read, team);
    build.directed = o.directed || (!o.undirected && pregel::directed_by_properties(o.graph).value_or(true));
    build.self_loops = policy(o.self_loops, pregel::SelfLoops::keep);
    build.multi_edges = policy(o.multi_edges, pregel::MultiEdges::keep);
  }
  needs.weights = weighted && algorithm.reads_weights;
  build.needs = needs;
  LoadedGraph loaded;
  loaded.names = input.names;
  loaded.description = input.description;
  loaded.graph = pregel::build_graph(comm, std::move(input), build);
  loaded.seconds = core::all_reduce_value(comm, watch.seconds(), core::Reduce::max);
  return loaded;
}

/// A source as the user wrote it; `line` of the --sources file, 0 for --source.
struct Source {
  std::string word;
  unsigned long long line = 0;
  std::optional<pregel::GlobalId> id;
};

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

std::string read_sources_file(const std::string& path) {
  std::error_code ignored; // what cannot be looked at cannot be opened either
  if (std::filesystem::is_directory(path, ignored)) throw InputError("cannot open " + path + ": Is a directory");
  std::ifstream in(path);
  if (!in) throw InputError("cannot open " + path + ": " + std::generic_category().message(errno));
  return {std::istreambuf_iterator<char>(in), {}};
}

/// --source, or the lines of --sources; with numbers as ids they are parsed already. Refused before the graph is
/// loaded. Collective.
std::vector<Source> read_sources(const core::Communicator& comm, const PregelOptions& o) {
  std::vector<Source> sources;
  if (!o.source.empty()) sources.push_back({o.source, 0, {}});
  if (!o.sources_file.empty()) {
    const std::string text =
        core::agree(comm, [&] { return comm.rank() == 0 ? read_sources_file(o.sources_file) : std::string(); });
    sources = parse_sources(o, core::broadcast_string(comm, text, 0));
  }
  if (o.ids != "number") return sources;
  for (Source& source : sources) {
    std::uint64_t id = 0;
    const char* const last = source.word.data() + source.word.size();
    const auto [end, error] = std::from_chars(source.word.data(), last, id);
    if (error != std::errc{} || end != last)
      refuse_source(o, source, "source vertex '" + source.word + "' is not an unsigned 64-bit number");
    source.id = pregel::GlobalId{id};
  }
  return sources;
}

/// Finds the sources in the graph. Collective.
void resolve_sources(const core::Communicator& comm, const PregelOptions& o, const LoadedGraph& loaded,
                     std::vector<Source>& sources) {
  for (Source& source : sources) {
    if (loaded.names) source.id = loaded.names->find(comm, source.word);
    if (!source.id || !loaded.graph.exists(*source.id))
      refuse_source(o, source, "source vertex " + source.word + " does not exist in " + loaded.description);
  }
}

/// One run of the algorithm, as told in the metrics.
struct RunSummary {
  std::string source;
  double seconds;
  std::uint64_t supersteps;
};

struct Outcome {
  pregel::AlgorithmRun last;
  std::vector<RunSummary> runs;

  [[nodiscard]] double median_seconds() const {
    std::vector<double> seconds;
    for (const RunSummary& run : runs) seconds.push_back(run.seconds);
    std::sort(seconds.begin(), seconds.end());
    const std::size_t n = seconds.size();
    return n % 2 == 1 ? seconds[n / 2] : (seconds[n / 2 - 1] + seconds[n / 2]) / 2;
  }
};

Outcome run_all(const PregelOptions& o, const pregel::Algorithm& algorithm, const LoadedGraph& loaded,
                std::vector<Source> sources, pregel::AlgorithmOptions algorithm_options, core::ThreadTeam& team) {
  pregel::RunOptions run;
  run.max_supersteps = o.max_supersteps;
  run.use_combiner = o.combiner == "on";
  run.seed = o.seed;
  run.progress = !o.quiet && (o.progress || isatty(STDERR_FILENO) != 0);
  run.trace_file = o.trace;
  run.trace_vertices_file = o.trace_vertices;
  if (sources.empty()) sources.emplace_back(); // one run without a source
  Outcome outcome;
  for (int repetition = 0; repetition < o.repeat; ++repetition) {
    for (const Source& source : sources) {
      algorithm_options.source = source.id;
      outcome.last = algorithm.run(loaded.graph, team, algorithm_options, run);
      outcome.runs.push_back({source.word, outcome.last.report.run_seconds, outcome.last.report.supersteps()});
    }
  }
  return outcome;
}

nlohmann::json metrics(const PregelOptions& o, const core::Communicator& comm, const LoadedGraph& loaded,
                       const Outcome& outcome, double output_seconds, std::uint64_t peak_bytes,
                       std::uint64_t graph_bytes, const std::string& command_line) {
  nlohmann::json document = outcome.last.report.to_json();
  document["algorithm"] = o.algorithm;
  document["variant"] = o.variant;
  document["ranks"] = comm.size();
  document["threads"] = o.threads;
  document["partition"] = o.partition;
  document["vertices"] = loaded.graph.vertex_count;
  document["edges"] = loaded.graph.edge_count;
  document["arcs"] = loaded.graph.arc_count;
  document["directed"] = loaded.graph.directed;
  document["load_seconds"] = loaded.seconds;
  document["run_seconds"] = outcome.median_seconds();
  document["output_seconds"] = output_seconds;
  document["peak_rss_bytes"] = peak_bytes;
  document["graph_bytes"] = graph_bytes;
  document["runs"] = nlohmann::json::array();
  for (const RunSummary& run : outcome.runs) {
    nlohmann::json entry{{"run_seconds", run.seconds}, {"supersteps", run.supersteps}};
    if (!run.source.empty()) entry["source"] = run.source;
    document["runs"].push_back(entry);
  }
  document["stamp"] = core::build_stamp();
  document["stamp"]["command_line"] = command_line;
  document["stamp"]["seed"] = o.seed;
  document["stamp"]["graph"] = loaded.description;
  document["stamp"]["graph_fingerprint"] = fmt::format("{:016x}", loaded.graph.fingerprint);
  return document;
}

void say(const core::Communicator& comm, const PregelOptions& o, const std::string& line) {
  if (comm.rank() == 0 && !o.quiet) fmt::print("{}\n", line);
}

void print_run(const core::Communicator& comm, const PregelOptions& o, const LoadedGraph& loaded,
               const Outcome& outcome) {
  const pregel::RunReport& report = outcome.last.report;
  const double seconds = outcome.median_seconds();
  say(comm, o,
      fmt::format("{}: {} superstep{} in {:.4f} s, {} messages, {:.1f} M edges/s", o.algorithm, report.supersteps(),
                  report.supersteps() == 1 ? "" : "s", seconds, report.messages_sent(),
                  seconds > 0 ? static_cast<double>(report.messages_sent()) / seconds / 1e6 : 0.0));
  for (const auto& [name, value] : report.aggregates) say(comm, o, fmt::format("  {} = {:.6g}", name, value));
  if (o.top == 0) return;
  for (const auto& [vertex, value] : pregel::top_vertices(comm, outcome.last.result, loaded.names.get(), o.top))
    say(comm, o, fmt::format("  {:<20} {}", vertex, value));
}

pregel::AlgorithmOptions algorithm_options_of(const PregelOptions& o) {
  pregel::AlgorithmOptions options;
  options.variant = o.variant;
  options.iterations = o.iterations;
  options.damping = o.damping.value_or(options.damping);
  options.tolerance = o.tolerance.value_or(options.tolerance);
  options.parents = o.parents;
  return options;
}

core::ExitCode run(const core::Communicator& comm, int argc, char** argv) {
  const std::optional<PregelOptions> parsed = drivers::parse_pregel_options(argc, argv, comm.rank() == 0);
  if (!parsed) return core::ExitCode::success;
  const PregelOptions& o = *parsed;
  const pregel::Algorithm& algorithm = pregel::find_algorithm(o.algorithm);
  drivers::check_pregel_options(o, algorithm);
  drivers::check_pregel_files(comm, o);
  std::vector<Source> sources = read_sources(comm, o);
  core::configure_logging(comm.rank(), o.quiet ? core::LogLevel::quiet : core::LogLevel::normal);

  core::ThreadTeam team(o.threads);
  pregel::AlgorithmOptions algorithm_options = algorithm_options_of(o);
  const LoadedGraph loaded = load_graph(comm, o, algorithm.needs(algorithm_options), algorithm, team);
  algorithm_options.names = loaded.names.get();
  say(comm, o,
      fmt::format("{}: {} vertices, {} edges, {}, loaded in {:.3f} s on {} rank{} x {} thread{}", loaded.description,
                  loaded.graph.vertex_count, loaded.graph.edge_count, loaded.graph.directed ? "directed" : "undirected",
                  loaded.seconds, comm.size(), comm.size() == 1 ? "" : "s", o.threads, o.threads == 1 ? "" : "s"));
  resolve_sources(comm, o, loaded, sources);
  if (!o.values_file.empty()) {
    algorithm_options.start_values = pregel::read_values(comm, o.values_file, loaded.names.get());
    pregel::require_values_of(comm, o.values_file, loaded.names.get(), loaded.graph, algorithm_options.start_values);
  }

  const Outcome outcome = run_all(o, algorithm, loaded, std::move(sources), algorithm_options, team);
  print_run(comm, o, loaded, outcome);

  const core::Stopwatch output_time;
  if (!o.output.empty()) pregel::write_results(comm, outcome.last.result, loaded.names.get(), o.output);
  const double output_seconds = output_time.seconds();
  const std::uint64_t peak =
      core::all_reduce_value(comm, std::uint64_t{core::peak_resident_bytes()}, core::Reduce::max);
  const std::uint64_t graph_bytes = core::all_reduce_value(comm, loaded.graph.bytes(), core::Reduce::sum);
  core::agree(comm, [&] {
    if (comm.rank() != 0 || o.metrics.empty()) return;
    std::vector<std::string> words(argv, argv + argc);
    core::write_json(o.metrics, metrics(o, comm, loaded, outcome, output_seconds, peak, graph_bytes,
                                        fmt::format("{}", fmt::join(words, " "))));
  });
  return core::ExitCode::success;
}

} // namespace

int main(int argc, char** argv) {
  return core::run_driver("pregel", argc, argv, run);
}
