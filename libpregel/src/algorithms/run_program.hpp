// Running a vertex program and turning its values into a result table.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "pregel/algorithms/algorithm.hpp"
#include "pregel/engine/engine.hpp"

namespace pregel {

/// A column of f(value) for each local vertex, ascending by id.
template <class Value, class F>
[[nodiscard]] NamedColumn column(const DistributedGraph& graph, std::string name, std::span<const Value> values,
                                 F&& f) {
  std::vector<std::decay_t<std::invoke_result_t<F, const Value&>>> cells;
  cells.reserve(graph.ascending.size());
  for (const LocalId v : graph.ascending) cells.push_back(f(values[index(v)]));
  return {std::move(name), std::move(cells)};
}

[[nodiscard]] inline std::vector<GlobalId> ids_ascending(const DistributedGraph& graph) {
  std::vector<GlobalId> ids;
  ids.reserve(graph.ascending.size());
  for (const LocalId v : graph.ascending) ids.push_back(graph.id_of(v));
  return ids;
}

/// Runs `program`; `make_columns(values)` returns the result's columns. Collective.
template <class P, class MakeColumns>
[[nodiscard]] AlgorithmRun run_program(const DistributedGraph& graph, core::ThreadTeam& team, P program,
                                       const RunOptions& options, MakeColumns&& make_columns) {
  Engine<P> engine(graph, std::move(program), team, options);
  AlgorithmRun run;
  run.report = engine.run();
  run.report.reduce(*graph.comm);
  run.result = {ids_ascending(graph), make_columns(std::as_const(engine).values())};
  return run;
}

} // namespace pregel
