// pregel: load or generate a graph, run a vertex program on it, write the results.
//
//   mpirun -n 4 pregel pagerank --generate kron:scale=20,degree=16 --iterations 20 --output ranks.txt
//
// Job::attempt() is the whole of it. Where MPI survives failures it is called again, on the ranks that are left, until
// it has come to its end on all of them.
#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

#include "core/agreement.hpp"
#include "core/atomic_file.hpp"
#include "core/clock.hpp"
#include "core/collectives.hpp"
#include "core/fault_tolerance.hpp"
#include "core/log.hpp"
#include "core/metrics.hpp"
#include "core/runtime.hpp"
#include "pregel/algorithms/algorithm.hpp"
#include "pregel/checkpoint/job_checkpoints.hpp"
#include "pregel/error.hpp"
#include "pregel/io/results.hpp"
#include "pregel/recovery/recoveries.hpp"
#include "pregel/recovery/run_watch.hpp"
#include "pregel_input.hpp"
#include "pregel_options.hpp"

namespace {

using core::InputError;
using drivers::PregelOptions;
using drivers::Source;
using pregel::LoadedGraph;

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

nlohmann::json metrics(const PregelOptions& o, const core::Communicator& comm, const LoadedGraph& loaded,
                       const Outcome& outcome, double output_seconds, std::uint64_t peak_bytes,
                       std::uint64_t graph_bytes, const nlohmann::json& faults, const std::string& command_line) {
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
  document["checkpoint_seconds"] = outcome.last.report.checkpoint_seconds;
  document.update(faults);
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

pregel::AlgorithmOptions algorithm_options_of(const PregelOptions& o) {
  pregel::AlgorithmOptions options;
  options.variant = o.variant;
  options.iterations = o.iterations;
  options.damping = o.damping.value_or(options.damping);
  options.tolerance = o.tolerance.value_or(options.tolerance);
  options.parents = o.parents;
  options.walk_p = o.walk_p.value_or(options.walk_p);
  options.walk_q = o.walk_q.value_or(options.walk_q);
  options.layers = o.layers.value_or(options.layers);
  options.width = o.width.value_or(options.width);
  options.sample = o.sample.value_or(options.sample);
  return options;
}

/// What must be equal for a run to go on from another one's state.
nlohmann::json identity_of(const PregelOptions& o) {
  const pregel::AlgorithmOptions a = algorithm_options_of(o);
  return {{"algorithm", o.algorithm},
          {"--variant", o.variant},
          {"--source", o.source},
          {"--iterations", a.iterations ? nlohmann::json(*a.iterations) : nlohmann::json("not given")},
          {"--damping", a.damping},
          {"--tolerance", a.tolerance},
          {"--parents", a.parents},
          {"--p", a.walk_p},
          {"--q", a.walk_q},
          {"--layers", a.layers},
          {"--width", a.width},
          {"--sample", a.sample},
          {"--values", o.values_file},
          {"--combiner", o.combiner},
          {"--seed", o.seed}};
}

/// The same for the stored graph; nothing when --resume leaves it to what is stored.
nlohmann::json graph_source_of(const PregelOptions& o) {
  if (o.graph.empty() && o.generate.empty()) return nlohmann::json::object();
  return {{"--graph", o.graph.empty() ? "" : core::file_identity(o.graph)},
          {"--vertices", o.vertices.empty() ? "" : core::file_identity(o.vertices)},
          {"--generate", o.generate},
          {"--format", o.format},
          {"--columns", o.columns},
          {"--ids", o.ids},
          {"--directed", o.directed},
          {"--undirected", o.undirected},
          {"--weighted", o.weighted},
          {"--self-loops", o.self_loops},
          {"--multi-edges", o.multi_edges},
          {"--symmetrise", o.symmetrise},
          {"--largest-component", o.largest_component},
          {"--relabel", o.relabel}};
}

std::vector<pregel::Fault> faults_of(const PregelOptions& o) {
  std::vector<pregel::Fault> faults;
  for (const std::string& spec : o.inject) faults.push_back(pregel::parse_fault(spec));
  return faults;
}

class Job {
 public:
  Job(core::Session& session, const PregelOptions& options, std::string command_line)
      : session_(session),
        o_(options),
        algorithm_(pregel::find_algorithm(options.algorithm)),
        command_line_(std::move(command_line)),
        team_(options.threads),
        algorithm_options_(algorithm_options_of(options)),
        watch_(faults_of(options), session.first_rank()),
        checkpoints_(
            {.directory = options.checkpoint_dir,
             .every = options.every(),
             .mtbf_seconds = options.mtbf,
             .keep = options.keep,
             .required = options.checkpoint_required,
             .memory = options.checkpoint_memory,
             .resume = options.resume},
            identity_of(options), graph_source_of(options),
            {.part_written = [this](std::uint64_t k) { watch_.faults().pass(pregel::FaultPlace::checkpoint, k); },
             .restoring = [this] { watch_.faults().pass(pregel::FaultPlace::recovery, 0); }}) {}

  /// Runs until all living ranks are done. Collective.
  void run() {
    if (o_.checkpoint_memory && !core::survives_failures() && world().rank() == 0)
      core::log_warning("warning: --checkpoint-memory is of no use: this MPI ends a job whose rank has died");
    stop_on_request();
    if (o_.timeout > 0) watch_.limit_silence(o_.timeout, session_.first_rank());
    const auto attempt = [this] { this->attempt(); };
    session_.until_completed(attempt, [this](const core::Loss& loss) { survive(loss); });
  }

 private:
  [[nodiscard]] const core::Communicator& world() const noexcept { return session_.world(); }
  void say(const std::string& line) const {
    if (world().rank() == 0 && !o_.quiet) fmt::print("{}\n", line);
  }

  /// From now on SIGTERM and SIGUSR1 are wishes, if there is a place for the state. One that comes while the graph is
  /// loaded is honoured after the first superstep. Local.
  void stop_on_request() {
    if (!o_.checkpoint_dir.empty()) watch_.stop_on_request();
  }

  /// Ranks have died. Local.
  void survive(const core::Loss& loss) {
    watch_.idle();
    if (o_.on_failure == "abort") {
      pregel::GraphError error(fmt::format("rank {} died in superstep {}; the job ends, as --on-failure abort says{}",
                                           fmt::join(loss.launcher_ranks, " and rank "), watch_.superstep(),
                                           o_.checkpoint_dir.empty() ? "" : "; its checkpoints are kept"));
      error.set_rank(loss.launcher_ranks.front()); // all survivors know
      throw error;
    }
    recoveries_.lost(loss, watch_.superstep(), watch_.waiting_seconds());
    if (partitioner_) partitioner_ = partitioner_->without(loss.ranks);
    ++attempts_;
  }

  /// Everything from the graph to the files. Collective.
  void attempt() {
    stop_on_request();
    core::configure_logging(world().rank(), o_.quiet ? core::LogLevel::quiet : core::LogLevel::normal);
    recoveries_.begin_attempt(world());
    checkpoints_.begin_attempt(world(), attempts_);
    prepare();
    obtain_graph();
    prepare_algorithm();
    watch_.at_next_superstep([this] { going_on(); });
    const Outcome outcome = run_all();
    watch_.idle();
    watch_.stop_at_once();
    print_run(outcome);
    write_files(outcome);
    checkpoints_.complete(world());
  }

  /// What is done once, and again if a rank died before all had done it.
  void prepare() {
    if (core::all_reduce_value(world(), prepared_ ? 1 : 0, core::Reduce::min) != 0) return;
    sources_ = read_sources(world(), o_);
    checkpoints_.prepare(world());
    prepared_ = true;
  }

  void obtain_graph() {
    // A rank that died while the graph was being loaded has left some survivors with a partition and others without:
    // what not all have is void, or ranks would look for vertices where they are not.
    if (core::all_reduce_value(world(), partitioner_ ? 1 : 0, core::Reduce::min) == 0) partitioner_.reset();
    const pregel::Placement placement{pregel::parse_partition_kind(o_.partition), partitioner_};
    const pregel::GraphNeeds needs = algorithm_.needs(algorithm_options_);
    loaded_.reset();
    if (o_.saves()) loaded_ = checkpoints_.load_graph(needs, placement);
    if (!loaded_) {
      if (o_.graph.empty() && o_.generate.empty())
        throw InputError("there is no graph in " + o_.checkpoint_dir + " to resume with: give --graph or --generate");
      loaded_ = load_graph(world(), o_, needs, algorithm_, placement, team_);
    }
    partitioner_ = loaded_->graph.partitioner;
    checkpoints_.keep_graph(*loaded_);
    const LoadedGraph& g = *loaded_;
    say(fmt::format("{}: {} vertices, {} edges, {}, loaded in {:.3f} s on {} rank{} x {} thread{}", g.description,
                    g.graph.vertex_count, g.graph.edge_count, g.graph.directed ? "directed" : "undirected", g.seconds,
                    world().size(), world().size() == 1 ? "" : "s", o_.threads, o_.threads == 1 ? "" : "s"));
  }

  void prepare_algorithm() {
    algorithm_options_.names = loaded_->names.get();
    resolve_sources(world(), o_, *loaded_, sources_);
    if (o_.values_file.empty()) return;
    algorithm_options_.start_values = pregel::read_values(world(), o_.values_file, loaded_->names.get());
    pregel::require_values_of(world(), o_.values_file, loaded_->names.get(), loaded_->graph,
                              algorithm_options_.start_values);
  }

  /// Supersteps begin, or begin again. Local.
  void going_on() {
    recoveries_.going_on(checkpoints_.restored_from());
    if (attempts_ > 0 || !checkpoints_.restored_from()) return;
    resumed_from_ = checkpoints_.restored_from();
    core::log_info(fmt::format("resumed from the checkpoint of superstep {}", *resumed_from_));
  }

  [[nodiscard]] pregel::RunOptions run_options() {
    pregel::RunOptions run;
    run.max_supersteps = o_.max_supersteps;
    run.use_combiner = o_.combiner == "on";
    run.seed = o_.seed;
    run.progress = !o_.quiet && (o_.progress || isatty(STDERR_FILENO) != 0);
    run.trace_file = o_.trace;
    run.trace_vertices_file = o_.trace_vertices;
    if (o_.saves()) run.checkpointer = &checkpoints_;
    run.monitor = &watch_;
    return run;
  }

  [[nodiscard]] Outcome run_all() {
    std::vector<Source> sources = sources_;
    if (algorithm_.takes_sources) {
      algorithm_options_.sources.clear();
      for (const Source& source : std::exchange(sources, {})) algorithm_options_.sources.push_back(*source.id);
    }
    if (sources.empty()) sources.emplace_back(); // one run without a source
    Outcome outcome;
    for (int repetition = 0; repetition < o_.repeat; ++repetition) {
      for (const Source& source : sources) {
        algorithm_options_.source = source.id;
        outcome.last = algorithm_.run(loaded_->graph, team_, algorithm_options_, run_options());
        outcome.runs.push_back({source.word, outcome.last.report.run_seconds, outcome.last.report.supersteps()});
      }
    }
    return outcome;
  }

  void print_run(const Outcome& outcome) const;
  void write_files(const Outcome& outcome) const;

  core::Session& session_;
  const PregelOptions& o_;
  const pregel::Algorithm& algorithm_;
  std::string command_line_;
  core::ThreadTeam team_;
  pregel::AlgorithmOptions algorithm_options_;
  std::vector<Source> sources_;
  pregel::RunWatch watch_;
  pregel::JobCheckpoints checkpoints_;
  pregel::Recoveries recoveries_;
  std::optional<pregel::Partitioner> partitioner_; // of the attempt at hand, or adapted for the next
  std::optional<LoadedGraph> loaded_;
  std::uint64_t attempts_ = 0;
  bool prepared_ = false;
  std::optional<std::uint64_t> resumed_from_; // by --resume
};

void Job::print_run(const Outcome& outcome) const {
  const pregel::RunReport& report = outcome.last.report;
  const double seconds = outcome.median_seconds();
  say(fmt::format("{}: {} superstep{} in {:.4f} s, {} messages, {:.1f} M edges/s", o_.algorithm, report.supersteps(),
                  report.supersteps() == 1 ? "" : "s", seconds, report.messages_sent(),
                  seconds > 0 ? static_cast<double>(report.messages_sent()) / seconds / 1e6 : 0.0));
  for (const auto& [name, value] : report.aggregates) {
    const bool is_whole = value == std::floor(value) && std::abs(value) < 1e15;
    say(is_whole ? fmt::format("  {} = {:.0f}", name, value) : fmt::format("  {} = {:.6g}", name, value));
  }
  if (o_.top == 0) return;
  for (const auto& [vertex, value] : pregel::top_vertices(world(), outcome.last.result, loaded_->names.get(), o_.top))
    say(fmt::format("  {:<20} {}", vertex, value));
}

void Job::write_files(const Outcome& outcome) const {
  const core::Communicator& comm = world();
  const core::Stopwatch output_time;
  if (!o_.output.empty()) pregel::write_results(comm, outcome.last.result, loaded_->names.get(), o_.output);
  const double output_seconds = output_time.seconds();
  const std::uint64_t peak =
      core::all_reduce_value(comm, std::uint64_t{core::peak_resident_bytes()}, core::Reduce::max);
  const std::uint64_t graph_bytes = core::all_reduce_value(comm, loaded_->graph.bytes(), core::Reduce::sum);
  const nlohmann::json faults = {
      {"checkpoints", checkpoints_.written()},
      {"resumed_from", resumed_from_ ? nlohmann::json(*resumed_from_) : nlohmann::json(nullptr)},
      {"recoveries", recoveries_.to_json(comm)}};
  core::agree(comm, [&] {
    if (comm.rank() != 0 || o_.metrics.empty()) return;
    core::write_json(o_.metrics,
                     metrics(o_, comm, *loaded_, outcome, output_seconds, peak, graph_bytes, faults, command_line_));
  });
}

core::ExitCode run(core::Session& session, int argc, char** argv) {
  const core::Communicator& world = session.world();
  const std::optional<PregelOptions> options = drivers::parse_pregel_options(argc, argv, world.rank() == 0);
  if (!options) return core::ExitCode::success;
  drivers::check_pregel_options(*options, pregel::find_algorithm(options->algorithm));
  drivers::check_pregel_files(world, *options);
  const std::vector<std::string> words(argv, argv + argc);
  Job job(session, *options, fmt::format("{}", fmt::join(words, " ")));
  job.run();
  return core::ExitCode::success;
}

} // namespace

int main(int argc, char** argv) {
  return core::run_session("pregel", argc, argv, run);
}
