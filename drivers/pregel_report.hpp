// What pregel tells of an algorithm that has run: on the screen, and in the metrics.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/communicator.hpp"
#include "pregel/algorithms/algorithm.hpp"
#include "pregel/checkpoint/stored_graph.hpp"
#include "pregel_options.hpp"

namespace drivers {

/// One run of an algorithm: there are several with --repeat and --sources.
struct RunSummary {
  std::string source;
  double seconds;
  std::uint64_t supersteps;
};

struct Outcome {
  pregel::AlgorithmRun last;
  std::vector<RunSummary> runs;

  [[nodiscard]] double median_seconds() const;
};

/// The lines to print. Collective; the same on every rank.
[[nodiscard]] std::vector<std::string> screen_lines(const core::Communicator& comm, const AlgorithmChoice& choice,
                                                    const pregel::LoadedGraph& loaded, const Outcome& outcome);

/// What the metrics say of one algorithm of the list. Collective.
[[nodiscard]] nlohmann::json entry_of(const core::Communicator& comm, const AlgorithmChoice& choice,
                                      const pregel::DistributedGraph& graph, const Outcome& outcome,
                                      double output_seconds);

/// The entries as one document: the first one's fields, and those of the others as the list "then". Local.
[[nodiscard]] nlohmann::json listed(const std::vector<nlohmann::json>& entries);

} // namespace drivers
