// What a thread does that has to wait for another thread or process. Three ways, from the quickest to the most polite:
//
// - look again after relax_processor(): for waits shorter than a microsecond or so, where the other one has a core;
// - yield_core(): lets a thread run that is ready to. Costs half a microsecond where there is none. Beside a program
// that
//   computes or spins, however, Linux takes the core away for that program's whole time slice (3 ms and more), so a
//   rank that waits by yielding loses its core with every wait. yield_core() notices and then asks for sleep instead;
// - WakingWord::sleep_while(): sleeps in the kernel until the word that is waited for changes (futex(2)). A sleeper
// that is
//   woken has time to its credit and gets a core at once, also from a program that spins.
//
// Measured on two cores with two ranks that compute 20 microseconds and meet, again and again, beside two busy loops:
// 1050 microseconds a meeting by yielding, 100 to 150 by sleeping.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace core {

/// Tells the processor that this is a loop that waits. Local.
inline void relax_processor() noexcept {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

/// Lets another thread have this core. False, at once, where a yield of this process took long not long ago: something
/// else keeps the cores busy, and the caller should sleep instead. Local.
[[nodiscard]] bool yield_core() noexcept;

/// One wait of a thread, from the first look in vain to the last. Local.
class PoliteWait {
 public:
  /// `spins`: looks before the core is given away; `spins_before_sleep`: further looks before the thread sleeps, where
  /// giving the core away costs a time slice. Both should be few where threads outnumber cores.
  explicit PoliteWait(unsigned spins, unsigned spins_before_sleep) noexcept
      : spins_(spins), spins_before_sleep_(spins_before_sleep) {}

  /// After a look in vain: relaxes, yields or calls sleep(). Now and then it calls progress(), for what must go on
  /// while this thread waits; seldom where cores are busy, for progress() may itself give the core away (MPI's does).
  template <class Sleep, class Progress>
  void pause(Sleep&& sleep, Progress&& progress) {
    constexpr unsigned kYieldsBetweenProgress = 8;
    if (++looks_ < spins_) {
      relax_processor();
    } else if (yield_core()) {
      if (looks_ % kYieldsBetweenProgress == 0) progress();
    } else if (looks_ < spins_ + spins_before_sleep_) {
      relax_processor();
    } else {
      if (sleeps_++ > 0) progress(); // the first sleep is mostly the last one
      sleep();
    }
  }

 private:
  unsigned spins_, spins_before_sleep_;
  unsigned looks_ = 0, sleeps_ = 0;
};

/// The usual PoliteWait of ranks that meet in shared memory, `threads` of them on this machine.
///
/// Few looks before yielding: the one that is waited for may need this core, and yielding costs half a microsecond
/// where no thread does. Measured on two cores, 2 ranks, 8 bytes: 10 looks 0.16 microseconds where each rank has a core
/// and 1.7 where they share one; 1000 looks 0.5 and 29. Before sleeping 1000 looks more (some 10 microseconds) where
/// each thread can have a core: half the time of 100 looks beside two busy loops, but three times as long with 4 ranks.
[[nodiscard]] PoliteWait usual_wait(int threads) noexcept;

/// A word that threads, also of several processes that share its memory, sleep on until it changes. Zero at first;
/// memory that is zero holds one. A sleeper announces itself before it looks once more, and who changes the word looks
/// for sleepers afterwards: of these two stores and loads, all sequentially consistent, at least one sees the other, so
/// no wake-up is lost, and changing the word costs no system call where no thread sleeps.
class WakingWord {
 public:
  [[nodiscard]] std::uint32_t load() const noexcept { return value_.load(std::memory_order_acquire); }
  void store(std::uint32_t value) noexcept {
    value_.store(value, std::memory_order_seq_cst);
    wake_sleepers();
  }
  /// Adds 1, modulo 2^32.
  void increment() noexcept {
    value_.fetch_add(1, std::memory_order_seq_cst);
    wake_sleepers();
  }
  /// Subtracts 1; wakes sleepers only when the word has become zero.
  void count_down() noexcept {
    if (value_.fetch_sub(1, std::memory_order_seq_cst) == 1) wake_sleepers();
  }
  /// Sleeps while the word is `expected`, until it is changed or for `longest` (0: without a limit). May return early.
  /// Where the kernel offers no such sleep (it is Linux' futex) this is a short nap.
  void sleep_while(std::uint32_t expected, std::chrono::microseconds longest) noexcept;

 private:
  void wake_sleepers() noexcept {
    if (sleepers_.load(std::memory_order_seq_cst) != 0) wake_all();
  }
  void wake_all() noexcept;

  std::atomic<std::uint32_t> value_{0};
  std::atomic<std::uint32_t> sleepers_{0};
};
static_assert(std::atomic<std::uint32_t>::is_always_lock_free, "a lock would not work between processes");

} // namespace core
