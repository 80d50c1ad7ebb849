// What can be done to a graph between reading it and building it: repeated edges merged, all but the largest component
// left out, vertices renumbered. Each function takes a GraphInput and gives one, whose content does not depend on the
// number of ranks. What the builder itself can do (loops and repeats dropped, an edge counted both ways) is not here.
#pragma once

#include <cstdint>

#include "core/communicator.hpp"
#include "core/thread_team.hpp"
#include "pregel/graph/graph_input.hpp"
#include "pregel/io/results.hpp"

namespace pregel {

/// Which weight a merged edge has.
enum class MergedWeight {
  first, ///< of the one that is listed first; the input must be in the file's order (ReadOptions::in_order)
  sum,   ///< of all, added in ascending order
};

/// One edge of all that lead from u to v; with `undirected` also those from v to u. Collective.
[[nodiscard]] GraphInput merge_repeats(const core::Communicator& comm, GraphInput&& input, bool undirected,
                                       MergedWeight weight);

/// What is connected with most vertices, directions ignored; of several such components the one with the smallest id.
/// Vertices of the others are gone. Collective.
[[nodiscard]] GraphInput keep_largest_component(const core::Communicator& comm, GraphInput&& input,
                                                core::ThreadTeam& team);

enum class NewOrder {
  ascending, ///< as before, without gaps
  degree,    ///< by descending number of edge ends, loops and repeats counted; ties by ascending id
};

/// Vertices of one rank, ascending by their new id; column `old_id` says what they were called before.
using OldIds = ResultTable;

/// Vertices get the numbers first, first + 1, ... Names are of the old numbers and are left out. `old_ids`, if given,
/// becomes the way back, each vertex on one rank. Collective.
[[nodiscard]] GraphInput renumber(const core::Communicator& comm, GraphInput&& input, NewOrder order,
                                  std::uint64_t first, OldIds* old_ids = nullptr);

} // namespace pregel
