// What the tests of tables share.
#pragma once

#include <algorithm>
#include <chrono>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "core/communicator.hpp"
#include "core/error.hpp"
#include "core/random.hpp"

namespace ps::testing_support {

inline const core::Communicator& world() {
  static const core::Communicator comm = core::Communicator::world();
  return comm;
}

/// The ways to place servers that differ on this number of ranks: all ranks, one dedicated (the first, the last), and
/// some in an order that is not that of ranks.
inline std::vector<std::vector<int>> server_layouts() {
  std::vector<int> all(static_cast<std::size_t>(world().size()));
  std::iota(all.begin(), all.end(), 0);
  std::vector<std::vector<int>> layouts{all};
  if (world().size() == 1) return layouts;
  layouts.push_back({0});
  layouts.push_back({world().size() - 1});
  std::vector<int> every_second;
  for (int rank = world().size() - 1; rank >= 0; rank -= 2) every_second.push_back(rank);
  if (every_second.size() > 1) layouts.push_back(every_second);
  return layouts;
}

inline std::string text_of(const std::vector<int>& servers) {
  std::string text = "servers";
  for (const int server : servers) text += ' ' + std::to_string(server);
  return text;
}

/// Now nothing, now a turn for others, now a nap: interleavings that a steady loop never shows.
inline void random_delay(core::CounterRandom& random) {
  const std::uint64_t draw = random.below(16);
  if (draw < 8) return;
  if (draw < 14) {
    std::this_thread::yield();
    return;
  }
  std::this_thread::sleep_for(std::chrono::microseconds(random.below(200)));
}

/// The message of the error that `f` throws.
template <class Error = core::Error, class F>
std::string error_of(F&& f) {
  try {
    f();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

} // namespace ps::testing_support
