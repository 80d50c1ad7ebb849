// pregel: load or generate a graph, run a vertex program on it, write the results.
//
//   mpirun -n 4 pregel pagerank --generate kron:scale=20,degree=16 --iterations 20 --output ranks.txt
#include <algorithm>
#include <charconv>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
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
#include "pregel/graph/graph_builder.hpp"
#include "pregel/graph/name_directory.hpp"
#include "pregel/io/generators.hpp"
#include "pregel/io/readers.hpp"
#include "pregel/io/results.hpp"

namespace {

using core::InputError;

/// The command line, as typed.
struct Options {
  std::string algorithm;
  std::string graph, vertices, format = "auto", generate, ids = "number";
  bool directed = false, undirected = false, weighted = false;
  std::string self_loops = "auto", multi_edges = "auto", partition = "hash", mode = "sync";
  int threads = 1;
  std::string source, sources_file, values_file, variant = "standard", combiner = "on", unknown_target = "error";
  std::optional<std::uint64_t> iterations;
  double damping = 0.85, tolerance = 1e-9;
  std::uint64_t max_supersteps = ~std::uint64_t{0}, seed = 1;
  int repeat = 1;
  std::size_t top = 0;
  bool parents = false, progress = false, quiet = false;
  std::string output, metrics, trace, trace_vertices;
};

std::string list_algorithms() {
  std::string text = "Algorithms:\n";
  for (const pregel::Algorithm& a : pregel::algorithms()) text += fmt::format("  {:<10} {}\n", a.name, a.summary);
  return text;
}

void add_input_options(CLI::App& app, Options& o) {
  app.add_option("--graph", o.graph, "graph file: edge list (u v [weight] a line) or Graphalytics .e; .gz of either")
      ->group("Input");
  app.add_option("--vertices", o.vertices, "Graphalytics .v file (default: beside the .e file)")->group("Input");
  app.add_option("--format", o.format, "auto (by the file's name), edgelist or graphalytics")
      ->check(CLI::IsMember({"auto", "edgelist", "graphalytics"}))
      ->capture_default_str()
      ->group("Input");
  app.add_option("--generate", o.generate,
                 "generate instead: kron:scale=20,degree=16,seed=1 | er:n=,edges= | grid:rows=,cols= | "
                 "chain:n= | star:n= | tree:n= | smallworld:n=,k=,p= (and weights=int|real)")
      ->group("Input");
  app.add_option("--ids", o.ids, "number (unsigned 64-bit) or string (names)")
      ->check(CLI::IsMember({"number", "string"}))
      ->capture_default_str()
      ->group("Input");
  auto* directed =
      app.add_flag("--directed", o.directed, "edges have a direction (default for files without .properties)")
          ->group("Input");
  app.add_flag("--undirected", o.undirected, "each edge counts both ways")->excludes(directed)->group("Input");
  app.add_flag("--weighted", o.weighted, "read the third column as weight (else weights are 1)")->group("Input");
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
  app.add_option("--partition", o.partition, "who owns a vertex: hash, modulo or range")
      ->check(CLI::IsMember({"hash", "modulo", "range"}))
      ->capture_default_str()
      ->group("Input");
}

void add_run_options(CLI::App& app, Options& o) {
  app.add_option("--threads", o.threads, "threads of each rank")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str()
      ->group("Run");
  app.add_option("--mode", o.mode, "sync; async is not built yet")
      ->check(CLI::IsMember({"sync", "async"}))
      ->capture_default_str()
      ->group("Run");
  app.add_option("--source", o.source, "source vertex (bfs, sssp)")->group("Run");
  app.add_option("--sources", o.sources_file, "file with a source a line: one run for each, on the same loaded graph")
      ->group("Run");
  app.add_option("--iterations", o.iterations, "pagerank: exactly N updates instead of --tolerance")->group("Run");
  app.add_option("--damping", o.damping, "pagerank: probability of following an edge")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str()
      ->group("Run");
  app.add_option("--tolerance", o.tolerance, "pagerank: stop when no vertex changes by more")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str()
      ->group("Run");
  app.add_option("--max-supersteps", o.max_supersteps, "stop after N supersteps (default: none)")
      ->check(CLI::PositiveNumber)
      ->group("Run");
  app.add_option("--variant", o.variant,
                 "standard, textbook (pagerank, sssp, wcc) or local-halt (pagerank, wrong on purpose)")
      ->capture_default_str()
      ->group("Run");
  app.add_option("--combiner", o.combiner, "off: deliver every message by itself")
      ->check(CLI::IsMember({"on", "off"}))
      ->capture_default_str()
      ->group("Run");
  app.add_option("--values", o.values_file, "start values, a line \"id value\" each (aggregate)")->group("Run");
  app.add_flag("--parents", o.parents, "bfs: also write each vertex's parent (smallest id one level nearer)")
      ->group("Run");
  app.add_option("--seed", o.seed, "of the vertex programs' random numbers")->capture_default_str()->group("Run");
  app.add_option("--repeat", o.repeat, "run N times; run_seconds is the median")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str()
      ->group("Run");
}

void add_output_options(CLI::App& app, Options& o) {
  app.add_option("--output", o.output,
                 "results: text \"id value\" a line, or HDF5 if the name ends in .h5; of the last run")
      ->group("Output");
  app.add_option("--metrics", o.metrics, "what the run did, as JSON")->group("Output");
  app.add_option("--trace", o.trace, "CSV, a row a superstep; counts deliveries exactly")->group("Output");
  app.add_option("--trace-vertices", o.trace_vertices, "CSV, a row a vertex a superstep (small graphs)")
      ->group("Output");
  app.add_option("--top", o.top, "print the N vertices with the largest values")->group("Output");
  auto* progress =
      app.add_flag("--progress", o.progress, "progress line even if standard error is no terminal")->group("Output");
  app.add_flag("--quiet", o.quiet, "print errors only")->excludes(progress)->group("Output");
}

/// Nothing when --help or --version was answered. InputError for anything impossible.
std::optional<Options> parse_options(int argc, char** argv, int rank) {
  Options options;
  CLI::App app{
      "Runs a vertex program on a graph, with MPI ranks and threads; the result has the same bits for any number of "
      "both."};
  app.name("pregel");
  app.footer(list_algorithms());
  app.add_option("algorithm", options.algorithm, "what to compute (see below)")->required();
  add_input_options(app, options);
  add_run_options(app, options);
  add_output_options(app, options);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    if (rank == 0) fmt::print("{}", app.help());
    return std::nullopt;
  } catch (const CLI::ParseError& error) {
    throw InputError(std::string(error.what()) + " (see pregel --help)");
  }
  return options;
}

/// Checks that need no file and no graph.
void check_options(const Options& o, const pregel::Algorithm& algorithm) {
  if (o.graph.empty() == o.generate.empty()) throw InputError("give either --graph FILE or --generate SPEC");
  if (o.mode == "async") throw InputError("--mode async is not built yet; --mode sync gives the same results");
  if (std::find(algorithm.variants.begin(), algorithm.variants.end(), o.variant) == algorithm.variants.end()) {
    throw InputError(
        fmt::format("--variant {}: {} has {}", o.variant, o.algorithm, fmt::join(algorithm.variants, ", ")));
  }
  if (algorithm.needs_source && o.source.empty() == o.sources_file.empty()) {
    throw InputError(o.algorithm + " needs either --source ID or --sources FILE");
  }
  if (!algorithm.needs_source && !(o.source.empty() && o.sources_file.empty())) {
    throw InputError(o.algorithm + " has no source; leave --source and --sources out");
  }
  if (!o.generate.empty() && (!o.vertices.empty() || o.ids != "number" || o.format != "auto")) {
    throw InputError("--vertices, --format and --ids describe files; they do not go with --generate");
  }
  if (o.parents && o.algorithm != "bfs") throw InputError("--parents goes with bfs only");
  if (o.iterations && (o.algorithm != "pagerank" || o.variant != "standard")) {
    throw InputError("--iterations goes with pagerank, --variant standard; use --max-supersteps here");
  }
  if (!o.values_file.empty() && o.algorithm != "aggregate") throw InputError("--values goes with aggregate only");
  const bool many_runs = o.repeat > 1 || !o.sources_file.empty();
  if (many_runs && !(o.trace.empty() && o.trace_vertices.empty())) {
    throw InputError("--trace and --trace-vertices describe one run; leave --repeat and --sources out");
  }
}

/// Every file that will be written can be written: told before the graph is loaded.
void check_targets(const core::Communicator& comm, const Options& o) {
  core::agree(comm, [&] {
    if (comm.rank() != 0) return;
    for (const std::string* path : {&o.output, &o.metrics, &o.trace, &o.trace_vertices}) {
      if (!path->empty()) core::require_writable_target(*path);
    }
  });
}

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

LoadedGraph load_graph(const core::Communicator& comm, const Options& o, pregel::GraphNeeds needs,
                       const pregel::Algorithm& algorithm, core::ThreadTeam& team) {
  core::barrier(comm);
  const core::Stopwatch watch;
  pregel::BuildOptions build;
  build.partition = pregel::parse_partition_kind(o.partition);
  pregel::GraphInput input;
  bool weighted = o.weighted;
  if (!o.generate.empty()) {
    const pregel::GeneratorSpec spec = pregel::parse_generator(o.generate);
    input = pregel::generate(comm, spec, team);
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

pregel::GlobalId resolve_source(const core::Communicator& comm, const LoadedGraph& loaded, const std::string& text) {
  std::optional<pregel::GlobalId> id;
  if (loaded.names) {
    id = loaded.names->find(comm, text);
  } else {
    std::uint64_t parsed = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), parsed);
    if (error != std::errc{} || end != text.data() + text.size())
      throw InputError("source vertex '" + text + "' is not an unsigned 64-bit number");
    id = pregel::GlobalId{parsed};
  }
  if (!id || !loaded.graph.exists(*id))
    throw InputError("source vertex " + text + " does not exist in " + loaded.description);
  return *id;
}

/// The words of --source or of the lines of --sources, the same on every rank.
std::vector<std::string> source_words(const core::Communicator& comm, const Options& o) {
  if (!o.source.empty()) return {o.source};
  if (o.sources_file.empty()) return {};
  const std::string text = core::agree(comm, [&]() -> std::string {
    if (comm.rank() != 0) return {};
    std::ifstream in(o.sources_file);
    if (!in) throw InputError("cannot open " + o.sources_file);
    return {std::istreambuf_iterator<char>(in), {}};
  });
  std::istringstream in(core::broadcast_string(comm, text, 0));
  std::vector<std::string> words;
  for (std::string line; std::getline(in, line);) {
    std::istringstream fields(line);
    std::string word;
    if (fields >> word && word[0] != '#' && word[0] != '%') words.push_back(word);
  }
  if (words.empty()) throw InputError(o.sources_file + " names no source vertex");
  return words;
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

Outcome run_all(const core::Communicator& comm, const Options& o, const pregel::Algorithm& algorithm,
                const LoadedGraph& loaded, pregel::AlgorithmOptions algorithm_options, core::ThreadTeam& team) {
  pregel::RunOptions run;
  run.max_supersteps = o.max_supersteps;
  run.use_combiner = o.combiner == "on";
  run.seed = o.seed;
  run.progress = !o.quiet && (o.progress || isatty(STDERR_FILENO) != 0);
  run.trace_file = o.trace;
  run.trace_vertices_file = o.trace_vertices;
  std::vector<std::string> words = source_words(comm, o);
  if (words.empty()) words.emplace_back();
  std::vector<std::optional<pregel::GlobalId>> sources; // all are checked before the first run
  for (const std::string& word : words) {
    sources.push_back(word.empty() ? std::nullopt : std::optional(resolve_source(comm, loaded, word)));
  }
  Outcome outcome;
  for (int repetition = 0; repetition < o.repeat; ++repetition) {
    for (std::size_t i = 0; i < words.size(); ++i) {
      algorithm_options.source = sources[i];
      outcome.last = algorithm.run(loaded.graph, team, algorithm_options, run);
      outcome.runs.push_back({words[i], outcome.last.report.run_seconds, outcome.last.report.supersteps()});
    }
  }
  return outcome;
}

nlohmann::json metrics(const Options& o, const core::Communicator& comm, const LoadedGraph& loaded,
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

void say(const core::Communicator& comm, const Options& o, const std::string& line) {
  if (comm.rank() == 0 && !o.quiet) fmt::print("{}\n", line);
}

void print_run(const core::Communicator& comm, const Options& o, const LoadedGraph& loaded, const Outcome& outcome) {
  const pregel::RunReport& report = outcome.last.report;
  const double seconds = outcome.median_seconds();
  say(comm, o,
      fmt::format("{}: {} supersteps in {:.4f} s, {} messages, {:.1f} M edges/s", o.algorithm, report.supersteps(),
                  seconds, report.messages_sent(),
                  seconds > 0 ? static_cast<double>(report.messages_sent()) / seconds / 1e6 : 0.0));
  for (const auto& [name, value] : report.aggregates) say(comm, o, fmt::format("  {} = {:.6g}", name, value));
  if (o.top == 0) return;
  for (const auto& [name, value] : pregel::top_vertices(comm, outcome.last.result, loaded.names.get(), o.top)) {
    say(comm, o, fmt::format("  {:<20} {:.9g}", name, value));
  }
}

core::ExitCode run(const core::Communicator& comm, int argc, char** argv) {
  const std::optional<Options> parsed = parse_options(argc, argv, comm.rank());
  if (!parsed) return core::ExitCode::success;
  const Options& o = *parsed;
  const pregel::Algorithm& algorithm = pregel::find_algorithm(o.algorithm);
  check_options(o, algorithm);
  check_targets(comm, o);
  core::configure_logging(comm.rank(), o.quiet ? core::LogLevel::quiet : core::LogLevel::normal);

  core::ThreadTeam team(o.threads);
  pregel::AlgorithmOptions algorithm_options;
  algorithm_options.variant = o.variant;
  algorithm_options.iterations = o.iterations;
  algorithm_options.damping = o.damping;
  algorithm_options.tolerance = o.tolerance;
  algorithm_options.parents = o.parents;

  const LoadedGraph loaded = load_graph(comm, o, algorithm.needs(algorithm_options), algorithm, team);
  say(comm, o,
      fmt::format("{}: {} vertices, {} edges, {}, loaded in {:.3f} s on {} rank{} x {} thread{}", loaded.description,
                  loaded.graph.vertex_count, loaded.graph.edge_count, loaded.graph.directed ? "directed" : "undirected",
                  loaded.seconds, comm.size(), comm.size() == 1 ? "" : "s", o.threads, o.threads == 1 ? "" : "s"));
  if (!o.values_file.empty())
    algorithm_options.start_values = pregel::read_values(comm, o.values_file, loaded.names.get());

  const Outcome outcome = run_all(comm, o, algorithm, loaded, algorithm_options, team);
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
