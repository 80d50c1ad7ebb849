#include "call.hpp"

#include <sched.h>

namespace collectives::detail {

FrameStack& frames_of(Call& call) noexcept {
  return call.frames;
}

void Patience::give_core_away() noexcept {
  sched_yield();
}

bool Call::advance() {
  while (!task.done()) {
    try {
      if (!is_ready(condition)) {
        patience.looked(*this, *around, [&] { return missing_ranks(condition); });
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
