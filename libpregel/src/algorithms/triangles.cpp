// Triangles through every vertex, and their number over the graph: the count of each edge's common neighbours along a
// degree order (Schank, Wagner, "Finding, counting and listing all triangles in large graphs", WEA 2005), distributed
// as triangles/triangle_loop.hpp tells. Directions, loops and repeated edges are ignored.
#include "registry.hpp"
#include "run_program.hpp"
#include "triangles/count_triangles.hpp"

namespace pregel {
namespace {

AlgorithmRun run(const DistributedGraph& graph, core::ThreadTeam& team, const AlgorithmOptions&,
                 const RunOptions& run_options) {
  return run_triangles(graph, team, run_options, {}, [&](const TriangleLoop& loop) {
    return column(graph, "triangles", loop.counts(), [](std::uint64_t count) { return count; });
  });
}

} // namespace

Algorithm triangles_algorithm() {
  return {.name = "triangles",
          .summary = "triangles through each vertex; their number is the aggregate `triangles`",
          .needs = [](const AlgorithmOptions&) { return GraphNeeds{.path = MessagePath::both_ways, .push = false}; },
          .run = run};
}

} // namespace pregel
