// The checkpoints of one training run, in the store of core/checkpoint/store.hpp: step-000000000100/ holds what all
// workers had after 100 gradients each.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include "core/checkpoint/store.hpp"
#include "core/communicator.hpp"

namespace ps {

struct CheckpointOptions {
  std::string directory;
  std::uint64_t every = 0; ///< gradients of each worker; 0: only when the run is asked to stop
  int keep = 2;
  bool resume = false;
};

class TrainingCheckpoints {
 public:
  /// `identity`: what must be equal for a state to be taken over, a flat object of option and value. Local.
  TrainingCheckpoints(CheckpointOptions options, nlohmann::json identity);

  /// Before anything else: InputError on all ranks if the directory cannot be used, or holds another run's checkpoints
  /// and --resume was not given. Makes the directory, and removes what an interrupted write has left. Collective.
  void prepare(const core::Communicator& comm) const;
  /// The newest whole checkpoint; nothing if there is none or --resume was not given. InputError on all ranks naming
  /// the first option that differs. Collective.
  [[nodiscard]] std::optional<core::checkpoint::Restored> restore(const core::Communicator& comm) const;
  /// Collective.
  void save(const core::Communicator& comm, std::uint64_t step, const core::checkpoint::Part& part,
            nlohmann::json meta);
  /// The run is done and its files are in place: leaves DIRECTORY/completed, by which supervise knows. Collective.
  void complete(const core::Communicator& comm) const;

  [[nodiscard]] const CheckpointOptions& options() const noexcept { return options_; }
  /// For the metrics: {step, bytes, seconds} each. Local.
  [[nodiscard]] const nlohmann::json& written() const noexcept { return written_; }

 private:
  CheckpointOptions options_;
  nlohmann::json identity_;
  core::checkpoint::Store store_;
  nlohmann::json written_ = nlohmann::json::array();
};

/// The identity of the newest checkpoint in a directory whose index can be read; null if there is none. Local.
[[nodiscard]] nlohmann::json newest_identity(const std::string& directory);

} // namespace ps
