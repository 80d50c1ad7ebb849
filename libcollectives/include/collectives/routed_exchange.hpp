// Sending each item of a stream to the rank that owns it, in rounds whose buffers are bounded: what loaders, direct
// messages and result writers share.
//
// Items are staged in one segment per destination. When a segment is full its rank takes part in a round: an
// MPI_Alltoall of one word per pair (how much, and whether the rank has run dry or failed), then one message per pair
// that has items. Ranks that have run dry keep answering rounds until all have. A segment holds items_per_round / P
// items, so that a rank receives about items_per_round items at most even when all others send to it alone. Items for
// the rank itself never see MPI: they are consumed straight from their segment, which is kept small enough for the
// cache, whenever it is full.
//
// Items of one sender arrive in the order in which it pushed them; within a round, senders come in rank order.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include "core/collectives.hpp"
#include "core/communicator.hpp"

namespace collectives {

/// Default number of items that a rank stages, and receives, in a round.
inline constexpr std::size_t kItemsPerRound = std::size_t{1} << 20;

/// Delivers items of type T to their owners.
///
/// `produce(push)` is called again and again on this rank; each call pushes at most a few thousand items (more is
/// correct, but enlarges the stage) by push(destination, item) and returns true while there is more.
/// `consume(source_rank, std::span<const T> items)` receives what arrived, never from inside produce. Neither may
/// communicate. An exception thrown by either on one rank is thrown on all, in the form that core::agree gives it, at
/// the next round. When it names a place in the input (core::OrderedInputError), the other ranks first go through the
/// rest of their input, so that the first bad place is reported whatever the number of ranks. Collective.
template <core::Transferable T, class Produce, class Consume>
void routed_exchange(const core::Communicator& comm, Produce&& produce, Consume&& consume,
                     std::size_t items_per_round = kItemsPerRound);

/// A produce function for a list: each call runs send(push, item) on the next few thousand items. `items` must outlive
/// it. Local.
template <class Items, class Send>
[[nodiscard]] auto produce_each(const Items& items, Send send) {
  return [&items, send, next = std::size_t{0}](auto&& push) mutable {
    constexpr std::size_t kItemsPerTurn = 4096;
    const std::size_t end = std::min(items.size(), next + kItemsPerTurn);
    for (; next < end; ++next) send(push, items[next]);
    return next < items.size();
  };
}

} // namespace collectives

#include "collectives/routed_exchange_impl.hpp"
