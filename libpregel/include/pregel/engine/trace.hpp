// What happened in each superstep, as CSV: --trace (a row a superstep) and --trace-vertices (a row a vertex a
// superstep).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/atomic_file.hpp"
#include "core/communicator.hpp"
#include "pregel/engine/aggregators.hpp"
#include "pregel/engine/run_report.hpp"
#include "pregel/graph/types.hpp"

namespace pregel {

/// One vertex at the end of a superstep, after the exchange.
struct VertexTrace {
  GlobalId id{};
  bool active = false;         ///< ran compute
  std::uint64_t delivered = 0; ///< messages that reached it at this barrier
  std::string value;
  std::string woken_by; ///< the message, or messages joined by ';', that woke it; empty if it was not woken
};

/// This rank's share of what --trace needs to know of a barrier.
struct TraceDetails {
  std::uint64_t delivered = 0;
  std::uint64_t wakeups = 0;
  std::vector<VertexTrace> vertices; ///< ascending by id; only if asked for
};

class TraceWriter {
 public:
  /// Rank 0 opens the files that `options` names. Collective.
  TraceWriter(const core::Communicator& comm, const RunOptions& options);
  ~TraceWriter();

  [[nodiscard]] bool wants_vertices() const noexcept { return wants_vertices_; }
  /// Writes the rows of a superstep. Collective.
  void write(const SuperstepReport& row, const TraceDetails& mine, const AggregatorBoard& board);
  /// Renames the files into place. Collective.
  void commit();

 private:
  const core::Communicator& comm_;
  bool wants_vertices_;
  std::unique_ptr<core::AtomicFile> supersteps_, vertices_; // rank 0
  bool header_written_ = false;
};

/// %.17g, "infinity" for infinities.
[[nodiscard]] std::string trace_text(double x);
[[nodiscard]] std::string trace_text(std::int64_t x);
[[nodiscard]] std::string trace_text(std::uint64_t x);
[[nodiscard]] inline std::string trace_text(GlobalId id) {
  return trace_text(number(id));
}

} // namespace pregel
