// A loop over 0 .. count-1 on all threads of a team, a block at a time, whoever is free takes the next.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>

#include "core/thread_team.hpp"

namespace pregel {

/// Calls body(thread, begin, end) for blocks of `block` items. Local.
template <class Body>
void for_blocks(core::ThreadTeam& team, std::size_t count, std::size_t block, Body&& body) {
  if (team.size() == 1 || count <= block) {
    if (count != 0) body(0, std::size_t{0}, count);
    return;
  }
  std::atomic<std::size_t> next{0};
  team.run([&](int thread) {
    for (std::size_t begin; (begin = next.fetch_add(block, std::memory_order_relaxed)) < count;)
      body(thread, begin, std::min(count, begin + block));
  });
}

} // namespace pregel
