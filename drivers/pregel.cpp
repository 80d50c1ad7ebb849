// pregel: load or generate a graph, run a vertex program on it, write the results.
//
//   mpirun -n 4 pregel pagerank --generate kron:scale=20,degree=16 --iterations 20 --output ranks.txt
//
// Job::attempt() is the whole of it. Where MPI survives failures it is called again, on the ranks that are left, until
// it has come to its end on all of them.
#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

#include "core/binding.hpp"
#include "core/clock.hpp"
#include "core/collectives.hpp"
#include "core/fault_tolerance.hpp"
#include "core/log.hpp"
#include "core/runtime.hpp"
#include "monitor/pregel_view.hpp"
#include "pregel/algorithms/algorithm.hpp"
#include "pregel/checkpoint/job_checkpoints.hpp"
#include "pregel/error.hpp"
#include "pregel/io/results.hpp"
#include "pregel/recovery/recoveries.hpp"
#include "pregel/recovery/run_watch.hpp"
#include "pregel_forecast.hpp"
#include "pregel_identity.hpp"
#include "pregel_input.hpp"
#include "pregel_metrics.hpp"
#include "pregel_options.hpp"
#include "pregel_report.hpp"
#include "pregel_timeline.hpp"

namespace {

using core::InputError;
using drivers::AlgorithmChoice;
using drivers::GraphUser;
using drivers::LoadedGraphs;
using drivers::Outcome;
using drivers::PregelOptions;
using drivers::Source;
using pregel::LoadedGraph;

std::vector<pregel::Fault> faults_of(const PregelOptions& o) {
  std::vector<pregel::Fault> faults;
  for (const std::string& spec : o.inject) faults.push_back(pregel::parse_fault(spec));
  return faults;
}

/// Ranks on this machine, for how long threads spin; not asked where a rank may die meanwhile. Collective.
int ranks_here(const core::Session& session) {
  return core::survives_failures() ? 1 : session.world().split_shared().size();
}

/// An algorithm of the list.
struct Step {
  const AlgorithmChoice& choice;
  const pregel::Algorithm& algorithm;
  pregel::AlgorithmOptions options;
  std::vector<Source> sources;
};

class Job {
 public:
  Job(core::Session& session, const PregelOptions& options, std::string command_line)
      : session_(session),
        o_(options),
        command_line_(std::move(command_line)),
        team_(options.threads, ranks_here(session)),
        timeline_(options, session.first_rank(), session.world().size(), team_),
        watch_(faults_of(options), session.first_rank()),
        checkpoints_(
            {.directory = options.checkpoint_dir,
             .every = options.every(),
             .mtbf_seconds = options.mtbf,
             .keep = options.keep,
             .required = options.checkpoint_required,
             .memory = options.checkpoint_memory,
             .resume = options.resume},
            drivers::identity_of(options), drivers::graph_source_of(options),
            {.part_written = [this](std::uint64_t k) { watch_.faults().pass(pregel::FaultPlace::checkpoint, k); },
             .restoring = [this] { watch_.faults().pass(pregel::FaultPlace::recovery, 0); },
             .written =
                 [this](std::uint64_t k, std::uint64_t bytes, double seconds) {
                   if (view_) view_->checkpoint_written(k, bytes, seconds);
                 }}) {
    session.use_node_memory();
    slowness_ = drivers::slowness_of(options, session.first_rank(), session.world().size());
    for (const AlgorithmChoice* choice : options.choices())
      steps_.push_back(
          {*choice, pregel::find_algorithm(choice->algorithm), drivers::algorithm_options_of(*choice), {}});
    if (options.monitor.port) view_ = std::make_unique<drivers::PregelView>(options, world().size());
  }

  /// Tells what the job would take, and runs nothing. Collective.
  void tell_forecast() const {
    if (o_.graph.empty() && o_.generate.empty())
      throw InputError("--dry-run looks at a graph: give --graph or --generate");
    for (const std::string& line : lines_of(drivers::forecast(world(), o_, graph_users()))) say(line);
  }

  /// Runs until all living ranks are done. Collective.
  void run() {
    if (o_.checkpoint_memory && !core::survives_failures() && world().rank() == 0)
      core::log_warning("warning: --checkpoint-memory is of no use: this MPI ends a job whose rank has died");
    if (view_) view_->serve(world(), o_.quiet);
    stop_on_request();
    if (o_.timeout > 0) watch_.limit_silence(o_.timeout, session_.first_rank());
    const auto attempt = [this] { this->attempt(); };
    session_.until_completed(attempt, [this](const core::Loss& loss) { survive(loss); });
    if (view_) view_->end("finished");
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
    timeline_.lost(loss.launcher_ranks, watch_.superstep());
    recoveries_.lost(loss, watch_.superstep(), watch_.waiting_seconds());
    if (view_) view_->lost(loss, watch_.superstep(), world().rank() == 0);
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
    if (view_) view_->enter_phase(attempts_ > 0 ? "recovering" : "loading the graph");
    timeline_.in_phase(core::Timeline::Kind::load, [this] { obtain_graphs(); });
    for (std::size_t i = 0; i < steps_.size(); ++i) prepare_step(i); // what cannot run is refused before anything runs
    write_old_ids();
    watch_.at_next_superstep([this] { going_on(); });
    std::vector<nlohmann::json> entries;
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      entries.push_back(run_step(i));
      release_graphs_after(i);
    }
    drivers::write_metrics(world(), o_, facts(), entries);
    timeline_.write(world());
    checkpoints_.complete(world());
  }

  /// What is done once, and again if a rank died before all had done it.
  void prepare() {
    if (core::all_reduce_value(world(), prepared_ ? 1 : 0, core::Reduce::min) != 0) return;
    for (Step& step : steps_) step.sources = read_sources(world(), o_, step.choice);
    checkpoints_.prepare(world());
    timeline_.start(world());
    prepared_ = true;
  }

  void obtain_graphs() {
    // A rank that died while the graph was being loaded has left some survivors with a partition and others without:
    // what not all have is void, or ranks would look for vertices where they are not.
    if (core::all_reduce_value(world(), partitioner_ ? 1 : 0, core::Reduce::min) == 0) partitioner_.reset();
    const pregel::Placement placement{pregel::parse_partition_kind(o_.partition), partitioner_};
    loaded_ = {};
    const std::vector<GraphUser> users = graph_users();
    std::optional<LoadedGraph> stored;
    if (o_.saves()) stored = checkpoints_.load_graph(users.front().needs, placement, team_); // there is no --then
    if (stored) {
      loaded_.graphs.push_back(std::move(*stored));
      loaded_.graph_of = {0};
    } else {
      if (o_.graph.empty() && o_.generate.empty())
        throw InputError("there is no graph in " + o_.checkpoint_dir + " to resume with: give --graph or --generate");
      drivers::require_memory(world(), o_, users);
      loaded_ = load_graphs(world(), o_, users, placement, team_);
    }
    const LoadedGraph& first = loaded_.graphs.front();
    partitioner_ = first.graph.partitioner;
    load_seconds_ = first.seconds;
    description_ = first.description;
    checkpoints_.keep_graph(first);
    bindings_ = core::all_bindings(world()); // anew after a loss
    tell_of_graphs();
  }

  [[nodiscard]] std::vector<GraphUser> graph_users() const {
    std::vector<GraphUser> users;
    for (const Step& step : steps_) users.push_back({&step.algorithm, step.algorithm.needs(step.options)});
    return users;
  }

  void tell_of_graphs() const {
    const LoadedGraph& g = loaded_.graphs.front();
    say(fmt::format("{}: {} vertices, {} edges, {}, loaded in {:.3f} s on {} rank{} x {} thread{}", g.description,
                    g.graph.vertex_count, g.graph.edge_count, g.graph.directed ? "directed" : "undirected", g.seconds,
                    world().size(), world().size() == 1 ? "" : "s", o_.threads, o_.threads == 1 ? "" : "s"));
    say(core::describe(bindings_, o_.threads));
    if (loaded_.graphs.size() == 1) return;
    std::vector<std::string> users(loaded_.graphs.size());
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      std::string& names = users[loaded_.graph_of[i]];
      names += (names.empty() ? "" : " ") + steps_[i].choice.algorithm;
    }
    say(fmt::format("{} graphs in memory: {}", users.size(), fmt::join(users, " | ")));
  }

  void prepare_step(std::size_t i) {
    Step& step = steps_[i];
    const LoadedGraph& loaded = graph_of(i);
    step.options.names = loaded.names.get();
    resolve_sources(world(), step.choice, loaded, step.sources);
    if (step.choice.values_file.empty()) return;
    if (step.algorithm.reads_rows) {
      step.options.start_rows =
          pregel::read_value_rows(world(), step.choice.values_file, loaded.names.get(), loaded.graph);
      return;
    }
    step.options.start_values = pregel::read_values(world(), step.choice.values_file, loaded.names.get());
    pregel::require_values_of(world(), step.choice.values_file, loaded.names.get(), loaded.graph,
                              step.options.start_values);
  }

  void write_old_ids() {
    if (o_.old_ids.empty()) return;
    if (!loaded_.old_ids.columns.empty()) {
      pregel::write_results(world(), loaded_.old_ids, nullptr, o_.old_ids);
      loaded_.old_ids = {};
    } else if (world().rank() == 0 && !std::filesystem::exists(o_.old_ids)) {
      core::log_warning("warning: --old-ids is not written, as the graph was renumbered before it was stored");
    }
  }

  /// Frees the graphs that no step after `i` runs on. Local.
  void release_graphs_after(std::size_t i) {
    for (std::size_t g = 0; g < loaded_.graphs.size(); ++g) {
      const auto later = loaded_.graph_of.begin() + static_cast<std::ptrdiff_t>(i) + 1;
      if (std::find(later, loaded_.graph_of.end(), g) == loaded_.graph_of.end()) loaded_.graphs[g] = {};
    }
  }

  /// Supersteps begin, or begin again. Local.
  void going_on() {
    const std::size_t recovered = recoveries_.done().size();
    recoveries_.going_on(checkpoints_.restored_from());
    if (view_ && recoveries_.done().size() > recovered) view_->recovered(recoveries_.done().back());
    if (view_ && attempts_ == 0) view_->launched(checkpoints_.restored_from());
    if (attempts_ > 0) timeline_.recovered(world().size());
    if (attempts_ > 0 || !checkpoints_.restored_from()) return;
    resumed_from_ = checkpoints_.restored_from();
    core::log_info(fmt::format("resumed from the checkpoint of superstep {}", *resumed_from_));
  }

  [[nodiscard]] pregel::RunOptions run_options(const AlgorithmChoice& choice) {
    pregel::RunOptions run;
    run.max_supersteps = choice.max_supersteps;
    run.use_combiner = choice.combiner == "on";
    run.seed = choice.seed;
    run.progress = !o_.quiet && (o_.progress || isatty(STDERR_FILENO) != 0);
    run.trace_file = choice.trace;
    run.trace_vertices_file = choice.trace_vertices;
    if (o_.saves()) run.checkpointer = &checkpoints_;
    run.monitor = &watch_;
    run.spectator = view_.get();
    run.timeline = timeline_.get();
    run.slowness = slowness_;
    return run;
  }

  /// One algorithm of the list: runs it, prints, writes its results; returns what the metrics tell of it. Collective.
  [[nodiscard]] nlohmann::json run_step(std::size_t i) {
    const AlgorithmChoice& choice = steps_[i].choice;
    const LoadedGraph& loaded = graph_of(i);
    if (view_) view_->graph_is_there(loaded);
    timeline_.begins(choice.algorithm);
    const Outcome outcome = run_all(steps_[i], loaded.graph);
    watch_.idle();
    if (i + 1 == steps_.size()) watch_.stop_at_once();
    for (const std::string& line : drivers::screen_lines(world(), choice, loaded, outcome)) say(line);
    nlohmann::json summary;
    if (choice.summary) {
      summary = pregel::summarise_results(world(), outcome.last.result, loaded.names.get(), steps_[i].algorithm.result);
      for (const std::string& line : pregel::summary_lines(summary)) say(line);
    }
    if (view_) view_->enter_phase("writing results");
    const core::Stopwatch output_time;
    if (!choice.output.empty())
      timeline_.in_phase(core::Timeline::Kind::output, [&] {
        pregel::write_results(world(), outcome.last.result, loaded.names.get(), choice.output);
      });
    nlohmann::json entry = drivers::entry_of(world(), choice, loaded.graph, outcome, output_time.seconds());
    if (choice.summary) entry["summary"] = std::move(summary);
    return entry;
  }

  [[nodiscard]] Outcome run_all(Step& step, const pregel::DistributedGraph& graph) {
    std::vector<Source> sources = step.sources;
    if (step.algorithm.takes_sources) {
      step.options.sources.clear();
      for (const Source& source : std::exchange(sources, {})) step.options.sources.push_back(*source.id);
    }
    if (sources.empty()) sources.emplace_back(); // one run without a source
    Outcome outcome;
    const auto repeat = static_cast<std::size_t>(step.choice.repeat);
    for (int repetition = 0; repetition < step.choice.repeat; ++repetition) {
      for (const Source& source : sources) {
        step.options.source = source.id;
        if (view_) view_->begin_run(step.choice, outcome.runs.size() + 1, sources.size() * repeat);
        outcome.last = step.algorithm.run(graph, team_, step.options, run_options(step.choice));
        outcome.runs.push_back({source.word, outcome.last.report.run_seconds, outcome.last.report.supersteps()});
      }
    }
    return outcome;
  }

  [[nodiscard]] const LoadedGraph& graph_of(std::size_t step) const { return loaded_.graphs[loaded_.graph_of[step]]; }

  /// For the metrics. Collective.
  [[nodiscard]] drivers::JobFacts facts() const {
    return {.command_line = command_line_,
            .graph = description_,
            .load_seconds = load_seconds_,
            .read_seconds = loaded_.read_seconds,
            .bindings = bindings_,
            .checkpoints = checkpoints_.written(),
            .recoveries = recoveries_.to_json(world()),
            .resumed_from = resumed_from_};
  }

  core::Session& session_;
  const PregelOptions& o_;
  std::string command_line_;
  core::ThreadTeam team_;
  drivers::JobTimeline timeline_;
  std::vector<Step> steps_;
  pregel::RunWatch watch_;
  pregel::JobCheckpoints checkpoints_;
  pregel::Recoveries recoveries_;
  std::unique_ptr<drivers::PregelView> view_;      // with --monitor
  std::optional<pregel::Partitioner> partitioner_; // of the attempt at hand, or adapted for the next
  LoadedGraphs loaded_;
  double load_seconds_ = 0, slowness_ = 1;
  std::vector<core::Binding> bindings_; // a rank
  std::string description_;
  std::uint64_t attempts_ = 0;
  bool prepared_ = false;
  std::optional<std::uint64_t> resumed_from_; // by --resume
};

core::ExitCode run(core::Session& session, int argc, char** argv) {
  const core::Communicator& world = session.world();
  const std::optional<PregelOptions> options = drivers::parse_pregel_options(argc, argv, world.rank() == 0);
  if (!options) return core::ExitCode::success;
  drivers::check_pregel_options(*options);
  drivers::check_pregel_files(world, *options);
  const std::vector<std::string> words(argv, argv + argc);
  Job job(session, *options, fmt::format("{}", fmt::join(words, " ")));
  if (options->dry_run)
    job.tell_forecast();
  else
    job.run();
  return core::ExitCode::success;
}

} // namespace

int main(int argc, char** argv) {
  return core::run_session("pregel", argc, argv, run);
}
