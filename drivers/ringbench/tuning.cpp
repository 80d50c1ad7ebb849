// From measurements to the table that `automatic` reads.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>

#include "core/atomic_file.hpp"
#include "report.hpp"

namespace ringbench {
namespace {

using collectives::TuningRow;

/// "chunked_ring/128K/4" -> algorithm, segment, channels; without slashes the options decide.
TuningRow row_of(const Measurement& m, const Options& options) {
  TuningRow row{m.bytes, collectives::algorithm_named(m.runs_as), options.segment_bytes, options.channels};
  const std::size_t first = m.algorithm.find('/');
  if (first == std::string::npos) return row;
  const std::size_t second = m.algorithm.find('/', first + 1);
  row.segment_bytes = bytes_from(m.algorithm.substr(first + 1, second - first - 1), "segment");
  row.channels = std::stoi(m.algorithm.substr(second + 1));
  return row;
}

bool same_choice(const TuningRow& a, const TuningRow& b) {
  return a.algorithm == b.algorithm && a.segment_bytes == b.segment_bytes && a.channels == b.channels;
}

} // namespace

collectives::TuningTable tuning_at(const std::string& path) {
  if (!std::filesystem::exists(path)) return {};
  return collectives::TuningTable::from_file(path);
}

void write_tuning(const std::string& path, const Options& options, const collectives::Topology& topology,
                  std::span<const Measurement> measurements) {
  // Two algorithms that are equally fast should not alternate from size to size.
  constexpr double kClearlyFaster = 0.97;
  std::vector<TuningRow> rows;
  std::string before; // the winner of the size before
  for (auto first = measurements.begin(); first != measurements.end();) {
    const auto last = std::find_if(first, measurements.end(), [&](const auto& m) { return m.bytes != first->bytes; });
    const Measurement *best = nullptr, *champion = nullptr;
    for (auto m = first; m != last; ++m) {
      if (m->bytes_sent.empty() || m->errors > 0) continue; // MPI's own
      if (best == nullptr || m->median < best->median) best = &*m;
      if (m->algorithm == before) champion = &*m;
    }
    first = last;
    if (best == nullptr) continue;
    if (champion != nullptr && best->median > kClearlyFaster * champion->median) best = champion;
    const TuningRow row = row_of(*best, options);
    if (!rows.empty() && same_choice(rows.back(), row)) {
      rows.back().bytes = row.bytes;
    } else {
      // Where between the two sizes one overtakes the other is not known.
      if (!rows.empty())
        rows.back().bytes = static_cast<std::size_t>(
            std::sqrt(static_cast<double>(rows.back().bytes) * static_cast<double>(row.bytes)));
      rows.push_back(row);
    }
    before = best->algorithm;
  }
  collectives::TuningTable table = tuning_at(path);
  table.set(topology, std::move(rows));
  core::AtomicFile file(path);
  file.write(table.to_json() + "\n");
  file.commit();
}

} // namespace ringbench
