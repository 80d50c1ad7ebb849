// Results per vertex, written as text or HDF5 in ascending order of id, whatever the partition.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/communicator.hpp"
#include "pregel/graph/distributed_graph.hpp"
#include "pregel/graph/name_directory.hpp"
#include "pregel/graph/types.hpp"

namespace pregel {

/// One value a vertex. Ids of vertices (components, parents) are their own alternative: with string ids they are
/// printed as names. kNoVertex means "none" and prints as -1.
using ResultColumn =
    std::variant<std::vector<double>, std::vector<std::uint64_t>, std::vector<std::int64_t>, std::vector<GlobalId>>;

struct NamedColumn {
  std::string name; ///< HDF5 dataset name
  ResultColumn values;
};

/// This rank's vertices in ascending order of id, and for each column one value a vertex.
struct ResultTable {
  std::vector<GlobalId> ids;
  std::vector<NamedColumn> columns; ///< the same names and kinds on every rank
};

/// Writes `path` as HDF5 when it ends in .h5 or .hdf5 (datasets `id` and one a column, by the serial library: rank 0
/// creates contiguous datasets, every rank writes its part at the dataset's offset), else as text: "id value [value…]"
/// a line (with commas and a header when it ends in .csv), reals %.17g, infinity as "infinity". Temporary name, renamed
/// when complete. Collective. Returns bytes written (all ranks).
std::uint64_t write_results(const core::Communicator& comm, const ResultTable& table, const NameDirectory* names,
                            const std::string& path);

/// One line of a short list: the vertex and its value, as text. Reals have nine significant digits; integers and ids
/// are exact, ids of named vertices are names.
struct TopVertex {
  std::string vertex, value;
  friend bool operator==(const TopVertex&, const TopVertex&) = default;
};

/// The `count` vertices with the largest values of a column (ties: smaller id), on every rank, largest first. None if
/// the table has no columns. Collective.
[[nodiscard]] std::vector<TopVertex> top_vertices(const core::Communicator& comm, const ResultTable& table,
                                                  const NameDirectory* names, std::size_t count,
                                                  std::size_t column = 0);

/// Start values: a text file "id value" a line (--values), each rank reading its share. Returns (id, value) pairs of
/// this rank's share, for the caller to route. Collective; FileError like the graph readers.
[[nodiscard]] std::vector<std::pair<GlobalId, double>> read_values(const core::Communicator& comm,
                                                                   const std::string& path, const NameDirectory* names);

/// Refuses values for vertices that `graph` does not have, and vertices with several values: FileError for the first
/// such line of `path`. `values` is what read_values() returned. Collective.
void require_values_of(const core::Communicator& comm, const std::string& path, const NameDirectory* names,
                       const DistributedGraph& graph, const std::vector<std::pair<GlobalId, double>>& values);

} // namespace pregel
