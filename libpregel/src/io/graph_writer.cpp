// Every rank's lines follow those of the rank before it, because the partition is by ranges. So each rank formats its
// part twice, some megabytes at a time: once to learn how long it is, then, at the place that follows from the lengths
// of the others, to write it. Formatting twice takes less time than keeping the text would take memory: 16 million
// edges are 220 MB.
#include "pregel/io/graph_writer.hpp"

#include <algorithm>
#include <span>
#include <string_view>

#include "core/agreement.hpp"
#include "core/atomic_file.hpp"
#include "core/collectives.hpp"
#include "pregel/error.hpp"
#include "result_text.hpp"

namespace pregel {
namespace {

constexpr std::size_t kChunkBytes = std::size_t{1} << 22;

/// Formats what one rank writes and hands it to `take` chunk by chunk.
template <class Format, class Take>
void in_chunks(const Format& format, const Take& take) {
  TextBuffer text;
  format(text, [&] {
    if (text.view().size() < kChunkBytes) return;
    take(text.view());
    text.clear();
  });
  take(text.view());
}

/// `format(text, line_done)` appends this rank's lines to `text` and calls `line_done()` after each; it is called twice
/// and must do the same both times. Collective.
template <class Format>
std::uint64_t write_in_rank_order(const core::Communicator& comm, const std::string& path, const Format& format) {
  const std::uint64_t length = core::agree(comm, [&] {
    std::uint64_t bytes = 0;
    in_chunks(format, [&](std::string_view chunk) { bytes += chunk.size(); });
    return bytes;
  });
  std::uint64_t place = core::exclusive_scan_sum(comm, length);
  core::SharedAtomicFile file(comm, path);
  core::agree(comm, [&] {
    in_chunks(format, [&](std::string_view chunk) {
      file.write_at(std::as_bytes(std::span(chunk)), place);
      place += chunk.size();
    });
  });
  file.commit();
  return core::all_reduce_value(comm, length, core::Reduce::sum);
}

void require_ranges(const core::Communicator& comm, const DistributedGraph& graph) {
  if (graph.partitioner.kind() != PartitionKind::range && comm.size() > 1)
    throw GraphError("a graph is written from a partition by ranges");
}

void append_header(TextBuffer& text, std::string_view header) {
  while (!header.empty()) {
    const std::size_t end = std::min(header.find('\n'), header.size());
    text.append(std::string_view("# "));
    text.append(header.substr(0, end));
    text.append('\n');
    header.remove_prefix(std::min(end + 1, header.size()));
  }
}

} // namespace

std::uint64_t write_edge_list(const core::Communicator& comm, const DistributedGraph& graph, const std::string& header,
                              const std::string& path) {
  require_ranges(comm, graph);
  if (!graph.out_edges.built()) throw GraphError("a graph is written from its out-edges");
  const Rows<GlobalId>& rows = graph.out_edges;
  return write_in_rank_order(comm, path, [&](TextBuffer& text, const auto& line_done) {
    if (comm.rank() == 0) append_header(text, header);
    for (const LocalId vertex : graph.ascending) {
      const GlobalId source = graph.id_of(vertex);
      for (std::uint64_t e = rows.offsets[index(vertex)]; e < rows.offsets[index(vertex) + std::size_t{1}]; ++e) {
        if (!graph.directed && rows.entries[e] < source) continue; // the other end writes it
        text.append_number(number(source));
        text.append(' ');
        text.append_number(number(rows.entries[e]));
        if (!rows.weights.empty()) {
          text.append(' ');
          text.append_number(rows.weights[e]);
        }
        text.append('\n');
        line_done();
      }
    }
  });
}

std::uint64_t write_vertex_list(const core::Communicator& comm, const DistributedGraph& graph,
                                const std::string& path) {
  require_ranges(comm, graph);
  return write_in_rank_order(comm, path, [&](TextBuffer& text, const auto& line_done) {
    for (const LocalId vertex : graph.ascending) {
      text.append_number(number(graph.id_of(vertex)));
      text.append('\n');
      line_done();
    }
  });
}

} // namespace pregel
