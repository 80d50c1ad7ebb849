// Signals as something to read: those that supervise acts on are blocked and arrive in a file descriptor, so that no
// code runs at a bad moment.
#pragma once

#include <csignal>
#include <optional>

namespace supervise {

/// Ends the job for good: no restart after one of these.
[[nodiscard]] constexpr bool is_stop_signal(int signal) {
  return signal == SIGINT || signal == SIGTERM || signal == SIGHUP;
}

class SignalInbox {
 public:
  /// Blocks SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2 and SIGCHLD, and ignores SIGPIPE.
  SignalInbox();
  ~SignalInbox();
  SignalInbox(const SignalInbox&) = delete;
  SignalInbox& operator=(const SignalInbox&) = delete;

  /// Readable when a signal has come.
  [[nodiscard]] int descriptor() const noexcept { return descriptor_; }

  /// The next signal that has come, if any. Does not wait.
  [[nodiscard]] std::optional<int> next();

  /// In a new process, before exec: signals are again what they were for us. Async-signal-safe.
  void restore() const noexcept;

 private:
  sigset_t original_mask_{};
  struct sigaction original_pipe_action_ {};
  int descriptor_ = -1;
};

} // namespace supervise
