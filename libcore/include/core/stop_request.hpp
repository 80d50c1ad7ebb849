// SIGTERM and SIGUSR1 (Slurm's warning before the time limit) as a wish to stop, to be honoured at the next good
// moment.
#pragma once

namespace core {

/// While one lives, SIGTERM and SIGUSR1 set a flag instead of ending the process. A second SIGTERM, and both signals
/// afterwards, do what they did before. One at a time. Local.
class StopRequest {
 public:
  StopRequest();
  ~StopRequest();
  StopRequest(const StopRequest&) = delete;
  StopRequest& operator=(const StopRequest&) = delete;

  /// The signal has come, on this rank. Local.
  [[nodiscard]] static bool made() noexcept;
};

} // namespace core
