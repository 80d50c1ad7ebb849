// The command line of pregel: what it offers, and what it refuses before a file is opened.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "algorithm_choice.hpp"
#include "core/communicator.hpp"
#include "graph_file_options.hpp"
#include "monitor/monitor_options.hpp"
#include "pregel/algorithms/algorithm.hpp"

namespace drivers {

/// The command line, as typed.
struct PregelOptions : GraphFileOptions, AlgorithmChoice {
  std::string graph, generate, partition = "hash", mode = "sync";
  int threads = 1;
  bool progress = false, quiet = false;
  std::string metrics, timeline;
  bool dry_run = false;
  std::string memory = "auto";               ///< --memory-limit as typed
  std::optional<std::uint64_t> memory_limit; ///< bytes; nothing: what the machine has
  MonitorOptions monitor;
  std::vector<std::string> stragglers; ///< RANK:FACTOR each
  std::vector<AlgorithmChoice> others; ///< one a --then, in their order

  std::string checkpoint_dir, checkpoint_every = "auto", on_failure = "auto";
  int keep = 2;
  double mtbf = 24 * 3600, timeout = 0;
  bool checkpoint_required = false, checkpoint_memory = false, resume = false;
  std::vector<std::string> inject;

  /// States are saved, on disk or in memory.
  [[nodiscard]] bool saves() const noexcept { return !checkpoint_dir.empty() || checkpoint_memory; }
  /// Supersteps between checkpoints; nothing for auto.
  [[nodiscard]] std::optional<std::uint64_t> every() const;
  /// The algorithms in the order in which they run; the pointers are into this object.
  [[nodiscard]] std::vector<const AlgorithmChoice*> choices() const;
};

/// Nothing when --help or --version was answered, on standard output if `printing`. InputError for what is unknown or
/// malformed. Local.
[[nodiscard]] std::optional<PregelOptions> parse_pregel_options(int argc, char** argv, bool printing);

/// InputError for options that do not go together or not with their algorithm. Local.
void check_pregel_options(const PregelOptions& options);

/// How many times slower than it is `rank` of `ranks` is to be: 1 unless --straggler names it. InputError for a rank
/// that does not exist or is named twice, and for a factor that is no number of at least 1. Local.
[[nodiscard]] double slowness_of(const PregelOptions& options, int rank, int ranks);

/// InputError unless every file that will be written can be written, is another file than the others, and is not an
/// input. Collective.
void check_pregel_files(const core::Communicator& comm, const PregelOptions& options);

} // namespace drivers
