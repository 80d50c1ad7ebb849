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
  std::vector<NamedFile> targets{{"--output", &o.output},   {"--old-ids", &o.old_ids},
                                 {"--metrics", &o.metrics}, {"--timeline", &o.timeline},
                                 {"--trace", &o.trace},     {"--trace-vertices", &o.trace_vertices}};
  const std::string beside_graph = vertex_file_beside(o.graph);
  std::vector<NamedFile> inputs{{"--graph", &o.graph},
                                {"the vertices of --graph", &beside_graph},
                                {"--vertices", &o.vertices},
                                {"--values", &o.values_file},
                                {"--sources", &o.sources_file}};
  for (const AlgorithmChoice& other : o.others) {
    targets.insert(targets.end(), {{"--output of a --then", &other.output},
                                   {"--trace of a --then", &other.trace},
                                   {"--trace-vertices of a --then", &other.trace_vertices}});
    inputs.insert(inputs.end(),
                  {{"--values of a --then", &other.values_file}, {"--sources of a --then", &other.sources_file}});
  }
  require_separate_files(inputs, targets);
  for (const AlgorithmChoice* choice : o.choices()) {
    if (!choice->output.empty()) require_shared_target(choice->output, "results");
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
  for (const AlgorithmChoice* choice : o.choices()) check_choice(*choice);
  const bool describes_file = !o.vertices.empty() || o.ids != "number" || o.format != "auto" || !o.columns.empty();
  if (!o.generate.empty() && describes_file)
    throw InputError("--vertices, --format, --columns and --ids describe files; they do not go with --generate");
  check_graph_file_options(o);
}

constexpr double kSlowest = 1e6; // a microsecond then takes a second, and the clock still counts it

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
    if (!(factor >= 1 && factor <= kSlowest)) refuse("the factor has to be a number from 1 to 1e6");
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
