// Recursive doubling: in step k ranks that differ in bit k exchange their whole partial sums and both add (Thakur,
// Rabenseifner, Gropp 2005, section 4.5). The least number of steps, so the fastest for short vectors.
//
// With m not a power of two, the first 2(m-p) ranks (p the power below m) pair up first: even ones give their vector to
// the odd ones, sit out, and are given the result.
//
// Both ranks of a pair add the lower rank's half of the sum first, so that they get the same bits.
//
// Cost for n bytes and m = p ranks: log2 m (alpha + n beta + n gamma); other m: two more messages of n bytes.
// Scratch: n bytes.
#pragma once

#include "vector.hpp"

namespace collectives::detail {

/// The ranks of a power-of-two algorithm: which take part, and under which numbers.
struct PowerOfTwo {
  int power = 1; ///< the largest power of two that is not above the size
  int pairs = 0; ///< ranks 2i, 2i+1 for i < pairs are represented by 2i+1
  explicit PowerOfTwo(int size) {
    while (2 * power <= size) power *= 2;
    pairs = size - power;
  }
  [[nodiscard]] bool sits_out(int rank) const noexcept { return rank < 2 * pairs && rank % 2 == 0; }
  [[nodiscard]] bool represents_two(int rank) const noexcept { return rank < 2 * pairs && rank % 2 == 1; }
  [[nodiscard]] int number_of(int rank) const noexcept { return rank < 2 * pairs ? rank / 2 : rank - pairs; }
  [[nodiscard]] int rank_of(int number) const noexcept { return number < pairs ? 2 * number + 1 : number + pairs; }
};

inline constexpr int kFoldInStream = 0, kFoldOutStream = 1, kDoublingStream = 2, kHalvingStream = 3;

inline Task recursive_doubling(Call& call, const Group& group, Vector vector) {
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

  std::byte* const received = call.scratch.reserve(bytes);
  const std::byte* mine = vector.input;
  if (ranks.represents_two(group.rank)) {
    requests.receive(call, group, received, bytes, group.rank - 1, kFoldInStream);
    co_await until(call, requests);
    call.reduction.combine(vector.output, received, mine, vector.count);
    mine = vector.output;
    ++call.steps;
  }
  const int number = ranks.number_of(group.rank);
  for (int bit = 1; bit < ranks.power; bit <<= 1) {
    const int peer = ranks.rank_of(number ^ bit);
    requests.receive(call, group, received, bytes, peer, kDoublingStream);
    requests.send(call, group, mine, bytes, peer, kDoublingStream);
    co_await until(call, requests);
    const bool lower = group.rank < peer;
    call.reduction.combine(vector.output, lower ? mine : received, lower ? received : mine, vector.count);
    mine = vector.output;
    ++call.steps;
  }
  call.reduction.finish(vector.output, vector.count);
  if (ranks.represents_two(group.rank)) {
    requests.send(call, group, vector.output, bytes, group.rank - 1, kFoldOutStream);
    co_await until(call, requests);
    ++call.steps;
  }
}

} // namespace collectives::detail
