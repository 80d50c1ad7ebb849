#include "pregel_options.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "command_line.hpp"
#include "core/agreement.hpp"
#include "core/atomic_file.hpp"
#include "core/error.hpp"
#include "core/fault_tolerance.hpp"
#include "core/metrics.hpp"

namespace drivers {
namespace {

using core::InputError;

std::string list_algorithms() {
  std::string text = "Algorithms:\n";
  for (const pregel::Algorithm& a : pregel::algorithms()) text += fmt::format("  {:<10} {}\n", a.name, a.summary);
  return text;
}

void add_input_options(CLI::App& app, PregelOptions& o) {
  app.add_option("--graph", o.graph,
                 "graph file: an edge list (u v [weight] a line), Graphalytics .e, Matrix Market, METIS, DIMACS .gr, "
                 "adjacency lists, CSV; text also as .gz or .zst")
      ->group("Input");
  app.add_option("--generate", o.generate,
                 "generate instead: kron:scale=20,degree=16,seed=1 | er:n=,edges= | grid:rows=,cols= | "
                 "chain:n= | star:n= | tree:n= | smallworld:n=,k=,p= (and weights=int|real)")
      ->group("Input");
  app.add_option("--vertices", o.vertices, "Graphalytics .v file (default: beside the .e file)")->group("Input");
  add_graph_file_options(app, o);
  app.add_option("--partition", o.partition, "who owns a vertex: hash, modulo or range")
      ->check(CLI::IsMember({"hash", "modulo", "range"}))
      ->capture_default_str()
      ->group("Input");
}

void add_run_options(CLI::App& app, AlgorithmChoice& o) {
  app.add_option("--source", o.source, "source vertex (bfs, sssp, ppr, bc)")->group("Run");
  app.add_option("--sources", o.sources_file,
                 "file with a source a line: one run for each, on the same loaded graph (bc: one run, the sum of all)")
      ->group("Run");
  app.add_option("--iterations", o.iterations,
                 "exactly N updates: pagerank, ppr, hits (instead of --tolerance), cdlp, random-walk (10)")
      ->check(whole_number())
      ->group("Run");
  app.add_option("--damping", o.damping, "pagerank, ppr: probability of following an edge (0.85)")
      ->check(real_between(0, 1))
      ->group("Run");
  app.add_option("--tolerance", o.tolerance, "pagerank, ppr, hits: stop when no vertex changes by as much (1e-9)")
      ->check(real_between(0, std::numeric_limits<double>::max()))
      ->group("Run");
  app.add_option("--max-supersteps", o.max_supersteps, "stop after N supersteps (default: none)")
      ->check(whole_number(1))
      ->group("Run");
  app.add_option(
         "--variant", o.variant,
         "standard, textbook (pagerank, sssp, wcc, matching), sage (gcn) or local-halt (pagerank, wrong on purpose)")
      ->capture_default_str()
      ->group("Run");
  app.add_option("--combiner", o.combiner, "off: deliver every message by itself")
      ->check(CLI::IsMember({"on", "off"}))
      ->capture_default_str()
      ->group("Run");
  app.add_option("--values", o.values_file,
                 "start values, a line \"id value\" each (aggregate), or \"id value value ...\" (gcn)")
      ->group("Run");
  app.add_option("--p", o.walk_p, "random-walk: reluctance to go back (1)")
      ->check(real_between(1e-6, 1e6))
      ->group("Run");
  app.add_option("--q", o.walk_q, "random-walk: reluctance to go away from the last vertex's neighbours (1)")
      ->check(real_between(1e-6, 1e6))
      ->group("Run");
  app.add_option("--layers", o.layers, "gcn: number of layers (2)")->check(CLI::Range(1, 1000))->group("Run");
  app.add_option("--width", o.width, "gcn: columns of a vertex's row (16)")->check(CLI::Range(1, 4096))->group("Run");
  app.add_option("--sample", o.sample, "gcn --variant sage: neighbours that a vertex draws in each layer (10)")
      ->check(whole_number(1))
      ->group("Run");
  app.add_flag("--parents", o.parents, "bfs: also write each vertex's parent (smallest id one level nearer)")
      ->group("Run");
  app.add_option("--seed", o.seed, "of the vertex programs' random numbers")
      ->check(whole_number())
      ->capture_default_str()
      ->group("Run");
  app.add_option("--repeat", o.repeat, "run N times; run_seconds is the median")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str()
      ->group("Run");
}

void add_output_options(CLI::App& app, AlgorithmChoice& o) {
  app.add_option("--output", o.output,
                 "results: text \"id value\" a line, or HDF5 if the name ends in .h5; of the last run")
      ->group("Output");
  app.add_option("--trace", o.trace, "CSV, a row a superstep; counts deliveries exactly")->group("Output");
  app.add_option("--trace-vertices", o.trace_vertices, "CSV, a row a vertex a superstep (small graphs)")
      ->group("Output");
  app.add_option("--top", o.top, "print the N vertices with the largest values")
      ->check(whole_number())
      ->group("Output");
  app.add_flag("--summary", o.summary, "print extremes, quantiles and a distribution of the result, or its groups")
      ->group("Output");
}

void add_job_options(CLI::App& app, PregelOptions& o, std::vector<std::string>& then) {
  app.add_option("--threads", o.threads, "threads of each rank")
      ->envname("SLURM_CPUS_PER_TASK")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str()
      ->group("Run");
  app.add_option("--mode", o.mode, "sync; async is not built yet")
      ->check(CLI::IsMember({"sync", "async"}))
      ->capture_default_str()
      ->group("Run");
  app.add_option("--then", then,
                 "\"ALGORITHM options\": another algorithm on the same loaded graph, after this one; may be repeated")
      ->allow_extra_args(false)
      ->group("Run");
  app.add_option("--metrics", o.metrics, "what the run did, as JSON")->group("Output");
  app.add_option("--timeline", o.timeline, "when each rank and thread did what: a trace for ui.perfetto.dev, JSON")
      ->group("Output");
  auto* progress =
      app.add_flag("--progress", o.progress, "progress line even if standard error is no terminal")->group("Output");
  app.add_flag("--quiet", o.quiet, "print errors only")->excludes(progress)->group("Output");
}

void add_fault_options(CLI::App& app, PregelOptions& o) {
  app.add_option("--checkpoint-dir", o.checkpoint_dir, "directory for checkpoints; made if it does not exist")
      ->group("Faults");
  app.add_option("--checkpoint-every", o.checkpoint_every,
                 "N supersteps, or auto: as often as pays, from measured costs and --mtbf")
      ->check(whole_number(1) | CLI::IsMember({"auto"}))
      ->capture_default_str()
      ->group("Faults");
  app.add_option("--mtbf", o.mtbf, "seconds between two failures of the job, for auto")
      ->check(real_between(1e-3, std::numeric_limits<double>::max()))
      ->capture_default_str()
      ->group("Faults");
  app.add_option("--keep", o.keep, "how many checkpoints to keep")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str()
      ->group("Faults");
  app.add_flag("--checkpoint-required", o.checkpoint_required,
               "end the job when a checkpoint cannot be written (else: a warning)")
      ->group("Faults");
  app.add_flag("--checkpoint-memory", o.checkpoint_memory,
               "also keep each rank's state in the memory of the next rank (needs MPI with ULFM)")
      ->group("Faults");
  app.add_flag("--resume", o.resume,
               "go on from the newest whole checkpoint in --checkpoint-dir, on any number of ranks; from the start if "
               "there is none. --graph may be left out")
      ->group("Faults");
  app.add_option(
         "--on-failure", o.on_failure,
         "a rank dies: shrink (the others go on; needs `mpirun --with-ft ulfm`), abort, or auto: shrink if it can")
      ->check(CLI::IsMember({"auto", "shrink", "abort"}))
      ->capture_default_str()
      ->group("Faults");
  app.add_option("--timeout", o.timeout,
                 "kill a rank that was silent for so many seconds: stopped, or computing one superstep (0: never)")
      ->check(real_between(0, 1e9))
      ->capture_default_str()
      ->group("Faults");
  app.add_flag("--dry-run", o.dry_run, "load and run nothing: tell the memory and time that it would take")
      ->group("Run");
  app.add_option(
         "--memory-limit", o.memory,
         "what the ranks of a machine may take together: auto (what is available), off, or bytes as 500M or 12G; "
         "a job that cannot fit is refused")
      ->capture_default_str()
      ->group("Run");
  app.add_option("--straggler", o.stragglers,
                 "RANK:FACTOR: this rank computes so many times as long, by sleeping; may be repeated")
      ->allow_extra_args(false)
      ->group("Run");
  app.add_option(
         "--inject", o.inject,
         "for drills: rank=R,superstep=S[,signal=KILL|STOP|TERM...][,where=compute|exchange|checkpoint|recovery], "
         "or rank=R,write=N: its N-th write of a checkpoint fails; may be repeated")
      ->group("Faults");
}

/// Bytes, with K, M, G or T for powers of 1024; "off" is the largest number.
std::uint64_t parse_bytes(const std::string& text) {
  if (text == "off") return std::numeric_limits<std::uint64_t>::max();
  std::uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  const std::size_t power = stop == end ? 0 : std::string_view("KMGT").find(*stop) + 1; // npos + 1 is 0
  const bool is_whole = stop == end || (power != 0 && stop + 1 == end);
  if (error != std::errc{} || !is_whole || number == 0 ||
      number > std::numeric_limits<std::uint64_t>::max() >> (10 * power))
    throw InputError(fmt::format("--memory-limit {}: auto, off or bytes are wanted, as 500M or 12G", text));
  return number << (10 * power);
}

void add_algorithm_options(CLI::App& app, AlgorithmChoice& choice) {
  app.add_option("algorithm", choice.algorithm, "what to compute (see below)")->required();
  add_run_options(app, choice);
  add_output_options(app, choice);
  for (const char* name : {"--source", "--sources", "--values", "--output", "--trace", "--trace-vertices"})
    app.get_option(name)->check(not_empty());
}

/// Options that only some algorithms read, as far as they were given.
std::vector<std::string_view> given_algorithm_options(const AlgorithmChoice& o) {
  std::vector<std::string_view> given;
  if (o.damping) given.emplace_back("--damping");
  if (o.tolerance) given.emplace_back("--tolerance");
  if (o.iterations) given.emplace_back("--iterations");
  if (o.parents) given.emplace_back("--parents");
  if (o.walk_p) given.emplace_back("--p");
  if (o.walk_q) given.emplace_back("--q");
  if (o.layers) given.emplace_back("--layers");
  if (o.width) given.emplace_back("--width");
  if (o.sample) given.emplace_back("--sample");
  if (!o.values_file.empty()) given.emplace_back("--values");
  return given;
}

bool reads(const pregel::Algorithm& algorithm, std::string_view option) {
  return std::ranges::find(algorithm.options, option) != algorithm.options.end();
}

void check_choice(const AlgorithmChoice& o) {
  const pregel::Algorithm& algorithm = pregel::find_algorithm(o.algorithm);
  const bool many_runs = o.repeat > 1 || !o.sources_file.empty();
  if (many_runs && !(o.trace.empty() && o.trace_vertices.empty()))
    throw InputError("--trace and --trace-vertices describe one run; leave --repeat and --sources out");
  if (std::ranges::find(algorithm.variants, o.variant) == algorithm.variants.end()) {
    throw InputError(
        fmt::format("--variant {}: {} has {}", o.variant, o.algorithm, fmt::join(algorithm.variants, ", ")));
  }
  for (const std::string_view option : given_algorithm_options(o)) {
    if (reads(algorithm, option)) continue;
    std::vector<std::string_view> readers;
    for (const pregel::Algorithm& other : pregel::algorithms())
      if (reads(other, option)) readers.push_back(other.name);
    throw InputError(
        fmt::format("{} does not go with {}; it is for {}", option, o.algorithm, fmt::join(readers, ", ")));
  }
  if (o.sample && o.variant != "sage") throw InputError("--sample goes with --variant sage only");
  if (o.iterations && o.tolerance)
    throw InputError("give either --iterations or --tolerance: one of them ends the run");
  if (o.tolerance == 0.0 && o.max_supersteps == AlgorithmChoice{}.max_supersteps)
    throw InputError("--tolerance 0 is never reached, as roundings go on for ever; give --max-supersteps too");
  if (o.iterations && o.variant != "standard") {
    throw InputError(
        fmt::format("--iterations goes with --variant standard only; use --max-supersteps with {}", o.variant));
  }
  if (algorithm.takes_sources) {
    if (!o.source.empty() && !o.sources_file.empty()) throw InputError("give either --source ID or --sources FILE");
    return;
  }
  if (algorithm.needs_source && o.source.empty() == o.sources_file.empty()) {
    throw InputError(o.algorithm + " needs either --source ID or --sources FILE");
  }
  if (!algorithm.needs_source && !(o.source.empty() && o.sources_file.empty())) {
    throw InputError(o.algorithm + " has no source; leave --source and --sources out");
  }
}

/// Runs `check`; its errors say which --then they are about.
template <class F>
void in_words_of(const std::string& then, F&& check) {
  try {
    check();
  } catch (const InputError& error) {
    throw InputError(fmt::format("--then \"{}\": {}", then, error.what()));
  }
}

/// `first` as far as it means something to `algorithm`: what a --then says nothing about.
AlgorithmChoice inherited(const AlgorithmChoice& first, const pregel::Algorithm& algorithm) {
  AlgorithmChoice choice = first;
  choice.output = choice.trace = choice.trace_vertices = {};
  if (std::ranges::find(algorithm.variants, choice.variant) == algorithm.variants.end()) choice.variant = "standard";
  if (!algorithm.needs_source && !algorithm.takes_sources) choice.source = choice.sources_file = {};
  if (!reads(algorithm, "--damping")) choice.damping.reset();
  if (!reads(algorithm, "--tolerance")) choice.tolerance.reset();
  if (!reads(algorithm, "--iterations")) choice.iterations.reset();
  if (!reads(algorithm, "--p")) choice.walk_p.reset();
  if (!reads(algorithm, "--q")) choice.walk_q.reset();
  if (!reads(algorithm, "--layers")) choice.layers.reset();
  if (!reads(algorithm, "--width")) choice.width.reset();
  if (!reads(algorithm, "--sample")) choice.sample.reset();
  if (!reads(algorithm, "--values")) choice.values_file.clear();
  choice.parents = choice.parents && reads(algorithm, "--parents");
  return choice;
}

/// Fills `choice` from the words of a --then; returns the parser, which knows what was given.
void parse_words(CLI::App& app, const std::string& text, const CLI::App& job) {
  app.name("pregel");
  app.set_help_flag();
  std::vector<std::string> words = CLI::detail::split_up(text);
  for (const std::string& word : words) {
    const std::string option = word.substr(0, word.find('='));
    const bool of_the_job = option.starts_with("-") && job.get_option_no_throw(option) != nullptr;
    if (of_the_job && app.get_option_no_throw(option) == nullptr)
      throw InputError(option + " is for the whole job; it does not go into a --then");
  }
  std::ranges::reverse(words); // as CLI11 wants them
  try {
    app.parse(std::move(words));
  } catch (const CLI::ParseError& error) {
    throw InputError(one_line(error) + " (see pregel --help)");
  }
}

/// A --then: its own words over what the command line says. `job` is the parser of the command line.
AlgorithmChoice parse_then(const std::string& text, const AlgorithmChoice& first, const CLI::App& job) {
  AlgorithmChoice choice;
  in_words_of(text, [&] {
    CLI::App glance;
    add_algorithm_options(glance, choice);
    parse_words(glance, text, job);
    choice = inherited(first, pregel::find_algorithm(choice.algorithm));
    CLI::App app;
    add_algorithm_options(app, choice);
    parse_words(app, text, job);
    // Of two ways to say one thing the one that was said here counts.
    const auto given = [&](const char* option) { return app.count(option) != 0; };
    if (given("--iterations") && !given("--tolerance")) choice.tolerance.reset();
    if (given("--tolerance") && !given("--iterations")) choice.iterations.reset();
    if (choice.variant != "sage" && !given("--sample")) choice.sample.reset();
    if (given("--source") && !given("--sources")) choice.sources_file.clear();
    if (given("--sources") && !given("--source")) choice.source.clear();
    choice.then = text;
  });
  return choice;
}

void check_fault_options(const PregelOptions& o) {
  if (o.resume && o.checkpoint_dir.empty()) throw InputError("--resume needs --checkpoint-dir");
  if (o.checkpoint_required && o.checkpoint_dir.empty())
    throw InputError("--checkpoint-required needs --checkpoint-dir");
  const PregelOptions usual;
  if (!o.saves() && (o.checkpoint_every != usual.checkpoint_every || o.keep != usual.keep || o.mtbf != usual.mtbf))
    throw InputError("--checkpoint-every, --keep and --mtbf need --checkpoint-dir");
  if (o.saves() && (o.repeat > 1 || !o.sources_file.empty()))
    throw InputError("checkpoints are of one run; leave --repeat and --sources out");
  if (o.saves() && !o.others.empty()) throw InputError("checkpoints are of one run; leave --then out");
  if (o.on_failure == "shrink" && !core::survives_failures())
    throw InputError(
        "--on-failure shrink: this MPI ends a job whose rank has died; it takes Open MPI 5 and `mpirun "
        "--with-ft ulfm`, or supervise, which starts the job again");
}

void check_files(const PregelOptions& o) {
  std::vector<NamedFile> targets{{"--output", &o.output},
                                 {"--metrics", &o.metrics},
                                 {"--timeline", &o.timeline},
                                 {"--trace", &o.trace},
                                 {"--trace-vertices", &o.trace_vertices}};
  std::vector<NamedFile> inputs{
      {"--graph", &o.graph}, {"--vertices", &o.vertices}, {"--values", &o.values_file}, {"--sources", &o.sources_file}};
  for (const AlgorithmChoice& other : o.others) {
    targets.insert(targets.end(), {{"--output of a --then", &other.output},
                                   {"--trace of a --then", &other.trace},
                                   {"--trace-vertices of a --then", &other.trace_vertices}});
    inputs.insert(inputs.end(),
                  {{"--values of a --then", &other.values_file}, {"--sources of a --then", &other.sources_file}});
  }
  require_separate_files(inputs, targets);
  for (const AlgorithmChoice* choice : o.choices()) {
    if (!choice->output.empty() && !core::is_regular_or_new(choice->output))
      throw InputError(
          fmt::format("cannot write {}: results need a regular file, which all ranks write", choice->output));
  }
}

} // namespace

std::optional<PregelOptions> parse_pregel_options(int argc, char** argv, bool printing) {
  PregelOptions options;
  CLI::App app{
      "Runs a vertex program on a graph, with MPI ranks and threads; the result has the same bits for any number of "
      "both."};
  app.name("pregel");
  app.footer(list_algorithms());
  app.set_version_flag("--version", "pregel " + core::build_stamp().at("version").get<std::string>());
  add_input_options(app, options);
  std::vector<std::string> then;
  add_algorithm_options(app, options);
  add_job_options(app, options, then);
  add_monitor_options(app, options.monitor);
  add_fault_options(app, options);
  for (const char* name :
       {"--graph", "--vertices", "--generate", "--metrics", "--timeline", "--checkpoint-dir", "--then"})
    app.get_option(name)->check(not_empty());
  if (answers_itself(app, argc, argv, printing)) return std::nullopt;
  if (options.memory != "auto") options.memory_limit = parse_bytes(options.memory);
  for (const std::string& text : then) options.others.push_back(parse_then(text, options, app));
  return options;
}

std::optional<std::uint64_t> PregelOptions::every() const {
  if (checkpoint_every == "auto") return std::nullopt;
  return std::stoull(checkpoint_every);
}

std::vector<const AlgorithmChoice*> PregelOptions::choices() const {
  std::vector<const AlgorithmChoice*> all{this};
  for (const AlgorithmChoice& other : others) all.push_back(&other);
  return all;
}

void check_pregel_options(const PregelOptions& o) {
  static_cast<void>(pregel::find_algorithm(o.algorithm)); // an unknown one is said before all else
  check_fault_options(o);
  const bool no_source_needed = o.resume && o.graph.empty() && o.generate.empty();
  if (o.graph.empty() == o.generate.empty() && !no_source_needed)
    throw InputError("give either --graph FILE or --generate SPEC");
  if (o.mode == "async") throw InputError("--mode async is not built yet; --mode sync gives the same results");
  check_choice(o);
  for (const AlgorithmChoice& other : o.others) in_words_of(other.then, [&] { check_choice(other); });
  const bool describes_file = !o.vertices.empty() || o.ids != "number" || o.format != "auto" || !o.columns.empty();
  if (!o.generate.empty() && describes_file)
    throw InputError("--vertices, --format, --columns and --ids describe files; they do not go with --generate");
  check_graph_file_options(o);
}

double slowness_of(const PregelOptions& o, int rank, int ranks) {
  double slowness = 1;
  std::set<std::size_t> seen;
  for (const std::string& text : o.stragglers) {
    const auto [straggler, factor] = parse_straggler(text, "RANK");
    const auto refuse = [&text = text](const std::string& reason) {
      throw InputError("--straggler " + text + ": " + reason);
    };
    if (straggler >= static_cast<std::size_t>(ranks))
      refuse(ranks == 1 ? fmt::format("there is no rank {}: the only one is 0", straggler)
                        : fmt::format("there is no rank {}: they are 0 to {}", straggler, ranks - 1));
    if (!seen.insert(straggler).second) refuse(fmt::format("rank {} has a factor already", straggler));
    if (!(factor >= 1 && std::isfinite(factor))) refuse("the factor has to be a number of at least 1");
    if (straggler == static_cast<std::size_t>(rank)) slowness = factor;
  }
  return slowness;
}

void check_pregel_files(const core::Communicator& comm, const PregelOptions& options) {
  core::agree(comm, [&] {
    if (comm.rank() == 0) check_files(options);
  });
}

} // namespace drivers
