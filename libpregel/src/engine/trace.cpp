#include "pregel/engine/trace.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <sstream>

#include <fmt/format.h>

#include "core/agreement.hpp"
#include "core/collectives.hpp"

namespace pregel {
namespace {

/// This rank's vertices as lines that sort by id when ids are compared as numbers.
std::string pack_vertices(const std::vector<VertexTrace>& vertices) {
  std::string text;
  for (const VertexTrace& v : vertices) {
    fmt::format_to(std::back_inserter(text), "{},{},{},{},{}\n", number(v.id), v.value, v.active ? 1 : 0, v.delivered,
                   v.woken_by);
  }
  return text;
}

std::vector<std::pair<std::uint64_t, std::string>> sorted_lines(const std::string& text) {
  std::vector<std::pair<std::uint64_t, std::string>> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.emplace_back(std::stoull(line), line);
  std::sort(lines.begin(), lines.end());
  return lines;
}

} // namespace

std::string trace_text(double x) {
  if (std::isinf(x)) return x > 0 ? "infinity" : "-infinity";
  return fmt::format("{:.17g}", x);
}
std::string trace_text(std::int64_t x) {
  return std::to_string(x);
}
std::string trace_text(std::uint64_t x) {
  return std::to_string(x);
}

TraceWriter::TraceWriter(const core::Communicator& comm, const RunOptions& options)
    : comm_(comm), wants_vertices_(!options.trace_vertices_file.empty()) {
  core::agree(comm, [&] {
    if (comm.rank() != 0) return;
    if (!options.trace_file.empty()) supersteps_ = std::make_unique<core::AtomicFile>(options.trace_file);
    if (wants_vertices_) {
      vertices_ = std::make_unique<core::AtomicFile>(options.trace_vertices_file);
      vertices_->write("superstep,id,value,active,delivered,woken_by\n");
    }
  });
}

TraceWriter::~TraceWriter() = default;

void TraceWriter::write(const SuperstepReport& row, const TraceDetails& mine, const AggregatorBoard& board) {
  std::vector<char> all;
  if (wants_vertices_) {
    const std::string text = pack_vertices(mine.vertices);
    all = core::all_gather_varying(comm_, std::span<const char>(text));
  }
  core::agree(comm_, [&] {
    if (vertices_) {
      for (const auto& [id, line] : sorted_lines(std::string(all.begin(), all.end()))) {
        vertices_->write(fmt::format("{},{}\n", row.superstep, line));
      }
    }
    if (!supersteps_) return;
    if (!header_written_) {
      std::string header = "superstep,active,sent,delivered,wakeups,mode,compute_seconds,exchange_seconds,wait_seconds";
      for (const std::string& name : board.names()) header += "," + name;
      supersteps_->write(header + "\n");
      header_written_ = true;
    }
    std::string line = fmt::format("{},{},{},{},{},{},{:.6f},{:.6f},{:.6f}", row.superstep, row.active, row.sent,
                                   row.delivered.value_or(0), row.wakeups, fold_mode_name(row.mode),
                                   row.compute_seconds, row.exchange_seconds, row.wait_seconds);
    for (const std::string& cell : board.texts()) line += "," + cell;
    supersteps_->write(line + "\n");
  });
}

void TraceWriter::commit() {
  core::agree(comm_, [&] {
    if (supersteps_) supersteps_->commit();
    if (vertices_) vertices_->commit();
  });
}

} // namespace pregel
