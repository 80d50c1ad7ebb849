#include "registry.hpp"

#include "core/error.hpp"

namespace pregel {

const std::vector<Algorithm>& algorithms() {
  // One a line:
  // clang-format off
  static const std::vector<Algorithm> all{
      pagerank_algorithm(),
      shortest_paths_algorithm(),
      bfs_algorithm(),
      components_algorithm(),
      strong_components_algorithm(),
      core_numbers_algorithm(),
      betweenness_algorithm(),
      independent_set_algorithm(),
      coloring_algorithm(),
      matching_algorithm(),
      spanning_forest_algorithm(),
      diameter_algorithm(),
      random_walk_algorithm(),
      graph_convolution_algorithm(),
      cdlp_algorithm(),
      triangles_algorithm(),
      lcc_algorithm(),
      personalised_pagerank_algorithm(),
      hits_algorithm(),
      degree_algorithm(),
      aggregate_algorithm(),
  };
  // clang-format on
  return all;
}

const Algorithm& find_algorithm(std::string_view name) {
  std::string known;
  for (const Algorithm& algorithm : algorithms()) {
    if (algorithm.name == name) return algorithm;
    known += (known.empty() ? "" : ", ") + std::string(algorithm.name);
  }
  throw core::InputError("unknown algorithm '" + std::string(name) + "'; known: " + known);
}

} // namespace pregel
