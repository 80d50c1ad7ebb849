// Rank 0 lays the file out with the serial library; then every rank writes its rows at the datasets' places with plain
// system calls, as results are written (result_writer_hdf5.cpp).
#include <filesystem>
#include <span>
#include <utility>
#include <vector>

#include "core/agreement.hpp"
#include "core/atomic_file.hpp"
#include "core/collectives.hpp"
#include "core/hdf5.hpp"
#include "core/metrics.hpp"
#include "graph_hdf5.hpp"
#include "pregel/error.hpp"
#include "rank_order_writer.hpp"

namespace pregel {
namespace {

namespace hdf5 = core::hdf5;

/// This rank's rows, in ascending order of vertices.
struct Part {
  std::vector<std::uint64_t> ids, row_ends; // ends counted from this rank's first edge
  std::vector<std::uint64_t> name_ends;     // counted from this rank's first byte
  std::string names;
  std::uint64_t edges = 0;
};

/// Sizes of the whole file, and where this rank's rows begin.
struct Layout {
  std::uint64_t vertices = 0, edges = 0, name_bytes = 0;
  std::uint64_t first_vertex = 0, first_edge = 0, first_name_byte = 0;
  bool wide = false; ///< an id needs eight bytes
};

/// Bytes at which the datasets begin.
enum Place : std::size_t { ids, offsets, targets, weights, name_offsets, name_bytes, places };

[[nodiscard]] Part part_of(const core::Communicator& comm, const DistributedGraph& graph, const NameDirectory* names) {
  Part part;
  part.ids.reserve(graph.local_count);
  part.row_ends.reserve(graph.local_count);
  const Rows<GlobalId>& rows = graph.out_edges;
  for (const LocalId vertex : graph.ascending) {
    const GlobalId source = graph.id_of(vertex);
    part.ids.push_back(number(source));
    for (const GlobalId target : rows.row(index(vertex))) part.edges += graph.directed || target >= source;
    part.row_ends.push_back(part.edges);
  }
  if (names == nullptr) return part;
  std::vector<GlobalId> own;
  for (const std::uint64_t id : part.ids) own.push_back(GlobalId{id});
  for (const std::string& name : names->names_of(comm, own)) {
    part.names += name;
    part.name_ends.push_back(part.names.size());
  }
  return part;
}

[[nodiscard]] Layout lay_out(const core::Communicator& comm, const DistributedGraph& graph, const Part& part) {
  Layout layout;
  const auto place = [&](std::uint64_t mine, std::uint64_t& first, std::uint64_t& total) {
    first = core::exclusive_scan_sum(comm, mine);
    total = core::all_reduce_value(comm, mine, core::Reduce::sum);
  };
  place(part.ids.size(), layout.first_vertex, layout.vertices);
  place(part.edges, layout.first_edge, layout.edges);
  place(part.names.size(), layout.first_name_byte, layout.name_bytes);
  layout.wide = graph.largest_id > 0xffffffffULL;
  return layout;
}

/// Rank 0's.
[[nodiscard]] std::vector<std::uint64_t> create_file(const std::string& path, const Layout& layout,
                                                     const DistributedGraph& graph, bool named) {
  auto file = hdf5::File::create_aligned(path, 4096);
  std::vector<std::uint64_t> begins(places, 0);
  begins[ids] = hdf5::create_contiguous_dataset<std::uint64_t>(file, "ids", layout.vertices);
  begins[offsets] = hdf5::create_contiguous_dataset<std::uint64_t>(file, "offsets", layout.vertices + 1);
  begins[targets] = layout.wide ? hdf5::create_contiguous_dataset<std::uint64_t>(file, "targets", layout.edges)
                                : hdf5::create_contiguous_dataset<std::uint32_t>(file, "targets", layout.edges);
  if (graph.weighted) begins[weights] = hdf5::create_contiguous_dataset<double>(file, "weights", layout.edges);
  if (named) {
    begins[name_offsets] = hdf5::create_contiguous_dataset<std::uint64_t>(file, "name_offsets", layout.vertices + 1);
    begins[name_bytes] = hdf5::create_contiguous_dataset<std::uint8_t>(file, "names", layout.name_bytes);
  }
  hdf5::write_string_attribute(file, "/", "format", "superstep-graph");
  hdf5::write_attribute<std::uint32_t>(file, "/", "layout", 1);
  hdf5::write_attribute<std::uint8_t>(file, "/", "directed", graph.directed ? 1 : 0);
  hdf5::write_attribute<std::uint8_t>(file, "/", "weighted", graph.weighted ? 1 : 0);
  hdf5::write_attribute<std::uint8_t>(file, "/", "named", named ? 1 : 0);
  hdf5::write_attribute<std::uint64_t>(file, "/", "vertices", layout.vertices);
  hdf5::write_attribute<std::uint64_t>(file, "/", "edges", layout.edges);
  hdf5::write_string_attribute(file, "/", "created_by",
                               "Superstep " + core::build_stamp().at("version").get<std::string>());
  file.close();
  return begins;
}

template <class T>
void write_at(core::SharedAtomicFile& file, std::span<const T> values, std::uint64_t begin, std::uint64_t first) {
  file.write_at(std::as_bytes(values), begin + first * sizeof(T));
}

/// Values of this rank's edges, some at a time.
template <class T, class Value>
void write_edges(core::SharedAtomicFile& file, const DistributedGraph& graph, std::uint64_t begin, std::uint64_t first,
                 const Value& value) {
  constexpr std::size_t kAtATime = std::size_t{1} << 20;
  std::vector<T> values;
  const auto flush = [&] {
    write_at(file, std::span<const T>(values), begin, first);
    first += values.size();
    values.clear();
  };
  for_each_edge(graph, [&](GlobalId, GlobalId target, double weight) {
    values.push_back(value(target, weight));
    if (values.size() == kAtATime) flush();
  });
  flush();
}

/// Ends as offsets into the whole dataset; the last rank's are followed by nothing, the first rank's by a zero before.
void write_offsets(core::SharedAtomicFile& file, std::vector<std::uint64_t> ends, std::uint64_t shift,
                   std::uint64_t begin, std::uint64_t first, bool first_rank) {
  for (std::uint64_t& end : ends) end += shift;
  write_at(file, std::span<const std::uint64_t>(ends), begin, first + 1);
  const std::uint64_t zero = 0;
  if (first_rank) write_at(file, std::span<const std::uint64_t>(&zero, 1), begin, 0);
}

} // namespace

std::uint64_t write_hdf5_graph(const core::Communicator& comm, const DistributedGraph& graph,
                               const NameDirectory* names, const std::string& path) {
  const Part part = part_of(comm, graph, names);
  const Layout layout = lay_out(comm, graph, part);
  core::SharedAtomicFile file(comm, path);
  std::vector<std::uint64_t> begins(places);
  core::agree(comm, [&] {
    try {
      if (comm.rank() == 0) begins = create_file(file.temporary_path(), layout, graph, names != nullptr);
    } catch (const hdf5::Hdf5Error& error) { // it names the temporary file, which the user does not know
      throw GraphError("cannot write " + path + ": " + error.reason());
    }
  });
  core::broadcast(comm, std::span<std::uint64_t>(begins), 0);
  core::agree(comm, [&] {
    write_at(file, std::span<const std::uint64_t>(part.ids), begins[ids], layout.first_vertex);
    write_offsets(file, part.row_ends, layout.first_edge, begins[offsets], layout.first_vertex, comm.rank() == 0);
    const auto target_of = [](GlobalId target, double) { return number(target); };
    if (layout.wide)
      write_edges<std::uint64_t>(file, graph, begins[targets], layout.first_edge, target_of);
    else
      write_edges<std::uint32_t>(file, graph, begins[targets], layout.first_edge,
                                 [](GlobalId target, double) { return static_cast<std::uint32_t>(number(target)); });
    if (graph.weighted)
      write_edges<double>(file, graph, begins[weights], layout.first_edge,
                          [](GlobalId, double weight) { return weight; });
    if (names == nullptr) return;
    write_offsets(file, part.name_ends, layout.first_name_byte, begins[name_offsets], layout.first_vertex,
                  comm.rank() == 0);
    write_at(file, std::span<const char>(part.names), begins[name_bytes], layout.first_name_byte);
  });
  file.commit();
  const std::uint64_t bytes =
      core::agree(comm, [&] { return comm.rank() == 0 ? std::uint64_t{std::filesystem::file_size(path)} : 0; });
  return core::broadcast_value(comm, bytes, 0);
}

} // namespace pregel
