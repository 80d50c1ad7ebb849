// The exchange at the barrier: the published messages of boundary vertices travel to the ranks that mirror them.
//
// Both sides know from loading which vertices are meant and in which order, so messages carry no ids. Per pair of ranks
// the smallest of four encodings is chosen, with n boundary vertices, k of them published and s bytes a message:
//   nothing   k = 0                           0 bytes
//   all       k = n                           n s
//   bitmap    who published, then values      n/8 + k s
//   indices   positions, then values          4 k + k s
// When every vertex of the graph has published (PageRank's steady state) not even the counts are exchanged: values go
// by one MPI_Alltoallv straight into the mirror slots.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/collectives.hpp"
#include "pregel/engine/vertex_set.hpp"
#include "pregel/graph/distributed_graph.hpp"

namespace pregel {

enum class BoundaryEncoding : std::uint32_t { nothing, all, bitmap, indices };

/// The smallest encoding for k of n messages of s bytes.
[[nodiscard]] BoundaryEncoding choose_encoding(std::size_t published, std::size_t boundary,
                                               std::size_t message_bytes) noexcept;

struct ExchangeVolume {
  std::uint64_t values = 0; ///< messages sent to other ranks
  std::uint64_t bytes = 0;  ///< bytes sent to other ranks

  ExchangeVolume& operator+=(const ExchangeVolume& other) noexcept {
    values += other.values;
    bytes += other.bytes;
    return *this;
  }
};

/// Moves messages of a fixed number of bytes (zero: only the fact that one was published).
class BoundaryExchange {
 public:
  /// `graph` must outlive this.
  BoundaryExchange(const DistributedGraph& graph, std::size_t message_bytes);

  /// `slots` holds one message a slot; `published` the local slots that published, and on return also the mirrors that
  /// did. `all_published`: every vertex of the graph did, on every rank; then `published` is left alone. Collective.
  ExchangeVolume exchange(std::byte* slots, VertexSet& published, bool all_published);

 private:
  ExchangeVolume exchange_all(std::byte* slots);
  void find_published(const VertexSet& published);
  void encode(const std::byte* slots, std::size_t peer);
  void decode(std::byte* slots, VertexSet& published, std::size_t peer);

  const DistributedGraph& graph_;
  std::size_t message_bytes_;
  core::ExchangeCounts all_counts_;                   // of exchange_all, in messages
  core::ExchangeCounts counts_;                       // in bytes
  std::vector<std::vector<std::uint32_t>> positions_; // per peer, ascending: which boundary vertices published
  std::vector<std::size_t> block_bytes_;
  std::vector<std::byte> send_, receive_;
};

} // namespace pregel
