// All-to-all: every rank sends chunk q of its vector to rank q, which so gets all addends of its chunk at once, folds
// them, and sends the result to everybody. Two steps, and the only algorithm for messages in which one rank sees all
// addends of an element: so it folds in the order of ranks (or of logical workers) by itself, and can sum exactly.
//
// Cost for n bytes and m ranks: 2(m-1) alpha + 2 (m-1)/m n beta + (m-1)/m n gamma on a network without bottleneck: as
// little data as the ring, but m-1 messages arrive at a rank at once.
//
// A chunk travels in blocks of one segment, received while the block before it is being folded. Scratch: two segments
// for each addend of another rank.
#pragma once

#include "vector.hpp"

namespace collectives::detail {

inline constexpr int kAddendStream = 0, kResultStream = 1;

/// Blocks of the chunks, and where the addends of this rank's chunk are.
class AllToAllSchedule {
 public:
  AllToAllSchedule(Call& call, const Group& group, const Vector& vector) : call_(call), group_(group), vector_(vector) {
    const std::size_t longest = chunk_of(vector.count, group.size, 0).count;
    segment_ = segment_elements(call, longest);
    blocks_ = (longest + segment_ - 1) / segment_;
    for (int rank = 0; rank < group.size; ++rank) {
      first_slot_.push_back(slots_);
      slots_ += addends_of(rank);
    }
    if (vector.reduces) scratch_ = call.scratch.reserve(2 * slots_ * call.bytes(segment_));
  }

  [[nodiscard]] std::size_t blocks() const noexcept { return blocks_; }
  [[nodiscard]] std::size_t addends_of(int rank) const noexcept {
    return call_.layout != nullptr ? call_.layout->workers_of(rank) : 1;
  }
  /// Elements of block b of a rank's chunk.
  [[nodiscard]] Chunk block(std::size_t b, int rank) const noexcept {
    const Chunk chunk = chunk_of(vector_.count, group_.size, rank);
    const std::size_t at = std::min(chunk.count, b * segment_);
    return {chunk.first + at, std::min(segment_, chunk.count - at)};
  }
  /// Where an addend of block b from another rank is received.
  [[nodiscard]] std::byte* slot(std::size_t b, int rank, std::size_t position) const noexcept {
    return scratch_ + call_.bytes((b % 2 * slots_ + first_slot_[static_cast<std::size_t>(rank)] + position) * segment_);
  }
  /// Where the result of block b belongs.
  [[nodiscard]] std::byte* result(std::size_t b) const noexcept {
    if (vector_.gathers) return vector_.output + call_.bytes(block(b, group_.rank).first);
    return vector_.output + call_.bytes(b * segment_);
  }

  /// Folds this rank's chunk of block b, whose addends have arrived.
  void fold(std::size_t b) const {
    std::vector<const std::byte*>& sources = call_.sources;
    sources.clear();
    const Chunk own = block(b, group_.rank);
    const auto add = [&](int rank, std::size_t position) {
      sources.push_back(rank == group_.rank ? call_.addends[position] + call_.bytes(own.first)
                                            : slot(b, rank, position));
    };
    if (call_.layout != nullptr) {
      for (const WorkerLayout::Place& place : call_.layout->places()) add(place.rank, place.position);
    } else {
      for (int rank = 0; rank < group_.size; ++rank) add(rank, 0);
    }
    // In place, the output may be an addend in the middle: fold elsewhere, in the slots that nobody sends to.
    std::byte* const to = result(b);
    const bool folds_in_place =
        sources.size() <= 2 || sources[0] == to || std::find(sources.begin(), sources.end(), to) == sources.end();
    std::byte* const folded = folds_in_place ? to : slot(b, group_.rank, 0);
    call_.reduction.fold(folded, sources, own.count);
    call_.reduction.finish(folded, own.count);
    copy_bytes(to, folded, call_.bytes(own.count));
  }

 private:
  Call& call_;
  const Group& group_;
  Vector vector_;
  std::size_t segment_ = 1, blocks_ = 0, slots_ = 0;
  std::vector<std::size_t> first_slot_;
  std::byte* scratch_ = nullptr;
};

inline Task all_to_all(Call& call, const Group& group, Vector vector) {
  const AllToAllSchedule schedule(call, group, vector);
  Requests addends_in[2], addends_out[2], results; // block b is in [b % 2]
  // Rank r starts with r+1, so that not all send to the same rank at the same time.
  const auto for_each_peer = [&](auto&& f) {
    for (int distance = 1; distance < group.size; ++distance) f(wrapped(group.rank + distance, group.size));
  };
  const auto scatter = [&](std::size_t b) {
    if (!vector.reduces || b >= schedule.blocks()) return;
    const std::size_t own_bytes = call.bytes(schedule.block(b, group.rank).count);
    for_each_peer([&](int peer) {
      for (std::size_t position = 0; position < schedule.addends_of(peer); ++position)
        addends_in[b % 2].receive(call, group, schedule.slot(b, peer, position), own_bytes, peer, kAddendStream);
    });
    for_each_peer([&](int peer) {
      const Chunk part = schedule.block(b, peer);
      for (const std::byte* const addend : call.addends) {
        addends_out[b % 2].send(call, group, addend + call.bytes(part.first), call.bytes(part.count), peer,
                                kAddendStream);
      }
    });
  };
  const auto gather = [&](std::size_t b) {
    const std::size_t own_bytes = call.bytes(schedule.block(b, group.rank).count);
    for_each_peer([&](int peer) {
      const Chunk part = schedule.block(b, peer);
      results.receive(call, group, vector.output + call.bytes(part.first), call.bytes(part.count), peer, kResultStream);
    });
    for_each_peer([&](int peer) { results.send(call, group, schedule.result(b), own_bytes, peer, kResultStream); });
  };

  scatter(0);
  for (std::size_t b = 0; b < schedule.blocks(); ++b) {
    scatter(b + 1);
    co_await until(call, addends_in[b % 2]);
    if (vector.reduces)
      schedule.fold(b);
    else
      copy_bytes(schedule.result(b), vector.input + (schedule.result(b) - schedule.result(0)),
                 call.bytes(schedule.block(b, group.rank).count));
    co_await until(call, addends_out[b % 2]); // results overwrite them
    if (!vector.gathers) continue;
    co_await until(call, results);
    gather(b);
  }
  co_await until(call, results);
  call.steps += (vector.reduces ? 1U : 0U) + (vector.gathers ? 1U : 0U);
}

} // namespace collectives::detail
