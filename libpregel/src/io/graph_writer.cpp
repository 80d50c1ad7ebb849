#include "pregel/io/graph_writer.hpp"

#include <filesystem>

#include <fmt/format.h>

#include "core/error.hpp"
#include "graph_format.hpp"
#include "graph_hdf5.hpp"
#include "pregel/error.hpp"
#include "rank_order_writer.hpp"

namespace pregel {
namespace {

void append_weight(TextBuffer& text, char separator, double weight) {
  text.append(separator);
  text.append_number(weight);
}

} // namespace

void append_header(TextBuffer& text, std::string_view header, std::string_view sign) {
  while (!header.empty()) {
    const std::size_t end = std::min(header.find('\n'), header.size());
    text.append(sign);
    text.append(' ');
    text.append(header.substr(0, end));
    text.append('\n');
    header.remove_prefix(std::min(end + 1, header.size()));
  }
}

void require_writable(const core::Communicator& comm, const DistributedGraph& graph) {
  if (graph.partitioner.kind() != PartitionKind::range && comm.size() > 1)
    throw GraphError("a graph is written from a partition by ranges");
  if (!graph.out_edges.built()) throw GraphError("a graph is written from its out-edges");
}

IdText::IdText(const core::Communicator& comm, const DistributedGraph& graph, const NameDirectory* names) {
  if (names == nullptr) return;
  for (const LocalId vertex : graph.ascending) ids_.push_back(graph.id_of(vertex));
  ids_.insert(ids_.end(), graph.out_edges.entries.begin(), graph.out_edges.entries.end());
  std::sort(ids_.begin(), ids_.end());
  ids_.erase(std::unique(ids_.begin(), ids_.end()), ids_.end());
  names_ = names->names_of(comm, ids_);
}

std::uint64_t write_edge_list(const core::Communicator& comm, const DistributedGraph& graph, const std::string& header,
                              const std::string& path, const NameDirectory* names) {
  require_writable(comm, graph);
  const IdText ids(comm, graph, names);
  return write_in_rank_order(comm, path, [&](TextBuffer& text, const auto& line_done) {
    if (comm.rank() == 0) append_header(text, header, "#");
    for_each_edge(graph, [&](GlobalId source, GlobalId target, double weight) {
      ids.append(text, source);
      text.append(' ');
      ids.append(text, target);
      if (graph.weighted) append_weight(text, ' ', weight);
      text.append('\n');
      line_done();
    });
  });
}

std::uint64_t write_vertex_list(const core::Communicator& comm, const DistributedGraph& graph, const std::string& path,
                                const NameDirectory* names) {
  require_writable(comm, graph);
  const IdText ids(comm, graph, names);
  return write_in_rank_order(comm, path, [&](TextBuffer& text, const auto& line_done) {
    for (const LocalId vertex : graph.ascending) {
      ids.append(text, graph.id_of(vertex));
      text.append('\n');
      line_done();
    }
  });
}

namespace {

void append_edge(TextBuffer& text, GlobalId source, GlobalId target) {
  text.append_number(number(source));
  text.append(' ');
  text.append_number(number(target));
}

std::uint64_t write_matrix_market(const core::Communicator& comm, const DistributedGraph& graph,
                                  const std::string& header, const std::string& path) {
  return write_in_rank_order(comm, path, [&](TextBuffer& text, const auto& line_done) {
    if (comm.rank() == 0) {
      text.append(fmt::format("%%MatrixMarket matrix coordinate {} {}\n", graph.weighted ? "real" : "pattern",
                              graph.directed ? "general" : "symmetric"));
      append_header(text, header, "%");
      text.append(fmt::format("{} {} {}\n", graph.vertex_count, graph.vertex_count, graph.edge_count));
    }
    for_each_edge(graph, [&](GlobalId source, GlobalId target, double weight) {
      // The lower triangle is what the format wants of symmetric matrices.
      append_edge(text, graph.directed ? source : target, graph.directed ? target : source);
      if (graph.weighted) append_weight(text, ' ', weight);
      text.append('\n');
      line_done();
    });
  });
}

/// An undirected edge as two arcs, as road networks have it.
std::uint64_t write_dimacs(const core::Communicator& comm, const DistributedGraph& graph, const std::string& header,
                           const std::string& path) {
  return write_in_rank_order(comm, path, [&](TextBuffer& text, const auto& line_done) {
    if (comm.rank() == 0) {
      append_header(text, header, "c");
      text.append(fmt::format("p sp {} {}\n", graph.vertex_count, graph.arc_count));
    }
    const Rows<GlobalId>& rows = graph.out_edges;
    for (const LocalId vertex : graph.ascending) {
      for (std::uint64_t e = rows.offsets[index(vertex)]; e < rows.offsets[index(vertex) + std::size_t{1}]; ++e) {
        text.append(std::string_view("a "));
        append_edge(text, graph.id_of(vertex), rows.entries[e]);
        append_weight(text, ' ', rows.weights[e]);
        text.append('\n');
        line_done();
      }
    }
  });
}

std::uint64_t write_metis(const core::Communicator& comm, const DistributedGraph& graph, const std::string& header,
                          const std::string& path) {
  if (graph.directed)
    throw core::InputError("cannot write " + path +
                           ": graphs in METIS's format are undirected; give --undirected or "
                           "--symmetrise");
  return write_in_rank_order(comm, path, [&](TextBuffer& text, const auto& line_done) {
    if (comm.rank() == 0) {
      append_header(text, header, "%");
      text.append(fmt::format("{} {}{}\n", graph.vertex_count, graph.edge_count, graph.weighted ? " 1" : ""));
    }
    const Rows<GlobalId>& rows = graph.out_edges;
    for (const LocalId vertex : graph.ascending) {
      const std::uint64_t begin = rows.offsets[index(vertex)];
      for (std::uint64_t e = begin; e < rows.offsets[index(vertex) + std::size_t{1}]; ++e) {
        if (e != begin) text.append(' ');
        text.append_number(number(rows.entries[e]));
        if (graph.weighted) append_weight(text, ' ', rows.weights[e]);
      }
      text.append('\n');
      line_done();
    }
  });
}

std::uint64_t write_adjacency_list(const core::Communicator& comm, const DistributedGraph& graph,
                                   const NameDirectory* names, const std::string& header, const std::string& path) {
  const IdText ids(comm, graph, names);
  return write_in_rank_order(comm, path, [&](TextBuffer& text, const auto& line_done) {
    if (comm.rank() == 0) append_header(text, header, "#");
    const Rows<GlobalId>& rows = graph.out_edges;
    for (const LocalId vertex : graph.ascending) {
      const GlobalId source = graph.id_of(vertex);
      ids.append(text, source);
      text.append(':');
      for (std::uint64_t e = rows.offsets[index(vertex)]; e < rows.offsets[index(vertex) + std::size_t{1}]; ++e) {
        if (!graph.directed && rows.entries[e] < source) continue;
        text.append(' ');
        ids.append(text, rows.entries[e]);
        if (graph.weighted) append_weight(text, ' ', rows.weights[e]);
      }
      text.append('\n');
      line_done();
    }
  });
}

void append_field(TextBuffer& text, const IdText& ids, GlobalId id) {
  ids.named() ? text.append_csv(ids.name_of(id)) : ids.append(text, id);
}

std::uint64_t write_csv(const core::Communicator& comm, const DistributedGraph& graph, const NameDirectory* names,
                        const std::string& path) {
  const char separator = path.ends_with(".tsv") ? '\t' : ',';
  const IdText ids(comm, graph, names);
  return write_in_rank_order(comm, path, [&](TextBuffer& text, const auto& line_done) {
    if (comm.rank() == 0)
      text.append(
          fmt::format("source{0}target{1}\n", separator, graph.weighted ? std::string{separator} + "weight" : ""));
    for_each_edge(graph, [&](GlobalId source, GlobalId target, double weight) {
      append_field(text, ids, source);
      text.append(separator);
      append_field(text, ids, target);
      if (graph.weighted) append_weight(text, separator, weight);
      text.append('\n');
      line_done();
    });
  });
}

std::uint64_t write_graphalytics(const core::Communicator& comm, const DistributedGraph& graph,
                                 const NameDirectory* names, const std::string& path) {
  if (!path.ends_with(".e")) throw core::InputError("cannot write " + path + ": Graphalytics wants the name NAME.e");
  const std::string stem = path.substr(0, path.size() - 2);
  const std::string name = std::filesystem::path(stem).filename().string();
  std::uint64_t bytes = write_vertex_list(comm, graph, stem + ".v", names);
  bytes += write_in_rank_order(comm, stem + ".properties", [&](TextBuffer& text, const auto& line_done) {
    if (comm.rank() != 0) return;
    text.append(
        fmt::format("graph.{0}.vertex-file = {0}.v\ngraph.{0}.edge-file = {0}.e\n"
                    "graph.{0}.meta.vertices = {1}\ngraph.{0}.meta.edges = {2}\ngraph.{0}.directed = {3}\n",
                    name, graph.vertex_count, graph.edge_count, graph.directed));
    line_done();
  });
  return bytes + write_edge_list(comm, graph, "", path, names);
}

/// InputError where the format cannot say what the graph is. Local.
void require_expressible(const DistributedGraph& graph, const NameDirectory* names, GraphFormat format,
                         const std::string& path) {
  if (!numbers_from_one(format)) return;
  if (names != nullptr)
    throw core::InputError("cannot write " + path + ": the format numbers its vertices and has no room for names");
  const bool compact = graph.vertex_count == 0 || graph.largest_id == graph.vertex_count;
  if (!compact || graph.find(GlobalId{0}))
    throw GraphError("vertices must be numbered from 1 before they are written in this format");
}

} // namespace

bool numbers_from_one(GraphFormat format) {
  return format == GraphFormat::matrix_market || format == GraphFormat::metis || format == GraphFormat::dimacs;
}

GraphFormat format_to_write(std::string_view path) {
  if (without_compression(path) != path)
    throw core::InputError("cannot write " + std::string(path) +
                           ": compressed output is not written; use gzip or zstd afterwards");
  if (path.ends_with(".e")) return GraphFormat::graphalytics;
  const GraphFormat format = format_of_name(path);
  return format == GraphFormat::automatic ? GraphFormat::edge_list : format;
}

std::uint64_t write_graph(const core::Communicator& comm, const DistributedGraph& graph, const NameDirectory* names,
                          GraphFormat format, const std::string& header, const std::string& path) {
  require_writable(comm, graph);
  core::agree(comm, [&] { require_expressible(graph, names, format, path); });
  switch (format) {
    case GraphFormat::matrix_market: return write_matrix_market(comm, graph, header, path);
    case GraphFormat::metis: return write_metis(comm, graph, header, path);
    case GraphFormat::dimacs: return write_dimacs(comm, graph, header, path);
    case GraphFormat::adjacency_list: return write_adjacency_list(comm, graph, names, header, path);
    case GraphFormat::csv: return write_csv(comm, graph, names, path);
    case GraphFormat::graphalytics: return write_graphalytics(comm, graph, names, path);
    case GraphFormat::hdf5: return write_hdf5_graph(comm, graph, names, path);
    default: return write_edge_list(comm, graph, header, path, names);
  }
}

} // namespace pregel
