// A generated graph gathered on every rank and sorted, for tests.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "core/collectives.hpp"
#include "core/communicator.hpp"
#include "core/random.hpp"
#include "core/thread_team.hpp"
#include "pregel/io/generators.hpp"

namespace pregel::testing_support {

struct WeightedEdge {
  std::uint64_t source, target;
  double weight;
  auto operator<=>(const WeightedEdge&) const = default;
};

/// All ranks' edges in ascending order. Collective.
inline std::vector<WeightedEdge> gather_edges(const core::Communicator& comm, const std::string& text,
                                              int threads = 1) {
  core::ThreadTeam team(threads);
  const GraphInput input = generate(comm, parse_generator(text), team);
  std::vector<WeightedEdge> mine;
  for (std::size_t block = 0; block < input.edges.block_count(); ++block) {
    const auto edges = input.edges.edges(block);
    const auto weights = input.edges.weights(block);
    for (std::size_t i = 0; i < edges.size(); ++i)
      mine.push_back({number(edges[i].source), number(edges[i].target), weights.empty() ? 1.0 : weights[i]});
  }
  std::vector<WeightedEdge> all = core::all_gather_varying(comm, std::span<const WeightedEdge>(mine));
  std::ranges::sort(all);
  return all;
}

/// A number that changes with any edge, its direction, its weight or its multiplicity.
inline std::uint64_t hash_of(const std::vector<WeightedEdge>& edges) {
  std::uint64_t hash = edges.size();
  for (const WeightedEdge& edge : edges) {
    hash = core::mix64(hash ^ edge.source);
    hash = core::mix64(hash ^ edge.target);
    hash = core::mix64(hash ^ static_cast<std::uint64_t>(edge.weight * 0x1p53));
  }
  return hash;
}

} // namespace pregel::testing_support
