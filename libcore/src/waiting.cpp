#include "core/waiting.hpp"

#include <climits>
#include <thread>

#include <sched.h>

#ifdef __linux__
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#endif

namespace core {
namespace {

using Clock = std::chrono::steady_clock;

/// Yields that take longer have given the core to a thread that used up its time slice (2.8 ms and more); one that
/// yields itself, or waits for something, gives it back sooner.
constexpr std::chrono::microseconds kSlow{1500};
/// Sleeping is preferred then for so many times as long: trying to yield again costs a fiftieth of the time.
constexpr int kSleepFor = 50;

/// When yields may be tried again; of all threads of this process.
std::atomic<Clock::rep> yields_again_at{0};

} // namespace

bool yield_core() noexcept {
  const Clock::time_point begin = Clock::now();
  if (begin.time_since_epoch().count() < yields_again_at.load(std::memory_order_relaxed)) return false;
  sched_yield();
  const Clock::time_point end = Clock::now();
  if (end - begin > kSlow)
    yields_again_at.store((end + kSleepFor * (end - begin)).time_since_epoch().count(), std::memory_order_relaxed);
  return true;
}

PoliteWait usual_wait(int threads) noexcept {
  constexpr unsigned kSpins = 10, kSpinsBeforeSleep = 1000;
  static const unsigned cores = std::thread::hardware_concurrency();
  return PoliteWait(kSpins, static_cast<unsigned>(threads) <= cores ? kSpinsBeforeSleep : 0);
}

static_assert(sizeof(std::atomic<std::uint32_t>) == sizeof(std::uint32_t), "the kernel looks at the plain word");

#ifdef __linux__

void WakingWord::sleep_while(std::uint32_t expected, std::chrono::microseconds longest) noexcept {
  constexpr std::int64_t kPerSecond = 1'000'000;
  timespec limit{};
  limit.tv_sec = static_cast<time_t>(longest.count() / kPerSecond);
  limit.tv_nsec = static_cast<long>(longest.count() % kPerSecond * 1000);
  sleepers_.fetch_add(1, std::memory_order_seq_cst);
  if (value_.load(std::memory_order_seq_cst) == expected)
    syscall(SYS_futex, &value_, FUTEX_WAIT, expected, longest.count() == 0 ? nullptr : &limit, nullptr, 0);
  sleepers_.fetch_sub(1, std::memory_order_relaxed);
}

void WakingWord::wake_all() noexcept {
  syscall(SYS_futex, &value_, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

#else

void WakingWord::sleep_while(std::uint32_t expected, std::chrono::microseconds longest) noexcept {
  constexpr std::chrono::microseconds kNap{50};
  if (load() == expected) std::this_thread::sleep_for(longest.count() == 0 || longest > kNap ? kNap : longest);
}

void WakingWord::wake_all() noexcept {}

#endif

} // namespace core
