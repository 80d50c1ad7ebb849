// Shared memory: for ranks that all are on one node. No messages; every rank reads the others' vectors where they are.
// All three ways fold in rank order, so they are reproducible, and exact if asked.
//
// Small vectors: each rank copies its vector into its slot and arrives; everybody then folds all slots. One
// synchronisation. Cost for n bytes and m ranks: s + n c + m n gamma (s: a synchronisation, c: copying a byte).
//
// Large ones are cut into m chunks, one to be reduced by each rank, and the chunks into segments; a block is one
// segment of every chunk, small enough to stay in the second-level cache. Three things happen to a block, one after the
// other:
// 1. each rank copies what others will reduce into its incoming block;
// 2. each rank reduces its own segment straight from the others' incoming blocks and its own vector, into its outgoing
//    block;
// 3. each rank copies the finished segments of the others out.
// While block k goes through 1, block k-1 goes through 2 and block k-2 through 3, so one synchronisation a block is
// enough. Cost: (n/B + 2) s + 2 (m-1)/m n c + n gamma: with B the bytes of a block, each element is read from the
// caller's memory once and written once, all else is traffic between caches.
//
// A vector that lies in shared memory (AllReducer::allocate) needs no copying in: rank r reduces chunk r of all vectors
// into its own, and after a synchronisation the others copy it. Cost: (n/B + 3) s + (m-1)/m n c + n gamma.
//
// (Jain, Kaleem, Balmana, Langer, Durnov, Sannikov, Garzaran, "Framework for scalable intra-node collective operations
// using shared memory", 2018, sections 3 and 4, compare such designs.)
#pragma once

#include "fingerprint.hpp"
#include "node_memory.hpp"
#include "vector.hpp"

namespace collectives::detail {

[[nodiscard]] inline Until<NodeMemory::Round> until(Call& call, NodeMemory::Round& round) {
  return {call, round};
}
[[nodiscard]] inline Until<NodeMemory::Turn> until(Call& call, NodeMemory::Turn& turn) {
  return {call, turn};
}

/// Calls f(rank of the node, position) for all addends in the order in which they are folded.
template <class F>
void for_each_addend(const Call& call, const NodeMemory& node, F&& f) {
  if (call.layout != nullptr) {
    for (const WorkerLayout::Place& place : call.layout->places()) f(place.rank, place.position);
  } else {
    for (int rank = 0; rank < node.size(); ++rank) f(rank, std::size_t{0});
  }
}
/// The most addends that any rank brings: their places in a block are the same on all ranks.
[[nodiscard]] inline std::size_t most_addends(const Call& call) noexcept {
  return call.layout != nullptr ? call.layout->most_workers() : 1;
}

[[nodiscard]] inline bool fits_slot(const Call& call, const NodeMemory& node) noexcept {
  return call.bytes(call.count) * most_addends(call) <= node.small_bytes();
}

inline Task all_reduce_slots(Call& call, NodeMemory& node) {
  const std::uint64_t turn = node.small_turn++;
  const std::size_t bytes = call.bytes(call.count);
  std::byte* const slot = node.small(node.rank(), turn);
  for (std::size_t a = 0; a < call.addends.size(); ++a) copy_bytes(slot + a * bytes, call.addends[a], bytes);
  node.board().arrive(call.note);
  NodeMemory::Round round(node);
  co_await until(call, round);
  require_equal_notes(call, node);
  call.sources.clear();
  for_each_addend(call, node, [&](int rank, std::size_t position) {
    call.sources.push_back(node.small(rank, turn) + position * bytes);
  });
  call.reduction.fold(call.output, call.sources, call.count);
  call.reduction.finish(call.output, call.count);
  call.bytes_sent += bytes * call.addends.size();
  ++call.steps;
}

/// What a run of blocks through the node does. The first `owners` ranks of the node own a chunk each.
struct NodeWork {
  int owners = 1;
  bool reduces = true;  ///< else the owner has its chunk already, at own_chunk
  bool gathers = true;  ///< else each owner keeps its chunk to itself
  bool finishes = true; ///< divides averages
  std::byte* own_chunk = nullptr;
  std::byte* all = nullptr; ///< the whole result, where it is gathered
};

/// Takes blocks through the three stages.
class NodeStages {
 public:
  NodeStages(Call& call, NodeMemory& node, const NodeWork& work) : call_(call), node_(node), work_(work) {
    addends_ = work.reduces ? most_addends(call) : 1;
    const std::size_t parts = addends_ * static_cast<std::size_t>(work.owners);
    const std::size_t longest = chunk_of(call.count, work.owners, 0).count;
    const std::size_t most =
        node.block_bytes() / parts / call.reduction.element_bytes(); // at least 1: Reducer::fits_blocks
    blocks_ = (longest + most - 1) / most;
    // Blocks of equal length, and segments that begin with a cache line if the chunks do.
    constexpr std::size_t kLine = 64;
    segment_ = blocks_ == 0 ? 1 : (longest + blocks_ - 1) / blocks_;
    const std::size_t grain = std::max<std::size_t>(1, kLine / call.reduction.element_bytes());
    segment_ = std::min(most, (segment_ + grain - 1) / grain * grain);
    blocks_ = (longest + segment_ - 1) / segment_;
    is_owner_ = node.rank() < work.owners;
  }

  /// Phases between synchronisations.
  [[nodiscard]] std::size_t phases() const noexcept {
    return blocks_ == 0 ? 0 : blocks_ + (work_.reduces ? 1 : 0) + (work_.gathers ? 1 : 0);
  }
  void run_phase(std::size_t phase) {
    if (work_.reduces && phase < blocks_) copy_in(phase);
    const std::size_t lag = work_.reduces ? 1 : 0;
    if (phase >= lag && phase - lag < blocks_) produce(phase - lag);
    if (work_.gathers && phase >= lag + 1) copy_out(phase - lag - 1);
  }

 private:
  /// Elements of block b of an owner's chunk.
  [[nodiscard]] Chunk block(std::size_t b, int owner) const noexcept {
    const Chunk chunk = chunk_of(call_.count, work_.owners, owner);
    const std::size_t at = std::min(chunk.count, b * segment_);
    return {chunk.first + at, std::min(segment_, chunk.count - at)};
  }
  [[nodiscard]] std::size_t place_in_block(std::size_t position, int owner) const noexcept {
    return call_.bytes((position * static_cast<std::size_t>(work_.owners) + static_cast<std::size_t>(owner)) *
                       segment_);
  }

  void copy_in(std::size_t b) {
    std::byte* const incoming = node_.incoming(node_.rank(), incoming_turn_ = node_.incoming_turn++);
    for (std::size_t a = 0; a < call_.addends.size(); ++a) {
      for (int owner = 0; owner < work_.owners; ++owner) {
        if (owner == node_.rank()) continue;
        const Chunk part = block(b, owner);
        copy_bytes(incoming + place_in_block(a, owner), call_.addends[a] + call_.bytes(part.first),
                   call_.bytes(part.count));
        call_.bytes_sent += call_.bytes(part.count);
      }
    }
  }

  /// Makes this rank's segment of the block, into its outgoing block and its own memory.
  void produce(std::size_t b) {
    // One incoming block has been filled since the one that is reduced now, unless there was none left to fill.
    const std::uint64_t turn = b + 1 < blocks_ ? incoming_turn_ - 1 : incoming_turn_;
    std::byte* const outgoing = node_.outgoing(node_.rank(), node_.outgoing_turn);
    if (work_.gathers) outgoing_turn_ = node_.outgoing_turn++;
    if (!is_owner_) return;
    const Chunk own = block(b, node_.rank());
    std::byte* const kept = work_.own_chunk + call_.bytes(b * segment_);
    if (work_.reduces) {
      call_.sources.clear();
      for_each_addend(call_, node_, [&](int rank, std::size_t position) {
        call_.sources.push_back(rank == node_.rank()
                                    ? call_.addends[position] + call_.bytes(own.first)
                                    : node_.incoming(rank, turn) + place_in_block(position, node_.rank()));
      });
      call_.reduction.fold(outgoing, call_.sources, own.count);
      if (work_.finishes) call_.reduction.finish(outgoing, own.count);
      copy_bytes(kept, outgoing, call_.bytes(own.count));
    } else {
      copy_bytes(outgoing, kept, call_.bytes(own.count));
    }
    if (work_.gathers) call_.bytes_sent += call_.bytes(own.count);
  }

  void copy_out(std::size_t b) {
    const std::uint64_t turn = b + 1 < blocks_ ? outgoing_turn_ - 1 : outgoing_turn_;
    for (int owner = 0; owner < work_.owners; ++owner) {
      if (owner == node_.rank()) continue;
      const Chunk part = block(b, owner);
      copy_bytes(work_.all + call_.bytes(part.first), node_.outgoing(owner, turn), call_.bytes(part.count));
    }
  }

  Call& call_;
  NodeMemory& node_;
  NodeWork work_;
  std::size_t addends_ = 1, segment_ = 1, blocks_ = 0;
  std::uint64_t incoming_turn_ = 0, outgoing_turn_ = 0; // the latest that were used
  bool is_owner_ = true;
};

inline Task run_stages(Call& call, NodeMemory& node, NodeWork work) {
  NodeStages stages(call, node, work);
  NodeMemory::Round round(node);
  for (std::size_t phase = 0; phase < stages.phases(); ++phase) {
    if (phase > 0) {
      node.board().arrive(call.note);
      co_await until(call, round);
      if (phase == 1) require_equal_notes(call, node);
      ++call.steps;
    }
    stages.run_phase(phase);
  }
}

/// In place, of vectors that lie in shared memory: call.window.
class WindowStages {
 public:
  WindowStages(Call& call, NodeMemory& node) : call_(call), node_(node) {
    const std::size_t longest = chunk_of(call.count, node.size(), 0).count;
    const std::size_t most = node.block_bytes() / static_cast<std::size_t>(node.size());
    segment_ = std::max<std::size_t>(1, most / call.reduction.element_bytes());
    blocks_ = (longest + segment_ - 1) / segment_;
  }
  [[nodiscard]] std::size_t blocks() const noexcept { return blocks_; }

  void reduce(std::size_t b) {
    const Chunk own = block(b, node_.rank());
    const std::size_t at = call_.bytes(own.first);
    call_.sources.clear();
    for (std::byte* const vector : call_.window) call_.sources.push_back(vector + at);
    std::byte* const to = call_.output + at;
    // Folding more than two in the order of ranks overwrites the first one or none: others are folded elsewhere.
    const bool elsewhere = call_.window.size() > 2 && node_.rank() != 0;
    std::byte* const folded = elsewhere ? node_.outgoing(node_.rank(), node_.outgoing_turn) : to;
    call_.reduction.fold(folded, call_.sources, own.count);
    call_.reduction.finish(folded, own.count);
    copy_bytes(to, folded, call_.bytes(own.count));
    call_.bytes_sent += call_.bytes(own.count);
  }
  void copy_others(std::size_t b) {
    for (int rank = 0; rank < node_.size(); ++rank) {
      if (rank == node_.rank()) continue;
      const Chunk part = block(b, rank);
      const std::size_t at = call_.bytes(part.first);
      copy_bytes(call_.output + at, call_.window[static_cast<std::size_t>(rank)] + at, call_.bytes(part.count));
    }
  }

 private:
  [[nodiscard]] Chunk block(std::size_t b, int rank) const noexcept {
    const Chunk chunk = chunk_of(call_.count, node_.size(), rank);
    const std::size_t at = std::min(chunk.count, b * segment_);
    return {chunk.first + at, std::min(segment_, chunk.count - at)};
  }

  Call& call_;
  NodeMemory& node_;
  std::size_t segment_ = 1, blocks_ = 0;
};

/// Before it all ranks have met, with their vectors complete.
inline Task all_reduce_window(Call& call, NodeMemory& node) {
  WindowStages stages(call, node);
  NodeMemory::Round round(node);
  for (std::size_t b = 0; b <= stages.blocks(); ++b) {
    if (b < stages.blocks()) stages.reduce(b);
    if (b > 0) stages.copy_others(b - 1);
    // Also after the last block: others may still be reading this rank's vector.
    node.board().arrive();
    co_await until(call, round);
    ++call.steps;
  }
}

/// All-reduce, reduce-scatter and all-gather of ranks that are all on the node. Holds the memory's turn.
inline Task shared_memory(Call& call, NodeMemory& node, Vector vector) {
  NodeMemory::Turn turn(node, call.ticket);
  co_await until(call, turn);
  if (vector.reduces && vector.gathers && fits_slot(call, node)) {
    co_await all_reduce_slots(call, node);
    co_return;
  }
  if (call.asks_for_window) {
    node.board().arrive(call.note);
    NodeMemory::Round round(node);
    co_await until(call, round);
    require_equal_notes(call, node);
    ++call.steps;
    bool everywhere = !call.window.empty();
    for (int rank = 0; rank < node.size(); ++rank)
      everywhere = everywhere && node.board().note_of(rank).where == call.note.where;
    if (everywhere) {
      co_await all_reduce_window(call, node);
      co_return;
    }
  }
  NodeWork work{node.size(), vector.reduces, vector.gathers, true, vector.output, vector.output};
  const Chunk own = chunk_of(call.count, node.size(), node.rank());
  if (vector.gathers) work.own_chunk = vector.output + call.bytes(own.first);
  if (!vector.reduces) copy_bytes(work.own_chunk, vector.input, call.bytes(own.count));
  co_await run_stages(call, node, work);
}

} // namespace collectives::detail
