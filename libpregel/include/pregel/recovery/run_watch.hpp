// What looks on while a job runs: it injects faults, tells the guard what the rank is doing, and remembers where the
// rank was, for the report of a recovery.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/clock.hpp"
#include "core/silence_guard.hpp"
#include "core/stop_request.hpp"
#include "pregel/engine/checkpointer.hpp"
#include "pregel/recovery/fault_injection.hpp"

namespace pregel {

class RunWatch final : public RunMonitor {
 public:
  RunWatch(const std::vector<Fault>& faults, int first_rank) : faults_(faults, first_rank) {}

  /// A rank that is silent for longer is killed. Local.
  void limit_silence(double seconds, int first_rank) {
    guard_ = std::make_unique<core::SilenceGuard>(seconds, "rank " + std::to_string(first_rank));
  }
  /// SIGTERM and SIGUSR1 end the run after a checkpoint, from now on. In a later attempt a signal of an earlier one
  /// still counts. Local.
  void stop_on_request() {
    if (!stop_) stop_ = std::make_unique<core::StopRequest>();
  }
  /// They end the process again, or do what they did. Local.
  void stop_at_once() { stop_.reset(); }

  /// Called once, when a compute phase begins. Local.
  void at_next_superstep(std::function<void()> call) { at_next_superstep_ = std::move(call); }

  void entering(Phase phase, std::uint64_t superstep) override {
    superstep_ = superstep;
    if (at_next_superstep_) std::exchange(at_next_superstep_, nullptr)();
    if (phase == Phase::barrier) waiting_ = core::Stopwatch(); // one look at the clock a superstep is enough
    if (guard_) {
      if (phase == Phase::compute)
        guard_->working(superstep);
      else
        guard_->waiting();
    }
    if (phase == Phase::compute) faults_.pass(FaultPlace::compute, superstep);
    if (phase == Phase::exchange) faults_.pass(FaultPlace::exchange, superstep);
  }
  [[nodiscard]] bool stop_requested() const noexcept override { return stop_ && core::StopRequest::made(); }

  /// Compute phases are over, or were left by an exception. Local.
  void idle() {
    if (guard_) guard_->waiting();
  }
  [[nodiscard]] FaultInjector& faults() noexcept { return faults_; }
  /// The superstep this rank was in last.
  [[nodiscard]] std::uint64_t superstep() const noexcept { return superstep_; }
  /// Since it came to its last barrier.
  [[nodiscard]] double waiting_seconds() const { return waiting_.seconds(); }

 private:
  FaultInjector faults_;
  std::unique_ptr<core::SilenceGuard> guard_;
  std::unique_ptr<core::StopRequest> stop_;
  std::function<void()> at_next_superstep_;
  std::uint64_t superstep_ = 0;
  core::Stopwatch waiting_;
};

} // namespace pregel
