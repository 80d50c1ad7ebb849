// Results on the screen and in files.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "collectives/algorithm.hpp"
#include "measurement.hpp"
#include "options.hpp"

namespace ringbench {

/// Where and how it was measured.
struct Circumstances {
  collectives::Topology topology;
  double load = 0; ///< processes that wanted a processor in the minute before; a reader of times must know
  std::string command_line;
};

/// The load average of this moment, 0 where there is none. All functions are local; rank 0 calls them.
[[nodiscard]] double load_average();

void print_head(const Options& options, const Circumstances& where, std::span<const std::string> remarks);
void print_rows(const Options& options, int ranks, std::span<const Measurement> measurements);

void write_json_report(const Options& options, const Circumstances& where, std::span<const Measurement> measurements);
void write_csv_report(const Options& options, int ranks, std::span<const Measurement> measurements);

/// Adds what was fastest at each size to the table at `path`, which may exist.
void write_tuning(const std::string& path, const Options& options, const collectives::Topology& topology,
                  std::span<const Measurement> measurements);

/// Reads the table at `path` if there is one, to refuse what is no table before anything is measured.
[[nodiscard]] collectives::TuningTable tuning_at(const std::string& path);

} // namespace ringbench
