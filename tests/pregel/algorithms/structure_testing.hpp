// What tests of structural kernels (cores, components, matchings ...) share: fewer graphs than the other algorithms',
// because each kernel takes many supersteps, and neighbourhoods as sets.
#pragma once

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "algorithm_testing.hpp"

namespace pregel::testing_support {

[[nodiscard]] inline const std::vector<oracle::NamedGraph>& structure_graphs() {
  static const std::vector<oracle::NamedGraph> graphs = [] {
    std::vector<oracle::NamedGraph> all = selected_graphs();
    oracle::Graph chain;
    for (oracle::Id v = 0; v < 20; ++v) chain.edges.push_back({v * 7 % 20, (v + 1) * 7 % 20});
    chain.edges.pop_back();
    oracle::normalise(chain);
    all.push_back({"chain", chain});
    all.push_back({"random_sparse", oracle::random_graph(80, 90, true, 300)});
    all.push_back({"random", oracle::random_graph(100, 260, true, 301)});
    all.push_back({"random_dense", oracle::random_graph(40, 500, false, 302)});
    return all;
  }();
  return graphs;
}

/// Every setting sees all graphs on one or two ranks; on more, where a superstep costs much on few cores, every second,
/// and on seven every fourth, in turns, so that each graph is seen.
[[nodiscard]] inline std::vector<oracle::NamedGraph> structure_graphs_for(const Setting& setting) {
  const std::vector<oracle::NamedGraph>& all = structure_graphs();
  const std::size_t ranks = static_cast<std::size_t>(world().size());
  const std::size_t stride = ranks <= 2 ? 1 : ranks <= 4 ? 2 : 4;
  const std::size_t turn = (setting.threads == 1 ? 0U : 1U) + (setting.partition == PartitionKind::hash ? 0U : 2U);
  std::vector<oracle::NamedGraph> some;
  for (std::size_t i = turn % stride; i < all.size(); i += stride) some.push_back(all[i]);
  return some;
}

/// Calls body(graph) for each graph of the setting, directed and undirected.
template <class Body>
void for_structure_graphs(const Setting& setting, Body&& body) {
  for (const auto& [name, graph] : structure_graphs_for(setting)) {
    for (const bool directed : {true, false}) {
      SCOPED_TRACE(name + (directed ? " directed" : " undirected"));
      body(oracle::with_direction(graph, directed));
    }
  }
}

/// Neighbours in either direction, each once, nobody its own.
[[nodiscard]] inline std::map<oracle::Id, std::set<oracle::Id>> neighbour_sets(const oracle::Graph& graph) {
  std::map<oracle::Id, std::set<oracle::Id>> neighbours;
  for (const oracle::Id id : graph.vertices) neighbours[id];
  for (const auto& [u, v] : graph.edges) {
    if (u == v) continue;
    neighbours[u].insert(v);
    neighbours[v].insert(u);
  }
  return neighbours;
}

} // namespace pregel::testing_support
