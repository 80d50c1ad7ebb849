// Our own binary graph, an HDF5 file that does not depend on ranks or partitions:
//
//   /            attributes format = "superstep-graph", layout = 1, directed, weighted, named (0 or 1),
//                vertices (n), edges (m), created_by
//   /ids         n uint64, ascending: the vertices, isolated ones included
//   /offsets     n + 1 uint64: the edges of vertex i are offsets[i] .. offsets[i+1]-1
//   /targets     m uint32, or uint64 if an id needs it: the other ends, ascending for each vertex
//   /weights     m double, if weighted
//   /name_offsets, /names    if named: n + 1 uint64 into a string of bytes (uint8); vertex i has the i-th name
//
// These are compressed sparse rows, as scipy has them, except that targets are ids and not positions. An undirected
// edge is stored once, at its smaller end. All datasets are contiguous: each rank reads its share of the edges with a
// few large reads, whatever the number of ranks that wrote them.
#pragma once

#include <cstdint>
#include <string>

#include "core/communicator.hpp"
#include "pregel/graph/distributed_graph.hpp"
#include "pregel/graph/name_directory.hpp"
#include "reading.hpp"

namespace pregel {

/// Collective. Returns the bytes of the file.
std::uint64_t write_hdf5_graph(const core::Communicator& comm, const DistributedGraph& graph,
                               const NameDirectory* names, const std::string& path);

/// InputError on every rank for what is no such file or contradicts itself. Collective.
[[nodiscard]] GraphInput read_hdf5_graph(const Reading& reading);

} // namespace pregel
