// Recursive halving and doubling: a reduce-scatter in which ranks that differ in one bit exchange halves of what they
// still work on, then an all-gather that runs backwards (Rabenseifner, "Optimization of collective reduction
// operations", 2004; Thakur, Rabenseifner, Gropp 2005, section 4.5). As little data as the ring in far fewer steps, but
// partners far apart, and each step waits for a whole half.
//
// Ranks beyond a power of two pair up as in recursive doubling.
//
// Cost for n bytes and m = p ranks: 2 log2 m alpha + 2 (m-1)/m n beta + (m-1)/m n gamma; other m: two more messages of
// n bytes. A half travels in segments, so that adding overlaps with receiving; scratch: two segments (other m: n
// bytes).
#pragma once

#include "recursive_doubling.hpp"

namespace collectives::detail {

/// Sends `give` to the peer and combines what it gives into `kept` (count elements; this rank's are at `mine`).
inline Task exchange_halves(Call& call, const Group& group, int peer, Chunk give, Chunk keep, const std::byte* mine,
                            std::byte* output) {
  const std::size_t segment = segment_elements(call, std::max(give.count, keep.count));
  std::byte* const scratch = call.scratch.reserve(2 * call.bytes(segment));
  Requests incoming[2], outgoing;
  const auto receive = [&](std::size_t at) {
    if (at < keep.count) {
      const std::size_t side = at / segment % 2;
      incoming[side].receive(call, group, scratch + side * call.bytes(segment),
                             call.bytes(std::min(segment, keep.count - at)), peer, kHalvingStream);
    }
  };
  receive(0);
  receive(segment);
  for (std::size_t at = 0; at < give.count; at += segment) {
    outgoing.send(call, group, mine + call.bytes(give.first + at), call.bytes(std::min(segment, give.count - at)), peer,
                  kHalvingStream);
  }
  for (std::size_t at = 0; at < keep.count; at += segment) {
    const std::size_t side = at / segment % 2, place = call.bytes(keep.first + at);
    co_await until(call, incoming[side]);
    call.reduction.combine(output + place, mine + place, scratch + side * call.bytes(segment),
                           std::min(segment, keep.count - at));
    receive(at + 2 * segment);
  }
  co_await until(call, outgoing);
}

inline Task halving_doubling(Call& call, const Group& group, Vector vector) {
  const std::size_t bytes = call.bytes(vector.count);
  const PowerOfTwo ranks(group.size);
  Requests requests;
  if (ranks.sits_out(group.rank)) {
    requests.send(call, group, vector.input, bytes, group.rank + 1, kFoldInStream);
    co_await until(call, requests);
    requests.receive(call, group, vector.output, bytes, group.rank + 1, kFoldOutStream);
    co_await until(call, requests);
    call.steps += 2;
    co_return;
  }
  const std::byte* mine = vector.input;
  if (ranks.represents_two(group.rank)) {
    std::byte* const received = call.scratch.reserve(bytes);
    requests.receive(call, group, received, bytes, group.rank - 1, kFoldInStream);
    co_await until(call, requests);
    call.reduction.combine(vector.output, received, mine, vector.count);
    mine = vector.output;
    ++call.steps;
  }

  // The chunks of numbers [first, first + width) are what this rank works on; it ends with its own.
  const int number = ranks.number_of(group.rank);
  const auto chunks = [&](int first, int width) {
    const Chunk head = chunk_of(vector.count, ranks.power, first);
    const Chunk tail = chunk_of(vector.count, ranks.power, first + width - 1);
    return Chunk{head.first, tail.first + tail.count - head.first};
  };
  for (int bit = ranks.power / 2; bit > 0; bit /= 2) {
    const int first_kept = number / bit * bit, first_given = first_kept ^ bit;
    co_await exchange_halves(call, group, ranks.rank_of(number ^ bit), chunks(first_given, bit),
                             chunks(first_kept, bit), mine, vector.output);
    mine = vector.output; // what is kept; the rest is given away
    ++call.steps;
  }
  const Chunk own = chunks(number, 1);
  copy_bytes(vector.output + call.bytes(own.first), mine + call.bytes(own.first), call.bytes(own.count)); // one rank
  call.reduction.finish(vector.output + call.bytes(own.first), own.count);

  for (int bit = 1; bit < ranks.power; bit *= 2) {
    const int first_held = number / bit * bit;
    const Chunk held = chunks(first_held, bit), missing = chunks(first_held ^ bit, bit);
    const int peer = ranks.rank_of(number ^ bit);
    requests.receive(call, group, vector.output + call.bytes(missing.first), call.bytes(missing.count), peer,
                     kDoublingStream);
    requests.send(call, group, vector.output + call.bytes(held.first), call.bytes(held.count), peer, kDoublingStream);
    co_await until(call, requests);
    ++call.steps;
  }
  if (ranks.represents_two(group.rank)) {
    requests.send(call, group, vector.output, bytes, group.rank - 1, kFoldOutStream);
    co_await until(call, requests);
    ++call.steps;
  }
}

} // namespace collectives::detail
