// The textbook loop of bulk-synchronous graph processing, free of templates: compute, synchronise, ask the master,
// exchange. The typed engine (engine.hpp) fills in the phases.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/agreement.hpp"
#include "core/thread_team.hpp"
#include "pregel/engine/aggregators.hpp"
#include "pregel/engine/boundary_exchange.hpp"
#include "pregel/engine/context.hpp"
#include "pregel/engine/run_report.hpp"
#include "pregel/graph/distributed_graph.hpp"

namespace pregel {

class TraceWriter;   // trace.hpp
class ProgressLine;  // progress.hpp
struct TraceDetails; // trace.hpp

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
  /// Whether messages to one vertex are combined, so that a sending rank's count as one. Local.
  [[nodiscard]] virtual bool combining() const noexcept = 0;
  /// Counts what was delivered at this barrier, and describes every vertex if asked. Local; may throw.
  virtual TraceDetails trace_details(bool describe_vertices) = 0;

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
  [[nodiscard]] bool finished();
  void deliver(SuperstepReport& row, RunReport& report);
  void trace(SuperstepReport& row);
  void remember_aggregates(RunReport& report) const;
  void fill_known_deliveries(RunReport& report) const;

  std::unique_ptr<TraceWriter> trace_;
  std::unique_ptr<ProgressLine> progress_;
  std::vector<std::int64_t> sums_, maxima_;
  std::vector<std::size_t> all_published_supersteps_;
};

} // namespace pregel
