// Sending each item of a stream to the rank that owns it, in rounds whose buffers are bounded: what loaders, direct
// messages and result writers share.
//
// Items are staged per destination. When a rank's staging area is full it takes part in a round (one MPI_Alltoall for
// the counts, one MPI_Alltoallv for the items); ranks that have run dry keep answering rounds until all have. Items
// arrive grouped by sender in rank order, and in the order in which that sender pushed them, within a round.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "core/collectives.hpp"
#include "core/communicator.hpp"

namespace collectives {

/// Default number of items a rank stages before a round.
inline constexpr std::size_t kItemsPerRound = std::size_t{1} << 20;

/// Delivers items of type T to their owners.
///
/// `produce(push)` is called again and again on this rank; each call pushes at most a few thousand items by
/// push(destination, item) and returns true while there is more. `consume(source_rank, items)` receives what arrived.
/// Items for this rank itself go the same way without MPI. Collective; produce and consume must not communicate. An
/// exception thrown by produce or consume on one rank is thrown on all (core::agree) at the next round.
template <core::Transferable T, class Produce, class Consume>
void routed_exchange(const core::Communicator& comm, Produce&& produce, Consume&& consume,
                     std::size_t items_per_round = kItemsPerRound);

} // namespace collectives

#include "collectives/routed_exchange_impl.hpp"
