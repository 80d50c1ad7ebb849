// MPI's collectives behind std::size_t counts. What does not fit into one call is cut into pieces of count_limit()
// elements; all ranks cut alike, because they decide on numbers that all of them know.
#include "core/collectives.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <climits>
#include <cstring>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/fault_tolerance.hpp"
#include "core/node_slots.hpp"

namespace core {
namespace {

// Only tests write it, to reach the split paths without buffers of gigabytes.
std::size_t the_count_limit = INT_MAX;

/// Tag of the pieces of an exchange that is too long for MPI_Alltoallv. The wrappers own it: a caller that receives
/// with wildcards on the same communicator must be done before it enters a collective.
constexpr int kPieceTag = 31'000;

std::size_t size_of(const Communicator& comm) noexcept {
  return static_cast<std::size_t>(comm.size());
}

const std::byte* advance(const void* data, std::size_t elements, std::size_t element_bytes) noexcept {
  return static_cast<const std::byte*>(data) + elements * element_bytes;
}
std::byte* advance(void* data, std::size_t elements, std::size_t element_bytes) noexcept {
  return static_cast<std::byte*>(data) + elements * element_bytes;
}

void copy(void* to, const void* from, std::size_t bytes) noexcept {
  if (bytes > 0 && to != from) std::memmove(to, from, bytes);
}

MPI_Op native(Reduce operation) {
  switch (operation) {
    case Reduce::sum: return MPI_SUM;
    case Reduce::min: return MPI_MIN;
    case Reduce::max: return MPI_MAX;
    case Reduce::logical_and: return MPI_LAND;
    case Reduce::logical_or: return MPI_LOR;
  }
  throw Error("unknown reduction");
}

/// Four int arrays of one entry a rank, on the stack for up to 64 ranks: an exchange of a few bytes takes 3
/// microseconds, so that allocations would show.
class IntArrays {
 public:
  explicit IntArrays(std::size_t ranks) : ranks_(ranks) {
    if (4 * ranks > small_.size()) large_.resize(4 * ranks);
  }
  int* fill(int which, std::span<const std::size_t> values) noexcept {
    int* const array = (large_.empty() ? small_.data() : large_.data()) + static_cast<std::size_t>(which) * ranks_;
    for (std::size_t i = 0; i < ranks_; ++i) array[i] = static_cast<int>(values[i]);
    return array;
  }

 private:
  std::size_t ranks_;
  std::array<int, 256> small_;
  std::vector<int> large_;
};

/// Where the block of each rank begins when blocks of `counts` elements follow each other; last, where they end.
std::vector<std::size_t> offsets_of(std::span<const std::size_t> counts) {
  std::vector<std::size_t> offsets{0};
  offsets.reserve(counts.size() + 1);
  for (const std::size_t count : counts) offsets.push_back(offsets.back() + count);
  return offsets;
}

/// An irregular exchange by point-to-point messages: in step s rank r sends to r + s and receives from r - s, so that
/// every rank serves one peer at a time.
void exchange_in_pieces(const Communicator& comm, const void* send, void* receive, const ExchangeCounts& counts,
                        MPI_Datatype type, std::size_t element_bytes) {
  const int size = comm.size();
  std::vector<MPI_Request> requests;
  for (int step = 0; step < size; ++step) {
    const int to = (comm.rank() + step) % size;
    const int from = (comm.rank() - step + size) % size;
    const auto to_index = static_cast<std::size_t>(to);
    const auto from_index = static_cast<std::size_t>(from);
    std::byte* const target = advance(receive, counts.receive_offsets[from_index], element_bytes);
    const std::byte* const source = advance(send, counts.send_offsets[to_index], element_bytes);
    if (step == 0) {
      copy(target, source, counts.send_counts[to_index] * element_bytes);
      continue;
    }
    requests.clear();
    for_each_piece(counts.receive_counts[from_index], [&](std::size_t first, int length) {
      check_mpi(MPI_Irecv(advance(target, first, element_bytes), length, type, from, kPieceTag, comm.native(),
                          &requests.emplace_back(MPI_REQUEST_NULL)),
                "MPI_Irecv");
    });
    for_each_piece(counts.send_counts[to_index], [&](std::size_t first, int length) {
      check_mpi(MPI_Isend(advance(source, first, element_bytes), length, type, to, kPieceTag, comm.native(),
                          &requests.emplace_back(MPI_REQUEST_NULL)),
                "MPI_Isend");
    });
    check_mpi(MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
  }
}

/// The node's slots, if this communicator has some and `bytes` bytes, the same number on all ranks, fit into one.
NodeSlots* slots_for(const Communicator& comm, std::size_t bytes) noexcept {
  NodeSlots* const slots = comm.node_slots();
  return slots != nullptr && bytes <= slots->bytes() ? slots : nullptr;
}

void reduce_in_slots(NodeSlots& slots, const Communicator& comm, void* data, std::size_t count, MPI_Datatype type,
                     std::size_t element_bytes, MPI_Op operation) {
  const std::size_t bytes = count * element_bytes;
  copy(slots.mine(), data, bytes);
  slots.meet();
  copy(data, slots.of(0), bytes);
  for (int rank = 1; rank < comm.size(); ++rank)
    check_mpi(MPI_Reduce_local(slots.of(rank), data, static_cast<int>(count), type, operation), "MPI_Reduce_local");
}

/// In front of the blocks that a rank sends: a word for each peer.
std::size_t block_table_bytes(const Communicator& comm) noexcept {
  return size_of(comm) * sizeof(std::uint64_t);
}

/// Blocks lie in the sender's slot one after the other, behind their table.
void exchange_in_slots(NodeSlots& slots, const Communicator& comm, const void* send, void* receive,
                       const ExchangeCounts& counts, std::size_t element_bytes) {
  const std::size_t size = size_of(comm), table = block_table_bytes(comm);
  std::uint64_t begin = 0;
  for (std::size_t peer = 0; peer < size; ++peer) {
    std::memcpy(slots.mine() + peer * sizeof(begin), &begin, sizeof(begin));
    copy(slots.mine() + table + begin * element_bytes, advance(send, counts.send_offsets[peer], element_bytes),
         counts.send_counts[peer] * element_bytes);
    begin += counts.send_counts[peer];
  }
  slots.meet();
  for (std::size_t peer = 0; peer < size; ++peer) {
    if (counts.receive_counts[peer] == 0) continue;
    const std::byte* const slot = slots.of(static_cast<int>(peer));
    std::memcpy(&begin, slot + static_cast<std::size_t>(comm.rank()) * sizeof(begin), sizeof(begin));
    copy(advance(receive, counts.receive_offsets[peer], element_bytes), slot + table + begin * element_bytes,
         counts.receive_counts[peer] * element_bytes);
  }
}

} // namespace

std::size_t count_limit() noexcept {
  return the_count_limit;
}
void set_count_limit(std::size_t limit) noexcept {
  the_count_limit = std::clamp<std::size_t>(limit, 1, static_cast<std::size_t>(INT_MAX));
}

void ExchangeCounts::set_blocks(std::span<const std::size_t> counts_to_send) {
  send_counts.assign(counts_to_send.begin(), counts_to_send.end());
  send_offsets.resize(send_counts.size());
  receive_counts.resize(send_counts.size());
  receive_offsets.resize(send_counts.size());
  send_total = 0;
  for (std::size_t peer = 0; peer < send_counts.size(); ++peer) {
    send_offsets[peer] = send_total;
    send_total += send_counts[peer];
  }
}

void ExchangeCounts::update(const Communicator& comm, std::span<const std::size_t> counts_to_send) {
  const std::size_t size = size_of(comm);
  assert(counts_to_send.size() == size);
  set_blocks(counts_to_send);
  // Beside its count every peer learns this rank's total. So all ranks know the grand total, and the same answer to
  // "could anything overflow an int?" follows everywhere without a second collective call.
  scratch_.resize(4 * size);
  const std::span<std::uint64_t> outgoing(scratch_.data(), 2 * size);
  const std::span<std::uint64_t> incoming(scratch_.data() + 2 * size, 2 * size);
  for (std::size_t peer = 0; peer < size; ++peer) {
    outgoing[2 * peer] = send_counts[peer];
    outgoing[2 * peer + 1] = send_total;
  }
  all_to_all(comm, std::span<const std::uint64_t>(outgoing), incoming);
  receive_total = 0;
  grand_total = 0;
  for (std::size_t peer = 0; peer < size; ++peer) {
    receive_counts[peer] = incoming[2 * peer];
    receive_offsets[peer] = receive_total;
    receive_total += receive_counts[peer];
    grand_total += incoming[2 * peer + 1];
  }
  fits_int = grand_total <= the_count_limit;
}

void exchange_blocks(const Communicator& comm, const std::byte* send, std::span<const std::size_t> counts_to_send,
                     std::vector<std::byte>& received, ExchangeCounts& counts) {
  const auto make_room = [&] {
    if (received.size() < counts.receive_total) received.resize(counts.receive_total);
  };
  const std::size_t size = size_of(comm), table = block_table_bytes(comm);
  NodeSlots* const slots = slots_for(comm, table);
  if (slots == nullptr) {
    counts.update(comm, counts_to_send);
    make_room();
    all_to_all_varying(comm, send, received.data(), counts);
    return;
  }
  // In a slot: the number of bytes for each peer, and the blocks, if there is room for all of them.
  counts.set_blocks(counts_to_send);
  std::memcpy(slots->mine(), counts.send_counts.data(), table);
  if (table + counts.send_total <= slots->bytes()) copy(slots->mine() + table, send, counts.send_total);
  slots->meet();
  bool all_fit = true;
  counts.receive_total = counts.grand_total = 0;
  counts.scratch_.resize(size); // where the block for this rank begins
  for (std::size_t peer = 0; peer < size; ++peer) {
    std::uint64_t total = 0;
    for (std::size_t to = 0; to < size; ++to) {
      std::uint64_t bytes = 0;
      std::memcpy(&bytes, slots->of(static_cast<int>(peer)) + to * sizeof(bytes), sizeof(bytes));
      if (to == static_cast<std::size_t>(comm.rank())) {
        counts.receive_counts[peer] = bytes;
        counts.scratch_[peer] = total;
      }
      total += bytes;
    }
    all_fit = all_fit && table + total <= slots->bytes();
    counts.receive_offsets[peer] = counts.receive_total;
    counts.receive_total += counts.receive_counts[peer];
    counts.grand_total += total;
  }
  counts.fits_int = counts.grand_total <= the_count_limit;
  make_room();
  if (!all_fit) return all_to_all_varying(comm, send, received.data(), counts);
  for (std::size_t peer = 0; peer < size; ++peer)
    copy(received.data() + counts.receive_offsets[peer],
         slots->of(static_cast<int>(peer)) + table + counts.scratch_[peer], counts.receive_counts[peer]);
}

void barrier(const Communicator& comm) {
  if (NodeSlots* const slots = slots_for(comm, 0)) return slots->meet();
  if (comm.size() > 1) check_mpi(MPI_Barrier(comm.native()), "MPI_Barrier");
}

Request start_barrier(const Communicator& comm) {
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(MPI_Ibarrier(comm.native(), &request), "MPI_Ibarrier");
  return Request::adopt(request);
}

std::string broadcast_string(const Communicator& comm, const std::string& text, int root) {
  const auto length = broadcast_value<std::uint64_t>(comm, text.size(), root);
  std::string copy = comm.rank() == root ? text : std::string(length, '\0');
  broadcast(comm, std::span<char>(copy), root);
  return copy;
}

namespace detail {

void broadcast(const Communicator& comm, void* data, std::size_t count, MPI_Datatype type, std::size_t element_bytes,
               int root) {
  if (comm.size() == 1) return;
  if (NodeSlots* const slots = slots_for(comm, count * element_bytes)) {
    if (comm.rank() == root) copy(slots->mine(), data, count * element_bytes);
    slots->meet();
    if (comm.rank() != root) copy(data, slots->of(root), count * element_bytes);
    return;
  }
  for_each_piece(count, [&](std::size_t first, int length) {
    check_mpi(MPI_Bcast(advance(data, first, element_bytes), length, type, root, comm.native()), "MPI_Bcast");
  });
}

void all_reduce_in_place(const Communicator& comm, void* data, std::size_t count, MPI_Datatype type,
                         std::size_t element_bytes, Reduce operation) {
  if (comm.size() == 1) return;
  const MPI_Op op = native(operation);
  if (NodeSlots* const slots = slots_for(comm, count * element_bytes))
    return reduce_in_slots(*slots, comm, data, count, type, element_bytes, op);
  for_each_piece(count, [&](std::size_t first, int length) {
    check_mpi(MPI_Allreduce(MPI_IN_PLACE, advance(data, first, element_bytes), length, type, op, comm.native()),
              "MPI_Allreduce");
  });
}

void exclusive_scan_sum(const Communicator& comm, const void* value, void* result, MPI_Datatype type) {
  if (comm.size() == 1) return;
  int bytes = 0;
  check_mpi(MPI_Type_size(type, &bytes), "MPI_Type_size");
  const auto element_bytes = static_cast<std::size_t>(bytes);
  if (NodeSlots* const slots = slots_for(comm, element_bytes)) {
    copy(slots->mine(), value, element_bytes);
    slots->meet();
    if (comm.rank() > 0) copy(result, slots->of(0), element_bytes);
    for (int rank = 1; rank < comm.rank(); ++rank)
      check_mpi(MPI_Reduce_local(slots->of(rank), result, 1, type, MPI_SUM), "MPI_Reduce_local");
    return;
  }
  check_mpi(MPI_Exscan(value, result, 1, type, MPI_SUM, comm.native()), "MPI_Exscan");
}

void all_gather(const Communicator& comm, const void* one, void* all, std::size_t count, MPI_Datatype type,
                std::size_t element_bytes) {
  const std::size_t size = size_of(comm);
  if (NodeSlots* const slots = slots_for(comm, count * element_bytes)) {
    copy(slots->mine(), one, count * element_bytes);
    slots->meet();
    for (int rank = 0; rank < comm.size(); ++rank)
      copy(advance(all, static_cast<std::size_t>(rank) * count, element_bytes), slots->of(rank), count * element_bytes);
    return;
  }
  if (size > 1 && count * size <= the_count_limit) {
    check_mpi(MPI_Allgather(one, static_cast<int>(count), type, all, static_cast<int>(count), type, comm.native()),
              "MPI_Allgather");
    return;
  }
  copy(advance(all, static_cast<std::size_t>(comm.rank()) * count, element_bytes), one, count * element_bytes);
  for (std::size_t root = 0; root < size; ++root)
    broadcast(comm, advance(all, root * count, element_bytes), count, type, element_bytes, static_cast<int>(root));
}

void all_gather_varying(const Communicator& comm, const void* send, std::size_t send_count, void* receive,
                        std::span<const std::size_t> counts, MPI_Datatype type, std::size_t element_bytes) {
  const std::size_t size = size_of(comm);
  const std::vector<std::size_t> offsets = offsets_of(counts);
  if (NodeSlots* const slots = slots_for(comm, offsets[size] * element_bytes)) {
    copy(slots->mine(), send, send_count * element_bytes);
    slots->meet();
    for (std::size_t rank = 0; rank < size; ++rank)
      copy(advance(receive, offsets[rank], element_bytes), slots->of(static_cast<int>(rank)),
           counts[rank] * element_bytes);
    return;
  }
  if (size > 1 && offsets[size] <= the_count_limit) {
    IntArrays ints(size);
    check_mpi(MPI_Allgatherv(send, static_cast<int>(send_count), type, receive, ints.fill(0, counts),
                             ints.fill(1, offsets), type, comm.native()),
              "MPI_Allgatherv");
    // When a rank dies within it, Open MPI 5.0.7 tells some survivors of success and gives them wrong data (in about
    // half of 90 kills of one of 4 ranks, with 8 to 200 bytes each). The dead take no part in what comes next: there
    // all of those learnt of it.
    if (survives_failures()) barrier(comm);
    return;
  }
  copy(advance(receive, offsets[static_cast<std::size_t>(comm.rank())], element_bytes), send,
       send_count * element_bytes);
  for (std::size_t root = 0; root < size; ++root)
    broadcast(comm, advance(receive, offsets[root], element_bytes), counts[root], type, element_bytes,
              static_cast<int>(root));
}

void gather_varying(const Communicator& comm, const void* send, std::size_t send_count, void* receive,
                    std::span<const std::size_t> counts, MPI_Datatype type, std::size_t element_bytes, int root) {
  const std::size_t size = size_of(comm);
  const std::vector<std::size_t> offsets = offsets_of(counts);
  if (size > 1 && offsets[size] <= the_count_limit) {
    IntArrays ints(size);
    check_mpi(MPI_Gatherv(send, static_cast<int>(send_count), type, receive, ints.fill(0, counts),
                          ints.fill(1, offsets), type, root, comm.native()),
              "MPI_Gatherv");
    if (survives_failures()) barrier(comm); // as in all_gather_varying
    return;
  }
  if (comm.rank() != root) {
    for_each_piece(send_count, [&](std::size_t first, int length) {
      check_mpi(MPI_Send(advance(send, first, element_bytes), length, type, root, kPieceTag, comm.native()),
                "MPI_Send");
    });
    return;
  }
  for (std::size_t from = 0; from < size; ++from) {
    std::byte* const target = advance(receive, offsets[from], element_bytes);
    if (static_cast<int>(from) == root) {
      copy(target, send, send_count * element_bytes);
      continue;
    }
    for_each_piece(counts[from], [&](std::size_t first, int length) {
      check_mpi(MPI_Recv(advance(target, first, element_bytes), length, type, static_cast<int>(from), kPieceTag,
                         comm.native(), MPI_STATUS_IGNORE),
                "MPI_Recv");
    });
  }
}

void all_to_all(const Communicator& comm, const void* send, void* receive, std::size_t count_per_peer,
                MPI_Datatype type, std::size_t element_bytes) {
  const std::size_t size = size_of(comm);
  if (size == 1) return copy(receive, send, count_per_peer * element_bytes);
  if (NodeSlots* const slots = slots_for(comm, count_per_peer * size * element_bytes)) {
    const std::size_t block = count_per_peer * element_bytes;
    copy(slots->mine(), send, block * size);
    slots->meet();
    for (std::size_t peer = 0; peer < size; ++peer)
      copy(advance(receive, peer * count_per_peer, element_bytes),
           slots->of(static_cast<int>(peer)) + static_cast<std::size_t>(comm.rank()) * block, block);
    return;
  }
  if (count_per_peer * size <= the_count_limit) {
    check_mpi(MPI_Alltoall(send, static_cast<int>(count_per_peer), type, receive, static_cast<int>(count_per_peer),
                           type, comm.native()),
              "MPI_Alltoall");
    return;
  }
  ExchangeCounts counts;
  counts.send_counts.assign(size, count_per_peer);
  counts.send_offsets.resize(size);
  for (std::size_t peer = 0; peer < size; ++peer) counts.send_offsets[peer] = peer * count_per_peer;
  counts.receive_counts = counts.send_counts;
  counts.receive_offsets = counts.send_offsets;
  exchange_in_pieces(comm, send, receive, counts, type, element_bytes);
}

void all_to_all_varying(const Communicator& comm, const void* send, void* receive, const ExchangeCounts& counts,
                        MPI_Datatype type, std::size_t element_bytes) {
  if (counts.grand_total != ExchangeCounts::kUnknown && counts.fits_int) {
    const std::size_t bytes = block_table_bytes(comm) + counts.grand_total * element_bytes;
    if (NodeSlots* const slots = slots_for(comm, bytes))
      return exchange_in_slots(*slots, comm, send, receive, counts, element_bytes);
  }
  if (comm.size() == 1 || !counts.fits_int) {
    exchange_in_pieces(comm, send, receive, counts, type, element_bytes);
    return;
  }
  IntArrays ints(size_of(comm));
  check_mpi(
      MPI_Alltoallv(send, ints.fill(0, counts.send_counts), ints.fill(1, counts.send_offsets), type, receive,
                    ints.fill(2, counts.receive_counts), ints.fill(3, counts.receive_offsets), type, comm.native()),
      "MPI_Alltoallv");
}

} // namespace detail
} // namespace core
