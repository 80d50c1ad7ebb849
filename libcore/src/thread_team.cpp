// A fork-join team. A run is published by raising `generation`; workers that are idle spin for some microseconds, then
// sleep in the kernel until it changes. `running` counts the workers down, and the caller waits for it in the same way.
#include "core/thread_team.hpp"

#include <chrono>
#include <cstdint>
#include <exception>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/waiting.hpp"

namespace core {
namespace {

/// Waits until `word` differs from `old`. Spinning saves the two system calls of a sleep (some 10 microseconds on a
/// superstep of 50), but only where every thread has a processor of its own. std::atomic::wait would yield before it
/// sleeps, which beside a busy program costs a time slice (core/waiting.hpp).
std::uint32_t wait_for_change(WakingWord& word, std::uint32_t old, int spins) noexcept {
  for (int i = 0;; ++i) {
    const std::uint32_t now = word.load();
    if (now != old) return now;
    if (i < spins)
      relax_processor();
    else
      word.sleep_while(old, std::chrono::microseconds{0});
  }
}

} // namespace

struct ThreadTeam::State {
  State(int threads, int teams)
      : spins(static_cast<unsigned>(threads) * static_cast<unsigned>(teams) <= std::thread::hardware_concurrency()
                  ? 2000
                  : 0),
        errors(static_cast<std::size_t>(threads)) {}

  void perform(int thread) noexcept {
    try {
      (*work)(thread);
    } catch (...) {
      errors[static_cast<std::size_t>(thread)] = std::current_exception();
    }
  }

  void serve(int thread) noexcept {
    std::uint32_t seen = 0;
    while (true) {
      seen = wait_for_change(generation, seen, spins);
      if (stop) return;
      const auto begin = observer ? std::chrono::steady_clock::now() : std::chrono::steady_clock::time_point();
      perform(thread);
      if (observer) observer(thread, begin, std::chrono::steady_clock::now());
      running.count_down();
    }
  }

  /// Hands `work` (or the end) to the workers.
  void publish() noexcept { generation.increment(); }

  void join() noexcept {
    stop = true;
    publish();
    for (std::thread& worker : workers) worker.join();
  }

  const int spins;
  // Written by the caller before `generation` is raised, read by the workers after they have seen it.
  const std::function<void(int)>* work = nullptr;
  Observer observer;
  bool stop = false;
  std::vector<std::exception_ptr> errors;
  std::vector<std::thread> workers;
  // Apart from each other: the workers poll one and write the other.
  alignas(64) WakingWord generation;
  alignas(64) WakingWord running;
};

ThreadTeam::ThreadTeam(int threads, int teams_on_machine) : size_(threads) {
  if (threads < 1) throw InputError(fmt::format("number of threads must be at least 1, not {}", threads));
  if (threads == 1) return;
  state_ = std::make_unique<State>(threads, teams_on_machine);
  state_->workers.reserve(static_cast<std::size_t>(threads) - 1);
  try {
    for (int thread = 1; thread < threads; ++thread)
      state_->workers.emplace_back([state = state_.get(), thread] { state->serve(thread); });
  } catch (const std::system_error& error) {
    const std::size_t started = state_->workers.size() + 1;
    state_->join();
    throw Error(fmt::format("cannot start {} threads, only {}: {}", threads, started, error.code().message()));
  }
}

ThreadTeam::~ThreadTeam() {
  if (state_) state_->join();
}

void ThreadTeam::observe(Observer observer) {
  if (state_) state_->observer = std::move(observer);
}

void ThreadTeam::run(const std::function<void(int thread)>& work) {
  if (!state_) {
    work(0);
    return;
  }
  State& state = *state_;
  state.work = &work;
  state.running.store(static_cast<std::uint32_t>(size_ - 1));
  state.publish();
  state.perform(0);
  for (std::uint32_t left = state.running.load(); left != 0;) left = wait_for_change(state.running, left, state.spins);

  std::exception_ptr first;
  for (std::exception_ptr& error : state.errors) {
    if (error && !first) first = error;
    error = nullptr;
  }
  if (first) std::rethrow_exception(first);
}

} // namespace core
