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
[[nodiscard]] Algorithm aggregate_algorithm();

} // namespace pregel
