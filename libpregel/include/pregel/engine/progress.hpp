// The progress line: superstep, active vertices, messages, seconds, edges/s.
#pragma once

#include "core/clock.hpp"
#include "pregel/engine/run_report.hpp"

namespace pregel {

/// Rewrites one line of standard error, at most ten times a second; the destructor ends it.
class ProgressLine {
 public:
  ProgressLine() = default;
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void show(const SuperstepReport& row);
  /// Shows the last state even if the line was refreshed a moment ago.
  void finish();

 private:
  void print();

  core::Stopwatch since_start_, since_shown_;
  SuperstepReport last_;
  std::uint64_t messages_ = 0;
  bool shown_ = false;
  bool fresh_ = false; // last_ has not been printed
};

} // namespace pregel
