#include "call.hpp"

#include <thread>

namespace collectives::detail {

FrameStack& frames_of(Call& call) noexcept {
  return call.frames;
}

void nap(std::chrono::microseconds longest) noexcept {
  constexpr std::chrono::microseconds kNap{50};
  std::this_thread::sleep_for(std::min(longest, kNap));
}

namespace {

/// The condition that a background call waits for.
struct Suspended {
  const Call& call;
  [[nodiscard]] std::vector<int> missing() const { return call.missing_ranks(call.condition); }
};

} // namespace

bool Call::advance() {
  while (!task.done()) {
    try {
      if (!is_ready(condition)) {
        Suspended waiting{*this};
        patience.looked(*this, *around, waiting);
        return false;
      }
    } catch (...) {
      interruption = std::current_exception(); // the coroutine shall see it, and clean up
    }
    std::exchange(suspended, nullptr).resume();
  }
  return true;
}

} // namespace collectives::detail
