// Wall-clock time in seconds.
#pragma once

#include <chrono>

namespace core {

/// Starts at construction; monotonic.
class Stopwatch {
 public:
  [[nodiscard]] double seconds() const noexcept {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }
  /// Seconds since the start or the last lap, and starts a new lap.
  double lap() noexcept {
    const auto now = std::chrono::steady_clock::now();
    const double elapsed = std::chrono::duration<double>(now - start_).count();
    start_ = now;
    return elapsed;
  }
  /// When it started, or the last lap ended.
  [[nodiscard]] std::chrono::steady_clock::time_point started() const noexcept { return start_; }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

} // namespace core
