// A fork-join team. A run is published by raising `generation`; workers that are idle spin for some microseconds, then
// sleep in the kernel until it changes. `running` counts the workers down, and the caller waits for it in the same way.
#include "core/thread_team.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/error.hpp"

namespace core {
namespace {

void pause_briefly() noexcept {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

/// Waits until `word` differs from `old`. Spinning saves the two system calls of a sleep (some 10 microseconds on a
/// superstep of 50), but only where every thread has a processor of its own.
template <class T>
T wait_for_change(const std::atomic<T>& word, T old, int spins) noexcept {
  for (int i = 0; i < spins; ++i) {
    const T now = word.load(std::memory_order_acquire);
    if (now != old) return now;
    pause_briefly();
  }
  word.wait(old, std::memory_order_acquire);
  return word.load(std::memory_order_acquire);
}

} // namespace

struct ThreadTeam::State {
  explicit State(int threads)
      : spins(static_cast<unsigned>(threads) <= std::thread::hardware_concurrency() ? 2000 : 0),
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
      if (running.fetch_sub(1, std::memory_order_acq_rel) == 1) running.notify_one();
    }
  }

  /// Hands `work` (or the end) to the workers.
  void publish() noexcept {
    generation.fetch_add(1, std::memory_order_release);
    generation.notify_all();
  }

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
  alignas(64) std::atomic<std::uint32_t> generation{0};
  alignas(64) std::atomic<int> running{0};
};

ThreadTeam::ThreadTeam(int threads) : size_(threads) {
  if (threads < 1) throw InputError(fmt::format("number of threads must be at least 1, not {}", threads));
  if (threads == 1) return;
  state_ = std::make_unique<State>(threads);
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
  state.running.store(size_ - 1, std::memory_order_relaxed);
  state.publish();
  state.perform(0);
  for (int left = state.running.load(std::memory_order_acquire); left != 0;)
    left = wait_for_change(state.running, left, state.spins);

  std::exception_ptr first;
  for (std::exception_ptr& error : state.errors) {
    if (error && !first) first = error;
    error = nullptr;
  }
  if (first) std::rethrow_exception(first);
}

} // namespace core
