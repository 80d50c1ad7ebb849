// Who watches a training live (the monitor of the programs), and how rank 0 comes to know what the others do.
//
// Workers meet as seldom as their strategy lets them, and watching must not make them meet more often. So each rank
// leaves its numbers in a window at rank 0, a few times a second, and rank 0 looks at what is there: one-sided, as all
// of libps. The numbers of one rank may be of slightly different moments.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/clock.hpp"
#include "core/communicator.hpp"
#include "core/window.hpp"
#include "ps/training/loss_monitor.hpp"
#include "ps/training/measurements.hpp"
#include "ps/training/roles.hpp"

namespace ps {

/// What a rank tells of itself.
struct RankProgress {
  std::uint64_t gradients = 0; ///< that its workers have computed since the beginning of the training
  double wait_seconds = 0;     ///< of its workers together, since this launch began to train
  std::uint64_t messages = 0, bytes_pushed = 0, bytes_pulled = 0, resident_bytes = 0;
  std::uint64_t leads = 0, lead_max = 0; ///< clock leads seen
  double lead_mean = 0;
  std::uint64_t staleness_seen = 0, staleness_max = 0; ///< of versions
  double staleness_mean = 0;
  std::uint64_t losses = 0; ///< points of the curve; only the rank that evaluates the loss has any
  LossPoint loss{};         ///< the last of them
};

/// All functions are local.
class TrainingSpectator {
 public:
  virtual ~TrainingSpectator() = default;
  /// Training begins, or goes on behind a checkpoint, with the curve so far. On every rank.
  virtual void begin(const std::vector<LossPoint>& curve, std::optional<std::uint64_t> resumed_from) = 0;
  /// What the ranks have done. On rank 0, a few times a second.
  virtual void progress(std::span<const RankProgress> ranks) = 0;
  /// A checkpoint has been written. On every rank.
  virtual void checkpoint(std::uint64_t step, std::uint64_t bytes, double seconds) = 0;
  /// Training is over; the whole curve. On every rank.
  virtual void trained(const std::vector<LossPoint>& curve) = 0;
};

/// The window. Construction and destruction are collective, all else is local.
class ProgressBoard {
 public:
  /// Tells of `measured` and `curve`, which live as long as it does.
  ProgressBoard(const core::Communicator& comm, const Roles& roles, const Measurements& measured,
                const std::vector<LossPoint>& curve, TrainingSpectator& spectator);

  /// Training begins. Each worker has `done` gradients from before; of what `measured` counts now, nothing is this
  /// rank's own.
  void begin(std::uint64_t done);
  /// To be called often: costs a look at the clock, except a few times a second.
  void pulse() {
    if (since_post_.seconds() > kBetweenPosts) post_and_tell();
  }
  /// The same without a look at the clock.
  void post_and_tell();

 private:
  static constexpr double kBetweenPosts = 0.2;

  [[nodiscard]] RankProgress mine() const;
  [[nodiscard]] double waited() const;

  int rank_;
  std::size_t ranks_;
  std::vector<std::size_t> workers_; // this rank's
  const Measurements& measured_;
  const std::vector<LossPoint>& curve_;
  TrainingSpectator& spectator_;
  core::Window<std::int64_t> window_;
  core::Stopwatch since_post_;
  std::uint64_t done_before_ = 0, counted_before_ = 0;
  double waited_before_ = 0;
};

} // namespace ps
