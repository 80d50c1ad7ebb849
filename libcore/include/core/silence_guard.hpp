// A rank that is alive but silent holds up everybody, and MPI does not notice: it was stopped (SIGSTOP, job control),
// or computes for ever, or its machine swaps. Nothing inside it can be relied on, so a small process beside each rank,
// its guard, looks at it from outside, and kills it when it has been silent for too long. The silence has then become a
// death, which ULFM or the launcher reports to the others. Shrinking a communicator does not get past a process that is
// only frozen (Open MPI 5), so killing is needed in any case.
//
// Silence is: the process is stopped (state T of /proc/PID/stat), whatever it was doing, or it has been working, by its
// own word, for longer than the limit without waiting for anybody. Waiting is not silence: the one waited for is
// silent.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace core {

class SilenceGuard {
 public:
  /// Starts the guard of this process. `who` is its name in the message: "rank 2". Local.
  SilenceGuard(double limit_seconds, const std::string& who);
  /// From now on all is waiting. The guard itself ends with this process and not before: a process can be stopped on
  /// its way out too, in MPI_Finalize, and then its launcher would wait for it for ever.
  ~SilenceGuard();
  SilenceGuard(const SilenceGuard&) = delete;
  SilenceGuard& operator=(const SilenceGuard&) = delete;

  /// The clock of silence starts. Two stores. Local.
  void working(std::uint64_t superstep) noexcept;
  /// The clock stops: waiting for others, or work of unknown length. Local.
  void waiting() noexcept;

 private:
  struct Shared; // in memory that this process and the guard share
  friend std::optional<int> run_as_guard(int argc, char** argv);

  Shared* shared_ = nullptr;
};

/// If this process was started as a guard: guards, and returns the exit code. To be called first in main, before MPI.
[[nodiscard]] std::optional<int> run_as_guard(int argc, char** argv);

} // namespace core
