// What one thread of the engine writes during a superstep; merged at its end.
#pragma once

#include <cstdint>
#include <vector>

#include "pregel/engine/context.hpp"
#include "pregel/engine/superstep_loop.hpp"
#include "pregel/graph/types.hpp"

namespace pregel {

/// A message to a vertex named by its id.
template <class Message>
struct DirectMessage {
  GlobalId target{};
  GlobalId sender{};
  Message message{};
};

template <class P>
struct alignas(128) Worker { // two cache lines: neighbours are prefetched in pairs
  using Message = typename P::Message;

  explicit Worker(Context c) : context(c) {}

  void begin(std::uint64_t superstep, bool sparse) {
    context.enter_superstep(superstep);
    counts = {};
    listing = sparse;
    published.clear();
    active.clear();
  }

  Context context;
  SuperstepCounts counts;
  bool listing = false; ///< few vertices compute: list who publishes and who stays active
  std::vector<std::uint32_t> published, active;
  std::vector<std::uint32_t> touched; ///< PUSH: vertices of this thread's range that got a message
  std::vector<DirectMessage<Message>> outbox;
  std::vector<Message> gathered; ///< messages of one vertex, where there is no combiner
};

} // namespace pregel
