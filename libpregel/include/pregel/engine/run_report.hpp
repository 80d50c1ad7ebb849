// How a run is asked for and what it tells afterwards.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/communicator.hpp"
#include "core/timeline.hpp"

namespace pregel {

class Checkpointer; // checkpointer.hpp
class RunMonitor;
class Spectator; // spectator.hpp

/// What happens to a message whose target does not exist.
enum class UnknownTarget { error, drop };

struct RunOptions {
  std::uint64_t max_supersteps = ~std::uint64_t{0};
  bool use_combiner = true; ///< false: deliver every message by itself even if the program combines
  UnknownTarget unknown_target = UnknownTarget::error;
  std::uint64_t seed = 1;      ///< of Context::random
  bool progress = false;       ///< a line on standard error, refreshed a few times a second
  std::string trace_file = {}; ///< CSV, a row a superstep; counts deliveries exactly (costs a pass over the arcs)
  std::string trace_vertices_file = {}; ///< CSV, a row a vertex a superstep; for small graphs
  Checkpointer* checkpointer = nullptr; ///< saves the run, and says where it goes on; must outlive the run
  RunMonitor* monitor = nullptr;        ///< looks on; must outlive the run
  Spectator* spectator = nullptr;       ///< watches live, on all ranks or none; must outlive the run
  core::Timeline* timeline = nullptr;   ///< is told when what was done; must outlive the run
  double slowness = 1;                  ///< this rank computes so many times as long, by sleeping
};

/// How the messages of a superstep were brought to the vertices that read them.
enum class FoldMode { none, pull, push, list };
[[nodiscard]] const char* fold_mode_name(FoldMode mode);

struct SuperstepReport {
  std::uint64_t superstep = 0;
  std::uint64_t active = 0; ///< vertices that ran compute
  std::uint64_t sent = 0;
  std::optional<std::uint64_t> delivered; ///< after combining per sending rank; counted when known cheaply or traced
  std::uint64_t wakeups = 0;              ///< halted vertices woken by this superstep's messages
  double compute_seconds = 0, exchange_seconds = 0,
         wait_seconds = 0; ///< this rank's; the slowest rank's after reduce()
  FoldMode mode = FoldMode::none;
  bool all_published = false; ///< every vertex sent to all neighbours, and nobody to an id
};

struct RunReport {
  std::vector<SuperstepReport> per_superstep;
  double run_seconds = 0;        ///< of the supersteps that count: what was done again counts once
  double checkpoint_seconds = 0; ///< of it
  double compute_seconds = 0;    ///< this rank's, summed over supersteps
  double imbalance = 1;          ///< largest over mean compute time of the ranks
  std::uint64_t values_sent = 0; ///< messages that crossed ranks (all ranks)
  std::uint64_t bytes_sent = 0;  ///< payload handed to MPI for other ranks (all ranks)
  std::vector<std::pair<std::string, double>> aggregates; ///< of the last superstep in which each was fed

  [[nodiscard]] std::uint64_t supersteps() const noexcept { return per_superstep.size(); }
  [[nodiscard]] std::uint64_t messages_sent() const;
  [[nodiscard]] std::optional<std::uint64_t> messages_delivered() const; ///< nothing unless known for every superstep
  [[nodiscard]] std::uint64_t wakeups() const;
  [[nodiscard]] std::uint64_t vertex_computations() const;
  /// Turns this rank's times into the slowest rank's and sums the totals. Collective.
  void reduce(const core::Communicator& comm);
  /// The run's part of the metrics file (DESIGN.md section 5).
  [[nodiscard]] nlohmann::json to_json() const;
};

} // namespace pregel
