// Vertices are dealt out by ranges of their ids, so a rank can say what comes before its own: as many as the ranks
// before have, or, by degree, all with a larger degree and those of the same degree on the ranks before. Graphs have
// few different degrees, so every rank learns how often each occurs on every rank. Then the edges travel twice: to the
// owner of the source, who knows its new number, and to the owner of the target.
#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "core/agreement.hpp"
#include "core/collectives.hpp"
#include "edge_stream.hpp"
#include "pregel/graph/id_index.hpp"
#include "pregel/partition/partitioner.hpp"
#include "pregel/prepare/prepare.hpp"

namespace pregel {
namespace {

/// The vertices that this rank owns, ascending, and how many edge ends each has.
struct Owned {
  std::vector<std::uint64_t> ids, degrees;
};

/// Sends an id for each edge end and each listed vertex to its owner, which counts them.
[[nodiscard]] Owned gather_owned(const core::Communicator& comm, const GraphInput& input,
                                 const Partitioner& partitioner) {
  struct End {
    std::uint64_t id, count;
  };
  std::vector<End> ends;
  const auto consume = [&](int, std::span<const End> some) { ends.insert(ends.end(), some.begin(), some.end()); };
  std::size_t block = 0, position = 0;
  const auto produce_ends = [&](auto&& push) {
    constexpr std::size_t kAtATime = 2048;
    if (block == input.edges.block_count()) return false;
    const auto edges = input.edges.edges(block);
    const std::size_t stop = std::min(edges.size(), position + kAtATime);
    for (; position < stop; ++position) {
      for (const GlobalId id : {edges[position].source, edges[position].target})
        push(partitioner.owner(id), End{number(id), 1});
    }
    if (position == edges.size()) {
      ++block;
      position = 0;
    }
    return block < input.edges.block_count();
  };
  collectives::routed_exchange<End>(comm, produce_ends, consume);
  std::vector<End> listed;
  for_each_listed(comm, input, [&](std::uint64_t id) { listed.push_back({id, 0}); });
  auto produce_listed =
      collectives::produce_each(listed, [&](auto& push, End end) { push(partitioner.owner(GlobalId{end.id}), end); });
  collectives::routed_exchange<End>(comm, produce_listed, consume);

  std::sort(ends.begin(), ends.end(), [](const End& a, const End& b) { return a.id < b.id; });
  Owned owned;
  for (const End& end : ends) {
    if (owned.ids.empty() || owned.ids.back() != end.id) {
      owned.ids.push_back(end.id);
      owned.degrees.push_back(0);
    }
    owned.degrees.back() += end.count;
  }
  return owned;
}

/// The new numbers of owned vertices. Collective.
[[nodiscard]] std::vector<std::uint64_t> number_owned(const core::Communicator& comm, const Owned& owned,
                                                      NewOrder order, std::uint64_t first) {
  struct DegreeCount {
    std::uint64_t degree, count;
  };
  const auto key_of = [order](std::uint64_t degree) { return order == NewOrder::degree ? degree : 0; };
  std::map<std::uint64_t, std::uint64_t, std::greater<>> mine;
  for (const std::uint64_t degree : owned.degrees) ++mine[key_of(degree)];
  std::vector<DegreeCount> counts;
  for (const auto& [degree, count] : mine) counts.push_back({degree, count});
  std::vector<std::size_t> lengths;
  const auto all = core::all_gather_varying(comm, std::span<const DegreeCount>(counts), &lengths);

  std::map<std::uint64_t, std::uint64_t, std::greater<>> next; // of all ranks, then the number to give
  for (const DegreeCount& some : all) next[some.degree] += some.count;
  std::uint64_t before = first;
  for (auto& [degree, count] : next) before += std::exchange(count, before);
  std::size_t at = 0;
  for (std::size_t rank = 0; rank < static_cast<std::size_t>(comm.rank()); ++rank) {
    for (std::size_t i = 0; i < lengths[rank]; ++i, ++at) next[all[at].degree] += all[at].count;
  }
  std::vector<std::uint64_t> numbers;
  numbers.reserve(owned.ids.size());
  for (const std::uint64_t degree : owned.degrees) numbers.push_back(next[key_of(degree)]++);
  return numbers;
}

[[nodiscard]] OldIds table_of(const Owned& owned, const std::vector<std::uint64_t>& numbers) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> pairs;
  for (std::size_t i = 0; i < numbers.size(); ++i) pairs.emplace_back(numbers[i], owned.ids[i]);
  std::ranges::sort(pairs);
  OldIds table;
  std::vector<std::uint64_t> old;
  for (const auto& [number, id] : pairs) {
    table.ids.push_back(GlobalId{number});
    old.push_back(id);
  }
  table.columns.push_back({"old_id", std::move(old)});
  return table;
}

} // namespace

GraphInput renumber(const core::Communicator& comm, GraphInput&& input, NewOrder order, std::uint64_t first,
                    OldIds* old_ids) {
  const Partitioner partitioner =
      Partitioner::sampled_range(comm, input.edges, input.vertices, input.contiguous_vertices, input.contiguous_first);
  const Owned owned = gather_owned(comm, input, partitioner);
  const std::vector<std::uint64_t> numbers = number_owned(comm, owned, order, first);
  if (old_ids != nullptr) *old_ids = table_of(owned, numbers);
  const IdIndex index = core::agree(comm, [&] {
    IdIndex of_ids(owned.ids.empty() ? 0 : owned.ids.back(), owned.ids.size());
    for (const std::uint64_t id : owned.ids) of_ids.insert(id);
    std::ignore = of_ids.finish();
    return of_ids;
  });
  const bool weighted = input.edges.weighted();
  const auto make = [](Edge edge, double weight) {
    return MovingEdge{number(edge.source), number(edge.target), weight};
  };
  EdgeBlocks half(weighted), whole(weighted);
  auto to_sources = produce_edges(input.edges, make,
                                  [&](const MovingEdge& edge) { return partitioner.owner(GlobalId{edge.source}); });
  collectives::routed_exchange<MovingEdge>(comm, to_sources, [&](int, std::span<const MovingEdge> some) {
    for (const MovingEdge& edge : some)
      half.append({GlobalId{numbers[index.ordinal(edge.source)]}, GlobalId{edge.target}}, edge.weight);
  });
  auto to_targets =
      produce_edges(half, make, [&](const MovingEdge& edge) { return partitioner.owner(GlobalId{edge.target}); });
  collectives::routed_exchange<MovingEdge>(comm, to_targets, [&](int, std::span<const MovingEdge> some) {
    for (const MovingEdge& edge : some)
      whole.append({GlobalId{edge.source}, GlobalId{numbers[index.ordinal(edge.target)]}}, edge.weight);
  });
  GraphInput renumbered;
  renumbered.edges = std::move(whole);
  renumbered.contiguous_first = first;
  renumbered.contiguous_vertices = core::all_reduce_value(comm, std::uint64_t{owned.ids.size()}, core::Reduce::sum);
  renumbered.directed = input.directed;
  renumbered.description = std::move(input.description);
  return renumbered;
}

} // namespace pregel
