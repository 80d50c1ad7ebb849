// Questions to a graph that walk more than one array.
#include "pregel/graph/distributed_graph.hpp"

#include <algorithm>

#include "core/collectives.hpp"

namespace pregel {

int DistributedGraph::owner_of(Slot slot) const noexcept {
  if (pregel::index(slot) < local_count) return comm->rank();
  const std::size_t mirror = pregel::index(slot) - local_count;
  return static_cast<int>(std::upper_bound(plan.receive_offsets.begin(), plan.receive_offsets.end(), mirror) -
                          plan.receive_offsets.begin()) -
         1;
}

bool DistributedGraph::exists(GlobalId id) const {
  return core::all_reduce_value(*comm, std::uint32_t{find(id).has_value()}, core::Reduce::max) != 0;
}

std::uint64_t DistributedGraph::bytes() const noexcept {
  const auto size = [](const auto& v) { return v.capacity() * sizeof(v[0]); };
  const auto rows = [&](const auto& r) { return size(r.offsets) + size(r.entries) + r.weights.bytes(); };
  return size(slot_ids) + size(ascending) + size(out_degrees) + rows(in_arcs) + rows(arcs_from_slot) + rows(out_edges) +
         size(plan.send_vertices) + rows(plan.mirrors_of) + index.bytes() + size(slot_of_ordinal);
}

} // namespace pregel
