// The story of a job's failures: measured while it goes on, told in the log and in the metrics.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/clock.hpp"
#include "core/communicator.hpp"
#include "core/session.hpp"

namespace pregel {

/// One failure that survivors got over.
struct Recovery {
  std::vector<int> lost;                      ///< by the launcher's numbers
  std::uint64_t superstep = 0;                ///< in which the job was interrupted
  std::optional<std::uint64_t> restored_from; ///< superstep of the checkpoint; nothing: from the start, without any
  int ranks_before = 0, ranks_after = 0;
  int launched = 0;           ///< ranks that the job began with, to which the numbers of the lost belong
  double detect_seconds = 0;  ///< from the moment the last survivor had come to wait until it knew
  double restore_seconds = 0; ///< from then until supersteps went on
  [[nodiscard]] std::uint64_t recomputed_supersteps() const noexcept { return superstep - restored_from.value_or(0); }
};

class Recoveries {
 public:
  /// Ranks have died: `superstep` and `waited_seconds` are where this rank was, and how long it had been there. Local.
  void lost(const core::Loss& loss, std::uint64_t superstep, double waited_seconds);
  /// The next attempt begins on the survivors, who agree on what happened: a recovery that some of them had not got
  /// over when the next rank died is not over for anybody. Collective.
  void begin_attempt(const core::Communicator& comm);
  /// Supersteps go on; one line of log. Does nothing if no rank was lost since the last call. Local.
  void going_on(std::optional<std::uint64_t> restored_from);

  [[nodiscard]] bool any() const noexcept { return !done_.empty(); }
  /// Those that the job has got over, as this rank saw them. Local.
  [[nodiscard]] const std::vector<Recovery>& done() const noexcept { return done_; }
  /// The slowest rank's times, as DESIGN.md section 5 has it. Collective.
  [[nodiscard]] nlohmann::json to_json(const core::Communicator& comm) const;

 private:
  void reopen_last();

  std::vector<Recovery> done_; // once an attempt has begun, and at the end, equally many on every rank
  std::optional<Recovery> current_;
  core::Stopwatch since_loss_;
};

} // namespace pregel
