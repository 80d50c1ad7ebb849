// How often to save. Every N supersteps, or as often as pays: a checkpoint costs C seconds, a superstep c, and a
// failure comes every MTBF seconds, that is lambda = c / MTBF in a superstep; the time lost to checkpoints and to work
// done again is least with one every sqrt(2 C / (lambda c)) supersteps (Young, "A first order approximation to the
// optimum checkpoint interval", CACM 17(9), 1974).
#pragma once

#include <cstdint>
#include <optional>

#include "core/clock.hpp"
#include "core/communicator.hpp"

namespace pregel {

/// Young's interval in supersteps, at least 1. Local.
[[nodiscard]] std::uint64_t best_interval(double checkpoint_seconds, double superstep_seconds, double mtbf_seconds);

class CheckpointInterval {
 public:
  /// `every`: supersteps between two checkpoints; nothing: Young's interval for failures every `mtbf_seconds`.
  CheckpointInterval(std::optional<std::uint64_t> every, double mtbf_seconds);

  /// A run starts or goes on at this superstep. Local.
  void begin(std::uint64_t superstep);
  /// Whether to save at the start of `superstep`: rank 0's clock decides, and ranks talk only at supersteps 1, 2, 4, 8
  /// ... after the last checkpoint. Collective.
  [[nodiscard]] bool due(const core::Communicator& comm, std::uint64_t superstep);
  /// A checkpoint at the start of `superstep` took so long. Local.
  void saved(std::uint64_t superstep, double seconds);

 private:
  [[nodiscard]] bool decide(std::uint64_t superstep);

  std::optional<std::uint64_t> every_;
  double mtbf_seconds_;
  std::uint64_t last_ = 0;      // superstep of the last checkpoint, or of the start
  std::uint64_t next_look_ = 0; // auto: where ranks talk next
  double checkpoint_seconds_ = -1;
  std::uint64_t told_ = 0; // the interval the log knows
  core::Stopwatch since_last_;
};

} // namespace pregel
