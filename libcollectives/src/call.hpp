// One running collective: what it works on, where it waits, and how long it has been waiting.
#pragma once

#include <algorithm>
#include <chrono>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <vector>

#include "collectives/all_reduce.hpp"
#include "core/shared_board.hpp"
#include "core/waiting.hpp"
#include "reduction.hpp"
#include "task.hpp"

namespace collectives::detail {

using core::Note;

enum class Kind : std::uint8_t { all_reduce, reduce_scatter, all_gather, all_reduce_many };

/// What a waiting call needs from its reducer.
class Surroundings {
 public:
  virtual ~Surroundings() = default;
  /// Lets MPI and the reducer's other calls advance.
  virtual void move_on(Call& waiting) = 0;
  /// After how long move_on() is due again.
  [[nodiscard]] virtual std::chrono::microseconds longest_sleep() const noexcept = 0;
  /// The wait has taken half of the time-out: tells the others that this rank is there.
  virtual void announce(const Call& waiting) = 0;
  /// The time-out is over, and these ranks (numbers in the reducer) have not been heard of: throws SilentRankError.
  [[noreturn]] virtual void give_up(const Call& waiting, std::vector<int> missing) = 0;

  double timeout_seconds = 0; ///< 0: none
  int threads_on_node = 1;    ///< ranks that wait for each other on this machine
};

/// For conditions whose end wakes nobody, as messages of MPI: a sleep of at most 50 microseconds. Local.
void nap(std::chrono::microseconds longest) noexcept;

/// Waits politely (core/waiting.hpp) and watches the clock, which it looks at only when the core was given away. What
/// counts is time spent looking: of a pause between two looks (the process was stopped, or the owner of a background
/// call did something else) at most a second.
class Patience {
 public:
  void begin(const Surroundings& around) noexcept {
    wait_ = core::usual_wait(around.threads_on_node);
    waited_ = {};
    timing_ = false;
    announced_ = false;
  }
  /// After a look in vain of a blocking call.
  template <class Condition>
  void look_again(Call& call, Surroundings& around, Condition& condition) {
    // A rank may wait for a message that this rank has promised: now and then MPI must be let in.
    wait_.pause([&] { condition.sleep(around.longest_sleep()); },
                [&] {
                  around.move_on(call);
                  check_time(call, around, condition);
                });
  }
  /// After a look in vain of a background call.
  template <class Condition>
  void looked(Call& call, Surroundings& around, Condition& condition) {
    check_time(call, around, condition);
  }

 private:
  using Clock = std::chrono::steady_clock;

  template <class Condition>
  void check_time(Call& call, Surroundings& around, Condition& condition) {
    if (around.timeout_seconds <= 0) return;
    constexpr std::chrono::duration<double> kLongestPause{1};
    const Clock::time_point now = Clock::now();
    if (timing_) waited_ += std::min<std::chrono::duration<double>>(now - last_, kLongestPause);
    timing_ = true;
    last_ = now;
    if (waited_.count() > around.timeout_seconds) around.give_up(call, condition.missing());
    if (waited_.count() > around.timeout_seconds / 2 && !announced_) {
      announced_ = true;
      around.announce(call);
    }
  }

  core::PoliteWait wait_{0, 0};
  bool timing_ = false, announced_ = false;
  Clock::time_point last_;
  std::chrono::duration<double> waited_{0};
};

/// Memory of a call that grows and is kept for the next.
class Scratch {
 public:
  [[nodiscard]] std::byte* reserve(std::size_t bytes) {
    if (bytes > bytes_) {
      memory_.reset(); // before the new one is asked for
      memory_ = std::make_unique_for_overwrite<std::byte[]>(bytes);
      bytes_ = bytes;
    }
    return memory_.get();
  }

 private:
  std::unique_ptr<std::byte[]> memory_;
  std::size_t bytes_ = 0;
};

struct Call {
  // What to do.
  Kind kind = Kind::all_reduce;
  Algorithm algorithm = Algorithm::automatic;
  Reduction reduction;
  std::vector<const std::byte*> addends; ///< this rank's vectors: one, unless there are logical workers
  std::byte* output = nullptr;
  std::size_t count = 0; ///< elements of the whole vector
  const WorkerLayout* layout = nullptr;
  std::size_t segment_bytes = 0;
  int channels = 1;
  Note note;                                  ///< what all ranks must agree on
  std::uint64_t number = 0;                   ///< of the calls of this reducer
  std::uint64_t ticket = 0, check_ticket = 0; ///< for the memory of the node, where the call uses it (node_memory.hpp)
  std::vector<std::byte*> window; ///< where the node's ranks have the vector, if this rank's is in shared memory
  bool asks_for_window = false;   ///< some vectors may be: the ranks tell each other
  UserFunction function;          ///< kept for background calls

  // What it has done.
  std::size_t bytes_sent = 0, steps = 0;

  // Where it is.
  Surroundings* around = nullptr;
  bool blocking = true;
  std::coroutine_handle<> suspended;
  void* condition = nullptr; ///< an Until, while suspended
  bool (*is_ready)(void*) = nullptr;
  std::vector<int> (*missing_ranks)(void*) = nullptr;
  std::exception_ptr interruption; ///< to be thrown where the coroutine waits
  Patience patience;
  Scratch scratch, scaled;
  std::vector<const std::byte*> sources; ///< to be folded
  FrameStack frames;
  Task task; ///< after everything it uses

  [[nodiscard]] std::size_t bytes(std::size_t elements) const noexcept { return reduction.bytes(elements); }
  [[nodiscard]] const std::byte* input() const noexcept { return addends.front(); }

  /// Advances a background call as far as it comes. True when it has ended, well or not.
  bool advance();
};

/// co_await Until(call, condition): goes on when condition.ready(); condition.missing() tells for whom it waits.
template <class Condition>
class Until {
 public:
  Until(Call& call, Condition& condition) : call_(call), condition_(condition) {}

  bool await_ready() {
    if (condition_.ready()) return true;
    if (!call_.blocking) return false;
    call_.patience.begin(*call_.around);
    do {
      call_.patience.look_again(call_, *call_.around, condition_);
    } while (!condition_.ready());
    return true;
  }
  void await_suspend(std::coroutine_handle<> coroutine) noexcept {
    call_.suspended = coroutine;
    call_.condition = &condition_;
    call_.is_ready = [](void* condition) { return static_cast<Condition*>(condition)->ready(); };
    call_.missing_ranks = [](void* condition) { return static_cast<Condition*>(condition)->missing(); };
    call_.patience.begin(*call_.around);
  }
  void await_resume() const {
    if (call_.interruption) std::rethrow_exception(std::exchange(call_.interruption, nullptr));
  }

 private:
  Call& call_;
  Condition& condition_;
};

} // namespace collectives::detail
