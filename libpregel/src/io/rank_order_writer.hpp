// Text that all ranks write into one file, in rank order. Every rank's lines follow those of the rank before it,
// because the partition is by ranges. So each rank formats its part twice, some megabytes at a time: once to learn how
// long it is, then, at the place that follows from the lengths of the others, to write it. Formatting twice takes less
// time than keeping the text would take memory: 16 million edges are 220 MB.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/agreement.hpp"
#include "core/atomic_file.hpp"
#include "core/collectives.hpp"
#include "pregel/graph/distributed_graph.hpp"
#include "pregel/graph/name_directory.hpp"
#include "result_text.hpp"

namespace pregel {

/// Formats what one rank writes and hands it to `take` chunk by chunk.
template <class Format, class Take>
void in_chunks(const Format& format, const Take& take) {
  constexpr std::size_t kChunkBytes = std::size_t{1} << 22;
  TextBuffer text;
  format(text, [&] {
    if (text.view().size() < kChunkBytes) return;
    take(text.view());
    text.clear();
  });
  take(text.view());
}

/// `format(text, line_done)` appends this rank's lines to `text` and calls `line_done()` after each; it is called twice
/// and must do the same both times. Returns the bytes written by all. Collective.
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

/// Appends the lines of `header`, each after `sign` and a blank.
void append_header(TextBuffer& text, std::string_view header, std::string_view sign);

/// GraphError unless the graph lies in ranges and has its out-edges. Local.
void require_writable(const core::Communicator& comm, const DistributedGraph& graph);

/// Calls visit(source, target, weight, last) for this rank's edges, ascending by source, then target, an undirected
/// edge once, with source <= target.
template <class Visit>
void for_each_edge(const DistributedGraph& graph, const Visit& visit) {
  const Rows<GlobalId>& rows = graph.out_edges;
  for (const LocalId vertex : graph.ascending) {
    const GlobalId source = graph.id_of(vertex);
    for (std::uint64_t e = rows.offsets[index(vertex)]; e < rows.offsets[index(vertex) + std::size_t{1}]; ++e) {
      if (!graph.directed && rows.entries[e] < source) continue; // the other end has it
      visit(source, rows.entries[e], rows.weights[e]);
    }
  }
}

/// How ids look: numbers, or the names that they stand for.
class IdText {
 public:
  /// Fetches the names of all ids that this rank writes, if there are names. Collective.
  IdText(const core::Communicator& comm, const DistributedGraph& graph, const NameDirectory* names);

  void append(TextBuffer& text, GlobalId id) const {
    if (ids_.empty())
      text.append_number(number(id));
    else
      text.append(name_of(id));
  }
  /// Only with names.
  [[nodiscard]] std::string_view name_of(GlobalId id) const {
    return names_[static_cast<std::size_t>(std::lower_bound(ids_.begin(), ids_.end(), id) - ids_.begin())];
  }
  [[nodiscard]] bool named() const noexcept { return !ids_.empty(); }

 private:
  std::vector<GlobalId> ids_; // ascending
  std::vector<std::string> names_;
};

} // namespace pregel
