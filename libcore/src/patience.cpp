#include "core/patience.hpp"

#include <algorithm>
#include <thread>

#include "core/waiting.hpp"

namespace core {

namespace {
constexpr int kYields = 64; // a peer on the same core needs a few turns; sleeping costs at least 50 microseconds
} // namespace

void Patience::pause() {
  ++pauses_;
  if (pauses_ <= kYields && yield_core()) return;
  const int doublings = std::clamp((pauses_ - kYields) / 4, 0, 20);
  std::this_thread::sleep_for(std::min(std::chrono::microseconds{20} * (1 << doublings), longest_));
}

} // namespace core
