// How long to wait before a restart.
#pragma once

#include <algorithm>

namespace supervise {

/// Doubles from restart to restart, so that a machine in trouble is not hammered; starts anew after a run that went
/// well for a while.
class RestartDelay {
 public:
  static constexpr double kLongestSeconds = 60;
  static constexpr double kGoodRunSeconds = 600;

  explicit RestartDelay(double first_seconds) : first_(std::min(first_seconds, kLongestSeconds)), next_(first_) {}

  /// The delay after a run of `run_seconds` that failed.
  double after_run(double run_seconds) {
    if (run_seconds > kGoodRunSeconds) next_ = first_;
    const double delay = next_;
    next_ = std::min(2 * next_, kLongestSeconds);
    return delay;
  }

 private:
  double first_;
  double next_;
};

} // namespace supervise
