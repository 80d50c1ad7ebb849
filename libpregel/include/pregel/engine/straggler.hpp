// A rank that is slower than the others, on order: what a barrier costs when one machine lags.
//
// The difference is slept, so that the rank takes no processor time from the others on the same machine. The system
// sleeps some 50 microseconds longer than asked, which is more than a short phase takes: so the difference is owed
// until it is worth a sleep, and what was slept too long is owed the other way.
#pragma once

#include <chrono>
#include <thread>

#include "core/clock.hpp"

namespace pregel {

class Straggler {
 public:
  /// 1: not slow.
  explicit Straggler(double factor) : factor_(factor) {}

  /// Sleeps after a phase that began with `phase`. Local.
  void stretch(const core::Stopwatch& phase) {
    if (factor_ <= 1) return;
    owed_ += (factor_ - 1) * phase.seconds();
    if (owed_ < kWorthSleeping) return;
    const core::Stopwatch slept;
    std::this_thread::sleep_for(std::chrono::duration<double>(owed_));
    owed_ -= slept.seconds();
  }

 private:
  static constexpr double kWorthSleeping = 100e-6; // seconds
  double factor_, owed_ = 0;
};

} // namespace pregel
