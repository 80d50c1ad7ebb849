// Graphs that break programs: the small, the degenerate and the lopsided. Every algorithm is tested on all of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "support/oracles.hpp"

namespace oracle {

struct NamedGraph {
  std::string name; ///< fit for a test's name: letters, digits and underscores
  Graph graph;      ///< normalised, unweighted
};

/// All of them, those without a vertex first. The same at every call and on every rank.
[[nodiscard]] std::vector<NamedGraph> awkward_graphs();

/// `edges` edges between `vertices` vertices with ids 0 .. vertices-1; loops and repeats occur, and so do vertices
/// without any edge. A function of its arguments alone.
[[nodiscard]] Graph random_graph(std::size_t vertices, std::size_t edges, bool directed, std::uint64_t seed);

/// The graph with random whole weights 1 .. largest: sums of them are exact, so results can be compared bit by bit.
[[nodiscard]] Graph with_weights(Graph graph, std::uint64_t seed, unsigned largest = 20);

/// The graph with its direction taken away, or given.
[[nodiscard]] Graph with_direction(Graph graph, bool directed);

} // namespace oracle
