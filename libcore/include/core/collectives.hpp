// MPI's collectives on spans and std::size_t counts. MPI 3.1 counts are ints; these wrappers split what is longer than
// count_limit(), so that no caller ever narrows a count. All functions are collective unless marked Local, all throw
// MpiError, and counts are in elements of T. On a communicator that uses the node's memory, calls of few bytes do not
// enter MPI (Communicator::use_node_memory).
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include <mpi.h>

#include "core/communicator.hpp"
#include "core/datatype.hpp"
#include "core/request.hpp"

namespace core {

/// Largest count (and displacement) handed to one MPI call; INT_MAX unless a test lowers it. Local; the same on all
/// ranks.
[[nodiscard]] std::size_t count_limit() noexcept;
void set_count_limit(std::size_t limit) noexcept;

/// Calls piece(first, length) for consecutive pieces of `count` elements, each short enough for one MPI call; `length`
/// is the int that MPI wants. Local.
template <class F>
void for_each_piece(std::size_t count, F&& piece) {
  for (std::size_t first = 0; first < count;) {
    const std::size_t length = std::min(count - first, count_limit());
    piece(first, static_cast<int>(length));
    first += length;
  }
}

enum class Reduce { sum, min, max, logical_and, logical_or };

/// Who sends how much to whom in an irregular exchange. Made by a collective call, so that all ranks agree on
/// `fits_int`: whether one MPI_Alltoallv carries it. That is decided carefully, by what all ranks together send,
/// because every rank learns that from the one MPI_Alltoall of the counts: no rank's offsets can then pass an int. An
/// exchange that would only just fit rank by rank goes as point-to-point messages, which at such sizes costs nothing
/// that shows.
struct ExchangeCounts {
  std::vector<std::size_t> send_counts, send_offsets;       ///< one per peer, in elements
  std::vector<std::size_t> receive_counts, receive_offsets; ///< one per peer, in elements
  std::size_t send_total = 0, receive_total = 0;
  bool fits_int = true;               ///< all ranks together send at most count_limit() elements
  std::size_t grand_total = kUnknown; ///< what all ranks together send, if they know it
  static constexpr std::size_t kUnknown = std::numeric_limits<std::size_t>::max();

  /// Learns the receive counts from the peers (one MPI_Alltoall). Collective. Reuses this object's storage.
  void update(const Communicator& comm, std::span<const std::size_t> counts_to_send);

  /// What this rank sends, one block behind the other. Local.
  void set_blocks(std::span<const std::size_t> counts_to_send);

 private:
  friend void exchange_blocks(const Communicator&, const std::byte*, std::span<const std::size_t>,
                              std::vector<std::byte>&, ExchangeCounts&);
  std::vector<std::uint64_t> scratch_;
};

namespace detail {
void broadcast(const Communicator&, void* data, std::size_t count, MPI_Datatype, std::size_t element_bytes, int root);
void all_reduce_in_place(const Communicator&, void* data, std::size_t count, MPI_Datatype, std::size_t element_bytes,
                         Reduce);
void exclusive_scan_sum(const Communicator&, const void* value, void* result, MPI_Datatype);
void all_gather(const Communicator&, const void* one, void* all, std::size_t count, MPI_Datatype,
                std::size_t element_bytes);
void all_to_all(const Communicator&, const void* send, void* receive, std::size_t count_per_peer, MPI_Datatype,
                std::size_t element_bytes);
void all_to_all_varying(const Communicator&, const void* send, void* receive, const ExchangeCounts&, MPI_Datatype,
                        std::size_t element_bytes);
void all_gather_varying(const Communicator&, const void* send, std::size_t send_count, void* receive,
                        std::span<const std::size_t> counts, MPI_Datatype, std::size_t element_bytes);
void gather_varying(const Communicator&, const void* send, std::size_t send_count, void* receive,
                    std::span<const std::size_t> counts, MPI_Datatype, std::size_t element_bytes, int root);
} // namespace detail

/// Waits until every rank has entered.
void barrier(const Communicator& comm);
/// Enters; the request is complete when every rank has. For ranks that must answer others while they wait.
[[nodiscard]] Request start_barrier(const Communicator& comm);

/// Copies `data` of `root` into `data` of the others; spans have equal length everywhere.
template <Transferable T>
void broadcast(const Communicator& comm, std::span<T> data, int root) {
  detail::broadcast(comm, data.data(), data.size(), datatype_of<T>(), sizeof(T), root);
}
template <Transferable T>
[[nodiscard]] T broadcast_value(const Communicator& comm, T value, int root) {
  broadcast(comm, std::span<T>(&value, 1), root);
  return value;
}
/// `text` of `root`, on every rank.
[[nodiscard]] std::string broadcast_string(const Communicator& comm, const std::string& text, int root);

namespace detail {
/// MPI_MIN and MPI_MAX of unsigned integers compare them as signed ones in MPICH 4.0.2 (all unsigned types; unsigned
/// long long in later releases too) and in Open MPI 4.1.2 to 4.1.4 (unsigned long). With the highest bit flipped, the
/// order of the signed values is that of the unsigned ones.
template <class T>
concept ReducedAsSigned = std::unsigned_integral<T> && !std::same_as<T, bool>;

template <ReducedAsSigned T>
void flip_highest_bits(std::span<T> data) noexcept {
  constexpr T kHighest = static_cast<T>(T{1} << (std::numeric_limits<T>::digits - 1));
  for (T& x : data) x = static_cast<T>(x ^ kHighest);
}
} // namespace detail

/// Element-wise reduction into `data` on every rank; spans have equal length everywhere.
template <class T>
requires std::is_arithmetic_v<T>
void all_reduce(const Communicator& comm, std::span<T> data, Reduce operation) {
  if constexpr (detail::ReducedAsSigned<T>) {
    if (operation == Reduce::min || operation == Reduce::max) {
      detail::flip_highest_bits(data);
      detail::all_reduce_in_place(comm, data.data(), data.size(), datatype_of<std::make_signed_t<T>>(), sizeof(T),
                                  operation);
      detail::flip_highest_bits(data);
      return;
    }
  }
  detail::all_reduce_in_place(comm, data.data(), data.size(), datatype_of<T>(), sizeof(T), operation);
}
template <class T>
requires std::is_arithmetic_v<T>
[[nodiscard]] T all_reduce_value(const Communicator& comm, T value, Reduce operation) {
  all_reduce(comm, std::span<T>(&value, 1), operation);
  return value;
}

/// Sum of `value` over the ranks before this one; zero on rank 0.
template <class T>
requires std::is_arithmetic_v<T>
[[nodiscard]] T exclusive_scan_sum(const Communicator& comm, T value) {
  T result{};
  detail::exclusive_scan_sum(comm, &value, &result, datatype_of<T>());
  return comm.rank() == 0 ? T{} : result;
}

/// One value of each rank, in rank order.
template <Transferable T>
[[nodiscard]] std::vector<T> all_gather(const Communicator& comm, const T& value) {
  std::vector<T> all(static_cast<std::size_t>(comm.size()));
  detail::all_gather(comm, &value, all.data(), 1, datatype_of<T>(), sizeof(T));
  return all;
}
/// The ranks' spans, of any lengths, one after the other in rank order. `counts`, if given, receives the lengths.
template <Transferable T>
[[nodiscard]] std::vector<T> all_gather_varying(const Communicator& comm, std::span<const T> mine,
                                                std::vector<std::size_t>* counts = nullptr) {
  const std::vector<std::size_t> lengths = all_gather(comm, mine.size());
  std::size_t total = 0;
  for (const std::size_t length : lengths) total += length;
  std::vector<T> all(total);
  detail::all_gather_varying(comm, mine.data(), mine.size(), all.data(), lengths, datatype_of<T>(), sizeof(T));
  if (counts != nullptr) *counts = lengths;
  return all;
}

/// The same, but on `root` alone, which holds them all; empty on the other ranks, which may return before it has them.
/// `counts` is filled everywhere. What does not fit into one MPI_Gatherv comes in pieces, rank after rank.
template <Transferable T>
[[nodiscard]] std::vector<T> gather_varying(const Communicator& comm, std::span<const T> mine, int root,
                                            std::vector<std::size_t>* counts = nullptr) {
  const std::vector<std::size_t> lengths = all_gather(comm, mine.size());
  std::size_t total = 0;
  for (const std::size_t length : lengths) total += length;
  std::vector<T> all(comm.rank() == root ? total : 0);
  detail::gather_varying(comm, mine.data(), mine.size(), all.data(), lengths, datatype_of<T>(), sizeof(T), root);
  if (counts != nullptr) *counts = lengths;
  return all;
}

/// `send.size() / size` elements to each rank, in rank order; `receive` is as long as `send`.
template <Transferable T>
void all_to_all(const Communicator& comm, std::span<const T> send, std::span<T> receive) {
  detail::all_to_all(comm, send.data(), receive.data(), send.size() / static_cast<std::size_t>(comm.size()),
                     datatype_of<T>(), sizeof(T));
}

/// MPI_Alltoallv with the counts and offsets of `counts`; where they do not fit into ints, point-to-point messages of
/// at most count_limit() elements.
template <Transferable T>
void all_to_all_varying(const Communicator& comm, const T* send, T* receive, const ExchangeCounts& counts) {
  detail::all_to_all_varying(comm, send, receive, counts, datatype_of<T>(), sizeof(T));
}

/// update() and all_to_all_varying() of bytes in one: `counts_to_send[p]` bytes of `send` to each peer p, the blocks
/// one behind the other; what comes lies in `received`, which grows if it must, where `counts` says. Where the node's
/// memory is used and all blocks of each rank fit into its slot, the ranks meet once instead of twice.
void exchange_blocks(const Communicator& comm, const std::byte* send, std::span<const std::size_t> counts_to_send,
                     std::vector<std::byte>& received, ExchangeCounts& counts);

} // namespace core
