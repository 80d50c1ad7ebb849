// Reduce, then broadcast, both along a binomial tree. In step k of the reduction a rank whose bit k is set sends its
// partial sum to the rank without that bit and is done; the broadcast runs the same tree backwards (Thakur,
// Rabenseifner, Gropp, "Optimization of collective communication operations in MPICH", 2005, sections 4.2 and 4.4).
//
// Cost for n bytes and m ranks: ceil(log2 m) (2 alpha + 2 n beta + n gamma): few messages, but each of the whole
// vector. Scratch: n bytes.
#pragma once

#include "vector.hpp"

namespace collectives::detail {

inline Task reduce_broadcast(Call& call, const Group& group, Vector vector) {
  const std::size_t bytes = call.bytes(vector.count);
  const std::byte* mine = vector.input;
  Requests requests;

  int bit = 1;
  for (; bit < group.size && (group.rank & bit) == 0; bit <<= 1) {
    ++call.steps;
    if (group.rank + bit >= group.size) continue;
    std::byte* const received = call.scratch.reserve(bytes);
    requests.receive(call, group, received, bytes, group.rank + bit, 0);
    co_await until(call, requests);
    call.reduction.combine(vector.output, mine, received, vector.count);
    mine = vector.output;
  }
  if (group.rank == 0) {
    call.reduction.finish(vector.output, vector.count);
  } else {
    requests.send(call, group, mine, bytes, group.rank - bit, 0);
    co_await until(call, requests);
    requests.receive(call, group, vector.output, bytes, group.rank - bit, 1);
    co_await until(call, requests);
    call.steps += 2;
  }

  for (bit >>= 1; bit > 0; bit >>= 1) {
    ++call.steps;
    if (group.rank + bit < group.size) requests.send(call, group, vector.output, bytes, group.rank + bit, 1);
  }
  co_await until(call, requests);
}

} // namespace collectives::detail
