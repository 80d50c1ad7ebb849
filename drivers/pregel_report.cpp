#include "pregel_report.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include <fmt/format.h>

#include "core/collectives.hpp"
#include "pregel/io/results.hpp"

namespace drivers {

double Outcome::median_seconds() const {
  std::vector<double> seconds;
  for (const RunSummary& run : runs) seconds.push_back(run.seconds);
  std::sort(seconds.begin(), seconds.end());
  const std::size_t n = seconds.size();
  return n % 2 == 1 ? seconds[n / 2] : (seconds[n / 2 - 1] + seconds[n / 2]) / 2;
}

std::vector<std::string> screen_lines(const core::Communicator& comm, const AlgorithmChoice& choice,
                                      const pregel::LoadedGraph& loaded, const Outcome& outcome) {
  const pregel::RunReport& report = outcome.last.report;
  const double seconds = outcome.median_seconds();
  std::vector<std::string> lines;
  lines.push_back(fmt::format("{}: {} superstep{} in {:.4f} s, {} messages, {:.1f} M edges/s", choice.algorithm,
                              report.supersteps(), report.supersteps() == 1 ? "" : "s", seconds, report.messages_sent(),
                              seconds > 0 ? static_cast<double>(report.messages_sent()) / seconds / 1e6 : 0.0));
  for (const auto& [name, value] : report.aggregates) {
    const bool is_whole = value == std::floor(value) && std::abs(value) < 1e15;
    lines.push_back(is_whole ? fmt::format("  {} = {:.0f}", name, value) : fmt::format("  {} = {:.6g}", name, value));
  }
  if (choice.top == 0) return lines;
  for (const auto& [vertex, value] : pregel::top_vertices(comm, outcome.last.result, loaded.names.get(), choice.top))
    lines.push_back(fmt::format("  {:<20} {}", vertex, value));
  return lines;
}

nlohmann::json entry_of(const core::Communicator& comm, const AlgorithmChoice& choice,
                        const pregel::DistributedGraph& graph, const Outcome& outcome, double output_seconds) {
  nlohmann::json entry = outcome.last.report.to_json();
  entry["algorithm"] = choice.algorithm;
  entry["variant"] = choice.variant;
  entry["vertices"] = graph.vertex_count;
  entry["edges"] = graph.edge_count;
  entry["arcs"] = graph.arc_count;
  entry["directed"] = graph.directed;
  entry["run_seconds"] = outcome.median_seconds();
  entry["checkpoint_seconds"] = outcome.last.report.checkpoint_seconds;
  entry["output_seconds"] = output_seconds;
  entry["graph_bytes"] = core::all_reduce_value(comm, graph.bytes(), core::Reduce::sum);
  entry["graph_fingerprint"] = fmt::format("{:016x}", graph.fingerprint);
  entry["runs"] = nlohmann::json::array();
  for (const RunSummary& run : outcome.runs) {
    nlohmann::json one{{"run_seconds", run.seconds}, {"supersteps", run.supersteps}};
    if (!run.source.empty()) one["source"] = run.source;
    entry["runs"].push_back(one);
  }
  return entry;
}

nlohmann::json listed(const std::vector<nlohmann::json>& entries) {
  nlohmann::json document = entries.front();
  for (std::size_t i = 1; i < entries.size(); ++i) {
    nlohmann::json entry = entries[i];
    entry.erase("recoveries"); // of the whole job
    document["then"].push_back(entry);
  }
  return document;
}

} // namespace drivers
