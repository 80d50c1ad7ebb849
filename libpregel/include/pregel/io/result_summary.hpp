// What a person wants to know of a result before opening its file: how large, how many, how spread.
//
// A summary is a JSON object, so that programs can read it too, and the lines to print are made from it. It is computed
// where the values are: no rank gets more than its share, and what is agreed on is exact (order statistics by bisection
// on counts, sums by superaccumulator), so that the text is the same on any number of ranks.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/communicator.hpp"
#include "pregel/graph/name_directory.hpp"
#include "pregel/io/results.hpp"

namespace pregel {

/// What the rows of a result mean.
enum class ResultKind {
  values,   ///< numbers of a vertex, a column each; columns of vertices are left out
  groups,   ///< the first column names the vertex's group
  walks,    ///< a column a step; the last one is where the walk of a vertex ended
  matching, ///< the first column is the vertex's partner, or none
  edges,    ///< a row an edge: its ends, and last its weight
};

/// The summary of a result, the same on every rank. Sorts a copy of a column: 8 bytes a vertex, for groups 16.
/// Collective.
[[nodiscard]] nlohmann::json summarise_results(const core::Communicator& comm, const ResultTable& table,
                                               const NameDirectory* names, ResultKind kind);

/// A summary as text. Local.
[[nodiscard]] std::vector<std::string> summary_lines(const nlohmann::json& summary);

} // namespace pregel
