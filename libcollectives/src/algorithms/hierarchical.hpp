// Hierarchical: shared memory inside a node, a ring between nodes. The ranks of a node reduce their vectors to k
// chunks, chunk c ending at the c-th rank of the node, where k is the number of ranks of the smallest node; then the
// c-th ranks of all nodes reduce chunk c round their ring; then each node's ranks copy the chunks from each other. So
// all ranks share the work, and only 2(N-1)/N n bytes leave a node of N.
//
// Cost for n bytes: that of two passes through shared memory (shared_memory.hpp), 2(N-1) alpha + 2 (N-1)/N n beta on
// the node's link, and (N-1)/N n/k gamma (Jia et al., "Highly scalable deep learning training system with
// mixed-precision", 2018, section 5.1, has leaders; Cho, Finkler, Kung, Hunter, "BlueConnect", 2019, section 4, all
// ranks).
//
// Does not fold in the order of ranks.
#pragma once

#include "chunked_ring.hpp"
#include "shared_memory.hpp"

namespace collectives::detail {

/// The ranks of all nodes that have this rank's place in their node, and how many places all nodes have.
struct AcrossNodes {
  Group group;
  int owners = 1;
};

inline Task hierarchical(Call& call, NodeMemory& node, const AcrossNodes& across, Vector vector) {
  NodeMemory::Turn turn(node, call.ticket);
  co_await until(call, turn);
  const bool is_owner = node.rank() < across.owners;
  const Chunk own = is_owner ? chunk_of(call.count, across.owners, node.rank()) : Chunk{0, 0};
  std::byte* const chunk = vector.output + call.bytes(own.first);
  co_await run_stages(call, node, {across.owners, true, false, across.group.size == 1, chunk, nullptr});
  if (is_owner && across.group.size > 1)
    co_await chunked_ring(call, across.group, {chunk, chunk, own.count, true, true});
  co_await run_stages(call, node, {across.owners, false, true, false, chunk, vector.output});
}

} // namespace collectives::detail
