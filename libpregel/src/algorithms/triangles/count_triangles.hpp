// Running a TriangleLoop as an algorithm of the registry.
#pragma once

#include <utility>

#include "../run_program.hpp"
#include "pregel/error.hpp"
#include "triangle_loop.hpp"

namespace pregel {

/// `make_column(loop)` returns the result's column. Collective.
template <class MakeColumn>
[[nodiscard]] AlgorithmRun run_triangles(const DistributedGraph& graph, core::ThreadTeam& team,
                                         const RunOptions& run_options, const TriangleOptions& options,
                                         MakeColumn&& make_column) {
  TriangleLoop loop(graph, team, run_options, options);
  AlgorithmRun run;
  run.report = loop.run();
  run.report.reduce(*graph.comm);
  if (!loop.complete() && graph.vertex_count != 0) { // the same on every rank
    core::InputError error("--max-supersteps ended the run before all triangles were counted; leave it out");
    error.set_rank(0);
    throw error;
  }
  run.result = {ids_ascending(graph), {make_column(std::as_const(loop))}};
  return run;
}

} // namespace pregel
