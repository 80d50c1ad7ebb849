#include "pregel_testing.hpp"

#include <set>
#include <utility>

namespace pregel::testing_support {

const core::Communicator& world() {
  static const core::Communicator comm = core::Communicator::world();
  return comm;
}

GraphInput share_of(const oracle::Graph& graph, const core::Communicator& comm) {
  const auto mine = [&](std::size_t i) {
    return i % static_cast<std::size_t>(comm.size()) == static_cast<std::size_t>(comm.rank());
  };
  GraphInput input;
  input.description = "a test's graph";
  input.edges = EdgeBlocks(!graph.weights.empty());
  for (std::size_t i = 0; i < graph.edges.size(); ++i) {
    const Edge edge{GlobalId{graph.edges[i].source}, GlobalId{graph.edges[i].target}};
    if (mine(i)) input.edges.append(edge, graph.weights.empty() ? 1.0 : graph.weights[i]);
  }
  for (std::size_t i = 0; i < graph.vertices.size(); ++i) {
    if (mine(i)) input.vertices.push_back(GlobalId{graph.vertices[i]});
  }
  return input;
}

DistributedGraph build(const oracle::Graph& graph, BuildOptions options, const core::Communicator& comm) {
  options.directed = graph.directed;
  return build_graph(comm, share_of(graph, comm), options);
}

const std::vector<oracle::NamedGraph>& test_graphs() {
  static const std::vector<oracle::NamedGraph> graphs = [] {
    std::vector<oracle::NamedGraph> all = oracle::awkward_graphs();
    for (const oracle::NamedGraph& named : oracle::awkward_graphs())
      all.push_back({named.name + "_weighted", oracle::with_weights(named.graph, 17)});
    return all;
  }();
  return graphs;
}

const std::vector<oracle::NamedGraph>& selected_graphs() {
  static const std::vector<oracle::NamedGraph> graphs = [] {
    const std::set<std::string> names{"no_vertices",
                                      "isolated_vertices",
                                      "one_vertex_with_loop",
                                      "repeated_edges",
                                      "star",
                                      "star_outwards",
                                      "complete",
                                      "huge_ids",
                                      "gappy_ids_undirected",
                                      "cycle_with_tails",
                                      "dangling",
                                      "random_dense_undirected",
                                      "random_medium_directed"};
    std::vector<oracle::NamedGraph> selected;
    for (const oracle::NamedGraph& named : oracle::awkward_graphs()) {
      if (names.contains(named.name)) selected.push_back(named);
    }
    return selected;
  }();
  return graphs;
}

} // namespace pregel::testing_support
