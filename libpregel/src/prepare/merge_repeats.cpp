// All edges between the same two vertices meet on a rank that the pair chooses, and are sorted there.
#include <algorithm>
#include <tuple>
#include <vector>

#include "core/collectives.hpp"
#include "core/random.hpp"
#include "edge_stream.hpp"
#include "pregel/prepare/prepare.hpp"

namespace pregel {
namespace {

struct PlacedEdge {
  std::uint64_t source, target;
  double weight;
  std::uint64_t place; // in the file
};

} // namespace

GraphInput merge_repeats(const core::Communicator& comm, GraphInput&& input, bool undirected, MergedWeight weight) {
  std::uint64_t place = core::exclusive_scan_sum(comm, std::uint64_t{input.edges.size()});
  const bool weighted = input.edges.weighted();
  std::vector<PlacedEdge> mine;
  const auto make = [&place, undirected](Edge edge, double w) {
    PlacedEdge item{number(edge.source), number(edge.target), w, place++};
    if (undirected && item.target < item.source) std::swap(item.source, item.target);
    return item;
  };
  const auto owner = [ranks = static_cast<std::uint64_t>(comm.size())](const PlacedEdge& edge) {
    return static_cast<int>(core::mix64(core::mix64(edge.source) ^ edge.target) % ranks);
  };
  auto produce = produce_edges(input.edges, make, owner);
  collectives::routed_exchange<PlacedEdge>(
      comm, produce, [&](int, std::span<const PlacedEdge> some) { mine.insert(mine.end(), some.begin(), some.end()); });
  const bool by_place = weight == MergedWeight::first;
  std::sort(mine.begin(), mine.end(), [by_place](const PlacedEdge& a, const PlacedEdge& b) {
    const auto ends = std::tie(a.source, a.target) <=> std::tie(b.source, b.target);
    if (ends != 0) return ends < 0;
    return by_place ? a.place < b.place : a.weight < b.weight;
  });
  input.edges = EdgeBlocks(weighted);
  for (std::size_t begin = 0, end = 0; begin < mine.size(); begin = end) {
    double merged = mine[begin].weight;
    for (end = begin + 1;
         end < mine.size() && mine[end].source == mine[begin].source && mine[end].target == mine[begin].target; ++end) {
      if (!by_place) merged += mine[end].weight;
    }
    input.edges.append({GlobalId{mine[begin].source}, GlobalId{mine[begin].target}}, merged);
  }
  return std::move(input);
}

} // namespace pregel
