// The simple undirected graph behind a DistributedGraph - without loops, repeats and directions - with every edge
// pointing from its end of lower degree to the one of higher degree. Each triangle then has exactly one corner from
// which both of its edges lead away, and no list is longer than sqrt(2 E), however large the hubs (Chiba, Nishizeki,
// "Arboricity and subgraph listing algorithms", SIAM J. Comput. 14, 1985).
//
// Vertices are numbered along that order, hubs first: by descending degree, equal ones by ascending id. The order is
// the same on all ranks; the numbers are a rank's own, 0 .. slots-1, so that a list of numbers compares like the
// vertices. Small numbers are the vertices that occur most, and what is kept by number has its busy part in few cache
// lines.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/huge_vector.hpp"
#include "core/thread_team.hpp"
#include "pregel/graph/distributed_graph.hpp"

namespace pregel {

/// Neighbours of each local vertex, loops and repeats left out, in a vector by slot; mirrors are zero. `graph` must
/// have all neighbours of a vertex among its arcs: both ways, or undirected. Local.
[[nodiscard]] core::HugeVector<std::uint32_t> count_neighbours(const DistributedGraph& graph, core::ThreadTeam& team);

struct OrientedLists {
  std::vector<std::uint32_t> number_of_slot;
  std::vector<Slot> slot_of_number;
  core::HugeVector<std::uint64_t> offsets; ///< by number, slots + 1; the lists of mirrors are empty here
  core::HugeVector<std::uint32_t> entries; ///< numbers, ascending and below the list's own
  bool with_widths = false;                ///< asked for: on a rank without entries `widths` is empty all the same
  core::HugeVector<std::uint8_t> widths;   ///< one an entry: edges between the two, 1 or 2

  [[nodiscard]] std::span<const std::uint32_t> list(std::uint32_t number) const noexcept {
    return {entries.data() + offsets[number], static_cast<std::size_t>(offsets[number + 1] - offsets[number])};
  }
  [[nodiscard]] const std::uint8_t* widths_of(std::uint32_t number) const noexcept {
    return with_widths ? widths.data() + offsets[number] : nullptr;
  }
};

/// `degrees` by slot, mirrors included. `widths`: count the directions of each edge; needs GraphNeeds::directions.
/// Local.
[[nodiscard]] OrientedLists orient(const DistributedGraph& graph, std::span<const std::uint32_t> degrees, bool widths,
                                   core::ThreadTeam& team);

} // namespace pregel
