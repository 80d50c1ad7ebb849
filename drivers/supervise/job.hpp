// One launch of the job: start it, pass its standard error on while reading it, pass signals to it, and leave no
// process of it behind.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>

#include <sys/types.h>

#include "diagnosis.hpp"
#include "launch_command.hpp"
#include "signals.hpp"

namespace supervise {

/// How one launch ended.
struct Ending {
  int wait_status = 0;
  double seconds = 0;
  Failure failure;                ///< meaningful when the job failed
  std::optional<int> stop_signal; ///< SIGINT, SIGTERM or SIGHUP, when one came
  int leftovers = 0;              ///< processes that outlived the launcher and were killed

  /// The launcher's exit code; 128 + signal when a signal ended it.
  [[nodiscard]] int exit_code() const;
};

/// Runs jobs one after the other.
class JobRunner {
 public:
  /// `grace_seconds`: how long a job may take to end after a stop signal. `report` prints a line.
  JobRunner(SignalInbox& signals, double grace_seconds, std::function<void(const std::string&)> report);

  /// Starts `words` and returns when the launcher and all it has started are gone. CommandError if it cannot be
  /// started.
  Ending run(const Words& words);

 private:
  struct Running;

  void start(const Words& words, Running& job);
  void wait(Running& job);
  void handle_signals(Running& job);
  void reap(Running& job);
  void wait_for_helpers() const;
  void kill_leftovers(Running& job);
  [[nodiscard]] std::set<pid_t> living() const;

  SignalInbox& signals_;
  double grace_seconds_;
  std::function<void(const std::string&)> report_;
  std::set<pid_t> bystanders_; // children from before (a shell that became us by exec): not ours to kill
};

} // namespace supervise
