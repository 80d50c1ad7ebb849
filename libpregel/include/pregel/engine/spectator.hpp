// Who watches a run live (the monitor of the programs): told of every superstep, and a few times a second of what each
// rank spends its time on.
//
// The ranks' times are not worth a collective call of their own. Rank 0 wishes for them in the reduction at a barrier,
// and the next one carries four more words for each rank: each adds its own to zeros, so that the sum is all of them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/communicator.hpp"
#include "pregel/engine/run_report.hpp"

namespace pregel {

/// What a rank has done since it was asked last.
struct RankTimes {
  double compute_seconds = 0, exchange_seconds = 0, wait_seconds = 0;
  std::uint64_t resident_bytes = 0; ///< now
};

/// All functions are local.
class Spectator {
 public:
  virtual ~Spectator() = default;
  /// A run begins, or goes on behind the supersteps of `report`.
  virtual void begin(const RunReport& report) = 0;
  /// Should the next barrier but one bring the ranks' times? Asked once a superstep, on rank 0.
  [[nodiscard]] virtual bool wants_times() = 0;
  /// The ranks' times, on every rank.
  virtual void times(std::span<const RankTimes> ranks) = 0;
  /// A superstep is over; `row` has this rank's times. `report` has the aggregates.
  virtual void superstep(const SuperstepReport& row, const RunReport& report) = 0;
};

/// How the ranks' times travel with the words of the barrier.
class RankTimesExchange {
 public:
  /// Both must outlive it. Local.
  RankTimesExchange(const core::Communicator& comm, Spectator& spectator);

  /// This rank's times of a superstep. Local.
  void add(const SuperstepReport& row) noexcept;
  /// Sums `words` over the ranks, which may bring times to the spectator. Collective: one reduction.
  void all_reduce_with(std::span<std::int64_t> words);

 private:
  void append_times();
  void tell(std::span<const std::int64_t> words) const;

  const core::Communicator& comm_;
  Spectator& spectator_;
  std::size_t ranks_;
  bool due_ = false; // the next reduction brings times; the same on all ranks
  RankTimes since_;
  std::vector<std::int64_t> all_words_; // the caller's, the wish, and the times if they are due
};

} // namespace pregel
