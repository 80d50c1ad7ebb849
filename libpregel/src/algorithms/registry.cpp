#include "registry.hpp"

#include "core/error.hpp"

namespace pregel {

const std::vector<Algorithm>& algorithms() {
  static const std::vector<Algorithm> all{pagerank_algorithm(),  shortest_paths_algorithm(),
                                          bfs_algorithm(),       components_algorithm(),
                                          cdlp_algorithm(),      lcc_algorithm(),
                                          triangles_algorithm(), personalised_pagerank_algorithm(),
                                          hits_algorithm(),      degree_algorithm(),
                                          aggregate_algorithm()};
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
