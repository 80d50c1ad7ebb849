// Several start values a vertex, from a text file: the features of graph neural networks.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "core/communicator.hpp"
#include "pregel/graph/distributed_graph.hpp"
#include "pregel/graph/name_directory.hpp"
#include "pregel/graph/types.hpp"

namespace pregel {

/// A matrix with a row for some vertices; each row is on one rank, any one.
struct ValueRows {
  std::size_t width = 0;      ///< values of a row; the same on every rank
  std::vector<GlobalId> ids;  ///< of this rank's rows
  std::vector<double> values; ///< `width` a row

  [[nodiscard]] std::span<const double> row(std::size_t i) const { return std::span(values).subspan(i * width, width); }
};

/// Reads "vertex value value ..." lines, all of the same length, each rank its share. FileError on all ranks for the
/// first line that has another number of values than the first one, a value that is not finite, or a vertex that
/// `graph` does not have or that was listed before. Collective.
[[nodiscard]] ValueRows read_value_rows(const core::Communicator& comm, const std::string& path,
                                        const NameDirectory* names, const DistributedGraph& graph);

} // namespace pregel
