// The textbook loop of bulk-synchronous graph processing, free of templates: compute, synchronise, ask the master,
// exchange. The typed engine (engine.hpp) fills in the phases.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/agreement.hpp"
#include "core/clock.hpp"
#include "core/thread_team.hpp"
#include "pregel/engine/aggregators.hpp"
#include "pregel/engine/boundary_exchange.hpp"
#include "pregel/engine/checkpointer.hpp"
#include "pregel/engine/context.hpp"
#include "pregel/engine/run_report.hpp"
#include "pregel/engine/straggler.hpp"
#include "pregel/graph/distributed_graph.hpp"

namespace pregel {

class RankTimesExchange; // spectator.hpp
class TraceWriter;       // trace.hpp
class ProgressLine;      // progress.hpp
struct TraceDetails;     // trace.hpp

/// What one rank did in the compute phase; summed over ranks at the barrier.
struct SuperstepCounts {
  std::uint64_t computed = 0;     ///< vertices that ran compute
  std::uint64_t woken = 0;        ///< of those, halted before and woken by a message
  std::uint64_t still_active = 0; ///< did not vote to halt
  std::uint64_t published = 0;    ///< vertices that sent to all neighbours
  std::uint64_t sent = 0;         ///< messages to neighbours: out-degrees of the published
  std::uint64_t direct = 0;       ///< messages to given ids
};

class SuperstepLoop {
 public:
  SuperstepLoop(const DistributedGraph& graph, core::ThreadTeam& team, RunOptions options);
  virtual ~SuperstepLoop();
  SuperstepLoop(const SuperstepLoop&) = delete;
  SuperstepLoop& operator=(const SuperstepLoop&) = delete;

  /// Runs supersteps until no vertex is active and no message is in transit, the master halts, or max_supersteps have
  /// run. Throws on every rank if any rank's vertex program throws. Collective.
  RunReport run();

 protected:
  /// Runs compute on every vertex that is active or has messages. Local; may throw.
  virtual SuperstepCounts compute() = 0;
  /// Brings this superstep's messages to where they are read. Collective.
  virtual ExchangeVolume exchange(bool all_published, bool any_direct) = 0;
  /// Forgets this superstep's messages: nobody will read them. Local.
  virtual void discard_messages() = 0;
  /// Lets the program prepare a superstep. Local; may throw.
  virtual void begin_superstep() = 0;
  /// Lets the program decide on the aggregates, which are equal on every rank, and so must be what it does. Local.
  virtual void master(MasterContext& context) = 0;
  /// Makes all vertices active; nothing to do for loops whose vertices never halt. Local.
  virtual void wake_all() {}
  /// Whether messages to one vertex are combined, so that a sending rank's count as one. Local.
  [[nodiscard]] virtual bool combining() const noexcept = 0;
  /// Counts what was delivered at this barrier, and describes every vertex if asked. Local; may throw.
  virtual TraceDetails trace_details(bool describe_vertices) = 0;

  /// Why this program cannot be saved; null if it can. Local.
  [[nodiscard]] virtual const char* why_not_saved() const noexcept = 0;
  /// The program's own state. Local.
  [[nodiscard]] virtual std::string save_program() const = 0;
  virtual void load_program(const std::string& bytes) = 0;
  /// The tables of EngineState that are about vertices. Local.
  [[nodiscard]] virtual core::checkpoint::Part save_tables() const = 0;
  virtual void load_tables(const core::checkpoint::Part& part) = 0;
  /// After load_tables: brings the loaded messages to their mirrors. Collective.
  virtual void refill_mirrors(bool all_published) = 0;

  const DistributedGraph& graph_;
  core::ThreadTeam& team_;
  RunOptions options_;
  AggregatorBoard board_;
  std::uint64_t superstep_ = 0;
  SuperstepCounts totals_; ///< of the last compute phase, over all ranks
  FoldMode mode_ = FoldMode::none;

 private:
  std::optional<core::LocalFailure> compute_guarded(SuperstepCounts& mine);
  void synchronise(const SuperstepCounts& mine, const std::optional<core::LocalFailure>& failure);
  void take_reduced_words();
  [[nodiscard]] bool finished();
  void deliver(SuperstepReport& row, RunReport& report);
  void trace(SuperstepReport& row);
  void remember_aggregates(RunReport& report) const;
  void fill_known_deliveries(RunReport& report) const;
  void enter(Phase phase);
  [[nodiscard]] double end_of(core::Timeline::Kind kind, core::Stopwatch& phase);
  void begin_or_restore(RunReport& report);
  void save_if_due(RunReport& report);
  [[nodiscard]] EngineState state(const RunReport& report) const;
  void take_state(const EngineState& state, RunReport& report);

  std::unique_ptr<TraceWriter> trace_;
  std::unique_ptr<ProgressLine> progress_;
  std::unique_ptr<RankTimesExchange> rank_times_; // with a spectator
  std::vector<std::int64_t> sums_, maxima_;
  Straggler straggler_;
  core::Stopwatch run_time_;
  double earlier_seconds_ = 0; ///< of the supersteps before the checkpoint that the run goes on from
  bool stop_agreed_ = false;   ///< some rank wants to stop: at the start of the next superstep
};

} // namespace pregel
