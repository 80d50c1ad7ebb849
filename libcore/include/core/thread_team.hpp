// The threads of one rank. MPI stays on the calling thread (MPI_THREAD_FUNNELED): only local loops run on the team.
#pragma once

#include <chrono>
#include <functional>
#include <memory>

namespace core {

/// A fixed number of threads that run the same function side by side. With one thread nothing is spawned.
class ThreadTeam {
 public:
  /// `teams_on_machine`: ranks that have such a team here. Threads that wait spin for a moment first, unless all teams
  /// together have more threads than there are cores.
  explicit ThreadTeam(int threads, int teams_on_machine = 1);
  ~ThreadTeam();
  ThreadTeam(const ThreadTeam&) = delete;
  ThreadTeam& operator=(const ThreadTeam&) = delete;

  [[nodiscard]] int size() const noexcept { return size_; }

  /// Calls work(0) .. work(size-1), each on its own thread, work(0) on the caller's; returns when all are done. If some
  /// throw, the exception of the lowest thread is rethrown. Not reentrant.
  void run(const std::function<void(int thread)>& work);

  using Observer = std::function<void(int thread, std::chrono::steady_clock::time_point begin,
                                      std::chrono::steady_clock::time_point end)>;
  /// From now on each thread but the caller's tells when it has worked, before run() returns. Not while a run is under
  /// way.
  void observe(Observer observer);

 private:
  struct State;
  int size_;
  std::unique_ptr<State> state_; // null for one thread
};

} // namespace core
