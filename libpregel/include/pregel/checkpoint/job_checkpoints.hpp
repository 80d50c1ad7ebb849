// The checkpoints of one job: its graph, stored once, and its states, on disk and in partners' memory.
//
// An object lives as long as the job, over all its attempts; the communicator is that of the attempt at hand. On disk a
// job is a directory of two stores (core/checkpoint/store.hpp): graph-000000000000/ and superstep-000000000004/ ...
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include "core/checkpoint/partner_memory.hpp"
#include "core/checkpoint/store.hpp"
#include "core/communicator.hpp"
#include "pregel/checkpoint/interval.hpp"
#include "pregel/checkpoint/stored_graph.hpp"
#include "pregel/engine/checkpointer.hpp"

namespace pregel {

struct CheckpointOptions {
  std::string directory;              ///< empty: nothing on disk
  std::optional<std::uint64_t> every; ///< supersteps; nothing: as often as pays
  double mtbf_seconds = 24 * 3600;    ///< of the whole job, for that
  int keep = 2;
  bool required = false; ///< a checkpoint that cannot be written ends the job
  bool memory = false;   ///< copies in partners' memory too
  bool resume = false;   ///< go on from what is in the directory
};

/// What the job does at these points, for faults on order.
struct CheckpointHooks {
  std::function<void(std::uint64_t superstep)> part_written{};
  std::function<void()> restoring{};
  /// A checkpoint is complete on disk; `seconds` are this rank's.
  std::function<void(std::uint64_t superstep, std::uint64_t bytes, double seconds)> written{};
};

class JobCheckpoints final : public Checkpointer {
 public:
  /// `identity`: what must be equal for a state to be taken over, as a flat object of option and value.
  /// `graph_source`: the same for the stored graph; empty if the job does not say where its graph comes from.
  explicit JobCheckpoints(CheckpointOptions options, nlohmann::json identity = nlohmann::json::object(),
                          nlohmann::json graph_source = nlohmann::json::object(), CheckpointHooks hooks = {});

  /// Before anything else: InputError on every rank if the directory cannot be used, or holds another job's checkpoints
  /// and --resume was not given. Makes the directory, and removes what an interrupted write has left. Collective.
  void prepare(const core::Communicator& comm);

  /// The job is done and its results are in place: leaves the file DIRECTORY/completed, by which supervise knows (an
  /// mpirun that lets ranks die returns 0 even if all did), and which it removes before it starts a job. Collective.
  void complete(const core::Communicator& comm) const;

  /// An attempt of the job begins on `comm`; `attempt` counts the ones before. Local.
  void begin_attempt(const core::Communicator& comm, std::uint64_t attempt);

  /// The stored graph, placed anew, for runs by `team`; nothing if none was stored, or, with a warning, if it is
  /// damaged. InputError on every rank if it came from another source. Collective.
  [[nodiscard]] std::optional<LoadedGraph> load_graph(GraphNeeds needs, const Placement& placement,
                                                      core::ThreadTeam& team);
  /// Stores the graph: on disk if it is not there yet, in memory for this attempt. Collective.
  void keep_graph(const LoadedGraph& loaded);

  // Checkpointer.
  [[nodiscard]] std::optional<EngineState> restore(const DistributedGraph& graph) override;
  [[nodiscard]] bool due(std::uint64_t superstep) override;
  bool save(const DistributedGraph& graph, EngineState&& state) override;

  /// Superstep of the state that the run of this attempt went on from; nothing if it began at the start. Local.
  [[nodiscard]] std::optional<std::uint64_t> restored_from() const noexcept { return restored_from_; }
  /// What was written to disk, for the metrics: {superstep, bytes, seconds} each. Local.
  [[nodiscard]] const nlohmann::json& written() const noexcept { return written_; }

 private:
  struct Found {
    std::uint64_t superstep = 0;
    nlohmann::json meta;
    std::vector<core::checkpoint::Part> parts;
    bool on_disk = false;
  };
  [[nodiscard]] bool on_disk() const noexcept { return !options_.directory.empty(); }
  [[nodiscard]] std::optional<Found> find_state();
  [[nodiscard]] bool graph_is_stored() const;
  [[nodiscard]] bool is_on_disk(std::uint64_t superstep) const;
  /// What rank 0 sees on the disk, on every rank. Collective.
  [[nodiscard]] bool rank_0_sees(const std::function<bool()>& look) const;
  /// Collective.
  void remove_incomplete_states(bool telling) const;
  /// InputError on every rank, which all see the same, for the first option of `wanted` that `saved` has otherwise.
  void require_same(const nlohmann::json& wanted, const nlohmann::json& saved, const char* whose) const;
  bool save_on_disk(std::uint64_t superstep, const EngineState& state, const nlohmann::json& meta);
  [[nodiscard]] std::string completion_file() const { return options_.directory + "/completed"; }
  void warn(const std::string& line) const;
  /// What cannot be written is a warning with this consequence, or ends the job if checkpoints are required. Returns
  /// whether it was written.
  bool unless_required(const std::string& consequence, const std::function<void()>& write) const;

  CheckpointOptions options_;
  nlohmann::json identity_, graph_source_;
  CheckpointHooks hooks_;
  core::checkpoint::Store graphs_, states_;
  core::checkpoint::PartnerMemory graph_copies_{1}, state_copies_{2};
  CheckpointInterval interval_;
  const core::Communicator* comm_ = nullptr;
  std::uint64_t attempt_ = 0;
  // Of this attempt, and so the same on all its ranks.
  bool graph_is_damaged_ = false;        // on disk: it has to be stored again
  std::optional<std::uint64_t> on_disk_; // superstep of the newest state that is on disk
  std::optional<std::uint64_t> restored_from_;
  nlohmann::json written_ = nlohmann::json::array();
};

} // namespace pregel
