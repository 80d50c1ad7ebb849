// How oriented lists travel. In each round the lists of some vertices go, once to each rank, to the owners of the
// vertices that they name. A list is sent as 64-bit words: the id of its vertex, its length, the ids, and with widths
// one bit an entry. The receiver turns ids into its own numbers and forgets those that it does not know: they are
// neighbours of none of its vertices, so no triangle that it can find has them.
//
// Which vertices take part in a round hangs on their ids alone, so that rounds are the same on any number of ranks.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/collectives.hpp"
#include "oriented_lists.hpp"
#include "pregel/engine/boundary_exchange.hpp"

namespace pregel {

/// The list of a vertex, in the numbers of this rank.
struct NumberedList {
  std::uint32_t number = 0; ///< of the vertex
  std::vector<std::uint32_t> entries;
  std::vector<std::uint8_t> widths; ///< as many, or none
};

class ListExchange {
 public:
  /// `graph` and `lists` must outlive this.
  ListExchange(const DistributedGraph& graph, const OrientedLists& lists) : graph_(graph), lists_(lists) {}

  [[nodiscard]] static std::uint64_t round_of(GlobalId id, std::uint64_t rounds) noexcept;

  /// Makes round `round` of `rounds` ready: finds this rank's vertices in it and packs their lists. Local.
  void pack(std::uint64_t round, std::uint64_t rounds);
  /// Entries of this rank's lists in the round. Local.
  [[nodiscard]] std::uint64_t entries() const noexcept { return entries_; }
  /// Sends what was packed; what arrives replaces what had arrived. Collective.
  ExchangeVolume exchange();

  /// This rank's own lists of the round, then those that arrived. Local.
  [[nodiscard]] std::size_t size() const noexcept { return own_.size() + arrived_.size(); }
  /// Writes the i-th into `list`, for the calling thread. Local.
  void read(std::size_t i, NumberedList& list) const;
  /// Gives the memory of the last round back. Local.
  void clear();

 private:
  void find_own(std::uint64_t round, std::uint64_t rounds);
  /// Words that a list of `length` entries takes.
  [[nodiscard]] std::size_t words_for(std::size_t length) const noexcept {
    return 2 + length + (lists_.with_widths ? (length + 63) / 64 : 0);
  }
  /// The other ranks that own a vertex of the list of `number`.
  void find_destinations(std::uint32_t number, std::vector<int>& destinations);
  void write(std::uint32_t number, std::uint64_t* words) const;

  const DistributedGraph& graph_;
  const OrientedLists& lists_;
  std::vector<std::uint32_t> own_; // numbers of this rank's vertices with lists in the round
  std::uint64_t entries_ = 0;
  std::vector<std::uint32_t> last_seen_; // per rank: list that was last found to name a vertex of it
  std::uint32_t seen_ = 0;
  core::ExchangeCounts counts_;
  std::vector<std::size_t> send_counts_;
  std::vector<std::uint64_t> send_, received_;
  std::vector<std::size_t> arrived_; // where each list begins in received_
  std::uint64_t values_ = 0;
};

} // namespace pregel
