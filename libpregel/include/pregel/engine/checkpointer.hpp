// What the superstep loop needs to know of checkpoints and faults. Where states are kept, and what is done when a rank
// dies, is the business of pregel/checkpoint and pregel/recovery.
#pragma once

#include <cstdint>
#include <optional>

#include <nlohmann/json.hpp>

#include "core/checkpoint/table.hpp"
#include "pregel/graph/distributed_graph.hpp"

namespace pregel {

/// A run at the start of a superstep: everything that the rest of it depends on, and the counters so far.
///
/// Tables, a row each for what this rank owns: "vertices" (id, value, and unless the program is always active: active,
/// last_computed), "messages" (sender, message: sent to all neighbours and not read yet), "direct" (target, sender,
/// message: sent to an id and not read yet), "supersteps" (the report's rows; rank 0 only). The first column of the
/// first three names the vertex whose owner wants the row.
struct EngineState {
  std::uint64_t superstep = 0;
  core::checkpoint::Part tables;
  nlohmann::json shared; ///< equal on every rank: counters, aggregates, the program's own state
};

/// Keeps states. All members are collective and give the same answer on every rank.
class Checkpointer {
 public:
  virtual ~Checkpointer() = default;
  /// The state to go on from, its rows on the owners of their vertices; nothing to start at superstep 0.
  [[nodiscard]] virtual std::optional<EngineState> restore(const DistributedGraph& graph) = 0;
  /// Whether to save at the start of `superstep`. Called once a superstep; must be cheap.
  [[nodiscard]] virtual bool due(std::uint64_t superstep) = 0;
  /// False if the state is kept nowhere, and the run goes on without.
  virtual bool save(const DistributedGraph& graph, EngineState&& state) = 0;
};

enum class Phase {
  compute, ///< about to compute: nobody waits for this rank yet
  barrier, ///< about to wait for the others
  exchange ///< about to exchange messages
};

/// Looks on while supersteps run: faults are injected and silence is watched here. Local.
class RunMonitor {
 public:
  virtual ~RunMonitor() = default;
  virtual void entering(Phase phase, std::uint64_t superstep) = 0;
  /// This rank wants the run to stop after the next checkpoint.
  [[nodiscard]] virtual bool stop_requested() const noexcept = 0;
};

} // namespace pregel
