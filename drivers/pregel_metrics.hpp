// The metrics of a pregel job (--metrics FILE.json): the entries of its algorithms (pregel_report.hpp), what is true of
// the job as a whole, and the stamp of what made them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/binding.hpp"
#include "core/communicator.hpp"
#include "pregel_options.hpp"

namespace drivers {

/// What a job knows of itself when it ends.
struct JobFacts {
  std::string command_line;
  std::string graph;                   ///< its description
  double load_seconds = 0;             ///< the slowest rank's, all of it
  double read_seconds = 0;             ///< reading or generating alone
  std::vector<core::Binding> bindings; ///< a rank
  nlohmann::json checkpoints;
  nlohmann::json recoveries;
  std::optional<std::uint64_t> resumed_from; ///< by --resume
};

/// Rank 0 writes the file, if one is wanted. `entries`: an algorithm each. Collective.
void write_metrics(const core::Communicator& comm, const PregelOptions& options, const JobFacts& facts,
                   const std::vector<nlohmann::json>& entries);

} // namespace drivers
