// One function an algorithm; registry.cpp lists them.
#pragma once

#include "pregel/algorithms/algorithm.hpp"

namespace pregel {

[[nodiscard]] Algorithm pagerank_algorithm();
[[nodiscard]] Algorithm shortest_paths_algorithm();
[[nodiscard]] Algorithm bfs_algorithm();
[[nodiscard]] Algorithm components_algorithm();
[[nodiscard]] Algorithm cdlp_algorithm();
[[nodiscard]] Algorithm degree_algorithm();
[[nodiscard]] Algorithm hits_algorithm();
[[nodiscard]] Algorithm personalised_pagerank_algorithm();
[[nodiscard]] Algorithm lcc_algorithm();
[[nodiscard]] Algorithm triangles_algorithm();
[[nodiscard]] Algorithm core_numbers_algorithm();
[[nodiscard]] Algorithm strong_components_algorithm();
[[nodiscard]] Algorithm betweenness_algorithm();
[[nodiscard]] Algorithm independent_set_algorithm();
[[nodiscard]] Algorithm coloring_algorithm();
[[nodiscard]] Algorithm spanning_forest_algorithm();
[[nodiscard]] Algorithm random_walk_algorithm();
[[nodiscard]] Algorithm graph_convolution_algorithm();
[[nodiscard]] Algorithm matching_algorithm();
[[nodiscard]] Algorithm diameter_algorithm();
[[nodiscard]] Algorithm aggregate_algorithm();

} // namespace pregel
