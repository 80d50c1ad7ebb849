// The local clustering coefficient, as LDBC Graphalytics defines it (Watts, Strogatz, "Collective dynamics of
// 'small-world' networks", Nature 393, 1998): of all ordered pairs of neighbours of a vertex, the share that an edge
// joins. Neighbours are those of in- and out-edges, each once, without the vertex itself; in a directed graph u v and v
// u are two edges, in an undirected one every edge counts both ways. 0 with fewer than two neighbours.
//
// An edge between two neighbours closes a triangle, so this is triangle counting (triangles/triangle_loop.hpp), where
// in a directed graph a triangle counts for a corner as often as its opposite side has edges. The numerator is an
// integer and the quotient is rounded once: the bits do not depend on who counted.
#include "registry.hpp"
#include "run_program.hpp"
#include "triangles/count_triangles.hpp"

namespace pregel {
namespace {

AlgorithmRun run(const DistributedGraph& graph, core::ThreadTeam& team, const AlgorithmOptions&,
                 const RunOptions& run_options) {
  const TriangleOptions options{.weigh_sides = graph.directed, .mean_clustering = true};
  return run_triangles(graph, team, run_options, options, [&](const TriangleLoop& loop) {
    std::vector<double> coefficients;
    for (const LocalId v : graph.ascending) coefficients.push_back(loop.clustering(v));
    return NamedColumn{"clustering", std::move(coefficients)};
  });
}

} // namespace

Algorithm lcc_algorithm() {
  return {.name = "lcc",
          .summary = "local clustering coefficient; the mean is the aggregate `mean_clustering`",
          .needs =
              [](const AlgorithmOptions&) {
                return GraphNeeds{.path = MessagePath::both_ways, .directions = true, .push = false};
              },
          .run = run};
}

} // namespace pregel
