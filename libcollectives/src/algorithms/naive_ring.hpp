// Naive ring: the whole vector travels round the ring twice. In the first round rank r receives the sum of ranks 0 ..
// r-1, adds its own vector and sends the sum on; in the second round the result travels from rank m-1 to all others.
// All links but one are idle at any time: what the chunked ring mends.
//
// Folds in rank order 0 .. m-1 by itself, so it is reproducible.
//
// Cost for n bytes and m ranks: 2(m-1) alpha + 2(m-1) n beta + (m-1) n gamma, with alpha the latency of a message, beta
// the time of a byte on a link and gamma that of adding a byte. Scratch: n bytes.
#pragma once

#include "vector.hpp"

namespace collectives::detail {

inline Task naive_ring(Call& call, const Group& group, Vector vector) {
  const std::size_t bytes = call.bytes(vector.count);
  const int last = group.size - 1;
  const std::byte* mine = vector.input;
  Requests requests;
  if (group.rank > 0) {
    std::byte* const partial = call.scratch.reserve(bytes);
    requests.receive(call, group, partial, bytes, group.rank - 1, 0);
    co_await until(call, requests);
    call.reduction.combine(vector.output, partial, mine, vector.count);
    mine = vector.output;
  }
  if (group.rank == last) call.reduction.finish(vector.output, vector.count);
  requests.send(call, group, mine, bytes, (group.rank + 1) % group.size, 0);
  co_await until(call, requests);

  if (group.rank != last) {
    requests.receive(call, group, vector.output, bytes, wrapped(group.rank - 1, group.size), 0);
    co_await until(call, requests);
    if (group.rank + 1 != last) {
      requests.send(call, group, vector.output, bytes, group.rank + 1, 0);
      co_await until(call, requests);
    }
  }
  call.steps += 2 * static_cast<std::size_t>(last);
}

} // namespace collectives::detail
