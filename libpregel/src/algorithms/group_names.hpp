// From labels that only tell groups apart to the name users see: the smallest id of the group.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "collectives/routed_exchange.hpp"
#include "core/random.hpp"
#include "pregel/graph/distributed_graph.hpp"

namespace pregel {

/// For each local vertex the smallest id, on any rank, of a vertex with the same label. `labels` is by LocalId.
/// Collective.
[[nodiscard]] inline std::vector<GlobalId> smallest_ids(const DistributedGraph& graph,
                                                        const std::vector<std::uint64_t>& labels) {
  struct Named {
    std::uint64_t label, smallest;
  };
  using Names = std::unordered_map<std::uint64_t, std::uint64_t>;
  const auto take = [](Names& names, const Named& named) {
    const auto [place, is_new] = names.try_emplace(named.label, named.smallest);
    if (!is_new) place->second = std::min(place->second, named.smallest);
  };
  Names mine;
  for (std::uint32_t v = 0; v < graph.local_count; ++v) take(mine, {labels[v], number(graph.id_of(LocalId{v}))});

  // Each label has a rank that hears of it from everybody, and answers whoever asked.
  const auto ranks = static_cast<std::size_t>(graph.comm->size());
  const std::vector<Named> asked = [&] {
    std::vector<Named> list;
    for (const auto& [label, smallest] : mine) list.push_back({label, smallest});
    return list;
  }();
  Names known;
  std::vector<std::vector<std::uint64_t>> askers(ranks);
  collectives::routed_exchange<Named>(
      *graph.comm,
      collectives::produce_each(
          asked,
          [&](auto& push, const Named& named) { push(static_cast<int>(core::mix64(named.label) % ranks), named); }),
      [&](int from, std::span<const Named> items) {
        for (const Named& named : items) {
          take(known, named);
          askers[static_cast<std::size_t>(from)].push_back(named.label);
        }
      });
  struct Answer {
    int to;
    Named named;
  };
  std::vector<Answer> answers;
  for (std::size_t to = 0; to < ranks; ++to)
    for (const std::uint64_t label : askers[to]) answers.push_back({static_cast<int>(to), {label, known.at(label)}});
  collectives::routed_exchange<Named>(
      *graph.comm,
      collectives::produce_each(answers, [](auto& push, const Answer& answer) { push(answer.to, answer.named); }),
      [&](int, std::span<const Named> items) {
        for (const Named& named : items) mine[named.label] = named.smallest;
      });

  std::vector<GlobalId> names;
  names.reserve(graph.local_count);
  for (std::uint32_t v = 0; v < graph.local_count; ++v) names.push_back(GlobalId{mine.at(labels[v])});
  return names;
}

} // namespace pregel
