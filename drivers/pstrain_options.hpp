// The command line of pstrain: what it offers, what a model gets when nothing is said, and what is refused before a
// file is opened.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/communicator.hpp"
#include "monitor/monitor_options.hpp"
#include "ps/models/model.hpp"
#include "ps/training/roles.hpp"
#include "ps/training/training_checkpoints.hpp"
#include "ps/training/training_options.hpp"

namespace drivers {

/// The command line, as typed; what was left out is filled in by complete_pstrain_options().
struct PstrainOptions {
  std::string model, data, test, precision;
  double l2 = 0;
  std::vector<std::size_t> hidden{128};

  std::size_t workers = 0; ///< 0: one for each rank that is not only a server
  std::string servers;
  std::string staleness = "3";
  std::string table = "dense";
  std::vector<std::string> stragglers;
  std::string straggler_mode = "sleep";
  std::optional<double> gradient_seconds;
  std::optional<double> epochs;
  std::optional<std::uint64_t> gradients; ///< of each worker, instead of epochs
  std::size_t loss_sample = 4096;
  std::optional<std::size_t> batch;
  std::optional<double> learning_rate;
  std::string rule;
  ps::TrainingOptions training;

  ps::CheckpointOptions checkpoints;
  std::string output, metrics, predict;
  MonitorOptions monitor;
  bool progress = false, quiet = false;

  std::set<std::string> given; ///< names of the options that the command line has, be it with their defaults

  [[nodiscard]] bool predicts() const noexcept { return !predict.empty(); }
};

/// Nothing when --help or --version was answered, on standard output if `printing`. InputError for what is unknown or
/// malformed. Local.
[[nodiscard]] std::optional<PstrainOptions> parse_pstrain_options(int argc, char** argv, bool printing);

/// Fills in the model's defaults and refuses what does not go together. InputError. Local.
void complete_pstrain_options(PstrainOptions& options, int ranks);

/// InputError unless every file that will be written can be written, is another one than the others, and is not an
/// input. Collective.
void check_pstrain_files(const core::Communicator& comm, const PstrainOptions& options);

/// With --resume and without --workers: as many workers as the run had that is gone on from, however many ranks are
/// left. Collective.
void take_over_workers(const core::Communicator& comm, PstrainOptions& options);

/// Who does what. InputError when no rank is left for workers. Local.
[[nodiscard]] ps::Roles roles_of(const PstrainOptions& options, int ranks);

/// What must be equal for a run to go on from another one's state: all that changes numbers. `fingerprint`: of the
/// training rows. Local.
[[nodiscard]] nlohmann::json identity_of(const PstrainOptions& options, const ps::Roles& roles,
                                         const ps::DataShape& shape, std::uint64_t fingerprint);

} // namespace drivers
