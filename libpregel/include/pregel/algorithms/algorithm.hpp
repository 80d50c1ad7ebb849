// The registry of algorithms that the pregel program offers. A new algorithm is one file with a vertex program and a
// function that returns its Algorithm, and one line in registry.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/thread_team.hpp"
#include "pregel/engine/run_report.hpp"
#include "pregel/graph/graph_builder.hpp"
#include "pregel/io/result_summary.hpp"
#include "pregel/io/results.hpp"
#include "pregel/io/value_rows.hpp"

namespace pregel {

struct AlgorithmOptions {
  std::string variant = "standard";
  std::optional<GlobalId> source;
  std::vector<GlobalId> sources; ///< of one run (Algorithm::takes_sources); the same on every rank
  std::optional<std::uint64_t> iterations;
  double damping = 0.85;
  double tolerance = 1e-9;
  double walk_p = 1, walk_q = 1;                     ///< random walks: reluctance to go back, and to go away (node2vec)
  std::uint64_t layers = 2, width = 16, sample = 10; ///< graph convolutions; neighbours that a vertex draws
  bool parents = false;
  std::vector<std::pair<GlobalId, double>> start_values; ///< this rank's share, of any vertices (--values)
  ValueRows start_rows;                 ///< the same where a vertex has several (Algorithm::reads_rows)
  const NameDirectory* names = nullptr; ///< of string ids, for messages
};

struct AlgorithmRun {
  RunReport report;
  ResultTable result;
};

struct Algorithm {
  std::string_view name;
  std::string_view summary;
  std::vector<std::string_view> variants = {"standard"};
  /// Those of --damping, --tolerance, --iterations, --parents, --values, --p, --q, --layers, --width and --sample
  /// that it reads; the program refuses the others, because an option without effect is a mistake of the user's.
  std::vector<std::string_view> options = {};
  bool needs_source = false;
  bool takes_sources = false;             ///< --source or --sources are of one run; without them it takes all vertices
  bool reads_weights = false;             ///< shortest paths: also used without weights (each arc counts 1)
  ResultKind result = ResultKind::values; ///< what --summary says of it
  bool reads_rows = false;                ///< --values gives each vertex a row of values
  GraphNeeds (*needs)(const AlgorithmOptions&);
  /// Runs on a graph built for needs(). Collective.
  AlgorithmRun (*run)(const DistributedGraph&, core::ThreadTeam&, const AlgorithmOptions&, const RunOptions&);
};

/// All algorithms, in the order of --help.
[[nodiscard]] const std::vector<Algorithm>& algorithms();
/// InputError listing the known names if `name` is not among them.
[[nodiscard]] const Algorithm& find_algorithm(std::string_view name);

} // namespace pregel
