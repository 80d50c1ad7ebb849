#include "oriented_lists.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <utility>

#include "../../graph/radix_sort.hpp"
#include "../thread_blocks.hpp"

namespace pregel {
namespace {

constexpr std::size_t kVerticesPerBlock = 1024;

/// Calls visit(slot, marks) for each neighbour of v once, ascending by id; `marks` are those of all its arcs, or-ed, if
/// asked for. Arcs of one neighbour stand together.
template <bool kMarks, class Visit>
void visit_neighbours(const DistributedGraph& graph, std::uint32_t v, Visit&& visit) {
  const Rows<Slot>& arcs = graph.in_arcs;
  const std::uint64_t end = arcs.offsets[v + std::size_t{1}];
  for (std::uint64_t a = arcs.offsets[v]; a < end;) {
    const Slot neighbour = arcs.entries[a];
    unsigned marks = 0;
    for (; a < end && arcs.entries[a] == neighbour; ++a) {
      if constexpr (kMarks) marks |= static_cast<unsigned>(arcs.weights[a]);
    }
    if (index(neighbour) != v) visit(neighbour, marks);
  }
}

/// All slots by descending degree, equal ones by ascending id.
std::vector<Slot> slots_in_order(const DistributedGraph& graph, std::span<const std::uint32_t> degrees) {
  std::vector<PlainArc> keys;
  keys.reserve(graph.slot_count());
  for (std::uint32_t ordinal = 0; ordinal < graph.slot_count(); ++ordinal) // ascending by id
    keys.push_back({std::uint64_t{~degrees[graph.slot_of_ordinal[ordinal]]} << 32 | ordinal});
  radix_sort(keys, 64);
  std::vector<Slot> slots;
  slots.reserve(keys.size());
  for (const PlainArc& key : keys) slots.push_back(Slot{graph.slot_of_ordinal[static_cast<std::uint32_t>(key.key)]});
  return slots;
}

/// Fills the list of local vertex v, whose place is known.
void fill_list(const DistributedGraph& graph, std::uint32_t v, bool widths, OrientedLists& lists) {
  const std::uint32_t number = lists.number_of_slot[v];
  std::uint64_t next = lists.offsets[number];
  if (!widths) {
    visit_neighbours<false>(graph, v, [&](Slot x, unsigned) {
      if (lists.number_of_slot[index(x)] < number) lists.entries[next++] = lists.number_of_slot[index(x)];
    });
    std::sort(lists.entries.data() + lists.offsets[number], lists.entries.data() + next);
    return;
  }
  std::vector<std::pair<std::uint32_t, std::uint8_t>> found;
  visit_neighbours<true>(graph, v, [&](Slot x, unsigned marks) {
    if (lists.number_of_slot[index(x)] < number)
      found.emplace_back(lists.number_of_slot[index(x)], static_cast<std::uint8_t>(std::popcount(marks)));
  });
  std::ranges::sort(found);
  for (const auto& [x, width] : found) {
    lists.entries[next] = x;
    lists.widths[next++] = width;
  }
}

} // namespace

core::HugeVector<std::uint32_t> count_neighbours(const DistributedGraph& graph, core::ThreadTeam& team) {
  core::HugeVector<std::uint32_t> degrees(graph.slot_count(), 0);
  for_blocks(team, graph.local_count, kVerticesPerBlock, [&](int, std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v)
      visit_neighbours<false>(graph, static_cast<std::uint32_t>(v), [&](Slot, unsigned) { ++degrees[v]; });
  });
  return degrees;
}

OrientedLists orient(const DistributedGraph& graph, std::span<const std::uint32_t> degrees, bool widths,
                     core::ThreadTeam& team) {
  OrientedLists lists;
  lists.slot_of_number = slots_in_order(graph, degrees);
  lists.number_of_slot.resize(graph.slot_count());
  for (std::uint32_t n = 0; n < graph.slot_count(); ++n) lists.number_of_slot[index(lists.slot_of_number[n])] = n;
  lists.offsets.assign(graph.slot_count() + std::size_t{1}, 0);
  for_blocks(team, graph.local_count, kVerticesPerBlock, [&](int, std::size_t begin, std::size_t end) {
    for (auto v = static_cast<std::uint32_t>(begin); v < end; ++v) {
      const std::uint32_t number = lists.number_of_slot[v];
      std::uint64_t length = 0;
      visit_neighbours<false>(graph, v,
                              [&](Slot x, unsigned) { length += lists.number_of_slot[index(x)] < number ? 1 : 0; });
      lists.offsets[number + std::size_t{1}] = length;
    }
  });
  for (std::size_t n = 0; n < graph.slot_count(); ++n) lists.offsets[n + 1] += lists.offsets[n];
  lists.entries.resize(lists.offsets.back());
  lists.with_widths = widths;
  if (widths) lists.widths.resize(lists.offsets.back());
  for_blocks(team, graph.local_count, kVerticesPerBlock, [&](int, std::size_t begin, std::size_t end) {
    for (auto v = static_cast<std::uint32_t>(begin); v < end; ++v) fill_list(graph, v, widths, lists);
  });
  return lists;
}

} // namespace pregel
