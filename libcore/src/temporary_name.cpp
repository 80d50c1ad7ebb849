// A signal handler may read plain memory and lock-free atomics, and call unlink(); it may not take a lock or touch a
// std::string that another thread is destroying. So the names are copied into a fixed table.
#include "core/temporary_name.hpp"

#include <array>
#include <atomic>
#include <climits>
#include <csignal>
#include <cstring>
#include <mutex>
#include <utility>

#include <unistd.h>

namespace core {
namespace {

enum class SlotState { free, filling, marked };

struct Slot {
  std::atomic<SlotState> state{SlotState::free};
  std::array<char, PATH_MAX> path{};
};

static_assert(std::atomic<SlotState>::is_always_lock_free);

/// A run writes a result and two traces at the most; further files are not removed by signals.
std::array<Slot, 16> slots;

void remove_and_end(int signal) {
  for (const Slot& slot : slots)
    if (slot.state.load(std::memory_order_acquire) == SlotState::marked) (void)unlink(slot.path.data());
  (void)raise(signal); // SA_RESETHAND: the default action, as soon as this handler returns
}

void handle_ending_signals() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction current {};
    if (sigaction(signal, nullptr, &current) != 0 || current.sa_handler != SIG_DFL) continue;
    struct sigaction ours {};
    ours.sa_handler = remove_and_end;
    ours.sa_flags = SA_RESETHAND | SA_RESTART;
    sigemptyset(&ours.sa_mask);
    (void)sigaction(signal, &ours, nullptr);
  }
}

} // namespace

void remove_temporary_files_on_signals() {
  static std::once_flag handling;
  std::call_once(handling, handle_ending_signals);
}

TemporaryName::TemporaryName(const std::string& path) {
  remove_temporary_files_on_signals();
  if (path.size() >= slots[0].path.size()) return;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    SlotState expected = SlotState::free;
    if (!slots[i].state.compare_exchange_strong(expected, SlotState::filling)) continue;
    std::memcpy(slots[i].path.data(), path.c_str(), path.size() + 1);
    slots[i].state.store(SlotState::marked, std::memory_order_release);
    slot_ = i;
    return;
  }
}

TemporaryName::~TemporaryName() {
  if (slot_ != kUnmarked) slots[slot_].state.store(SlotState::free, std::memory_order_release);
}

TemporaryName::TemporaryName(TemporaryName&& other) noexcept : slot_(std::exchange(other.slot_, kUnmarked)) {}

TemporaryName& TemporaryName::operator=(TemporaryName&& other) noexcept {
  std::swap(slot_, other.slot_);
  return *this;
}

} // namespace core
