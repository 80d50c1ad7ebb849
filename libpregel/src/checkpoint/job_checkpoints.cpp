#include "pregel/checkpoint/job_checkpoints.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/agreement.hpp"
#include "core/atomic_file.hpp"
#include "core/checkpoint/redistribute.hpp"
#include "core/checkpoint/resume.hpp"
#include "core/clock.hpp"
#include "core/collectives.hpp"
#include "core/log.hpp"
#include "pregel/error.hpp"

namespace pregel {
namespace {

using core::checkpoint::Part;
using core::checkpoint::Table;

constexpr const char* kGraphPrefix = "graph";
constexpr const char* kStatePrefix = "superstep";

/// Same rows for everybody: what rank 0 has after redistribution.
Table broadcast_table(const core::Communicator& comm, Table table) {
  Part part;
  part.push_back(std::move(table));
  std::vector<std::byte> block = core::checkpoint::pack(part);
  const auto size = core::broadcast_value<std::uint64_t>(comm, block.size(), 0);
  block.resize(size);
  core::broadcast(comm, std::span<std::byte>(block), 0);
  return std::move(core::checkpoint::unpack(block).front());
}

/// The rows of one table of all parts, in one table. Local.
Table gather_table(std::vector<Part>& parts, const std::string& name) {
  std::vector<Table> tables;
  for (Part& part : parts) {
    for (Table& table : part) {
      if (table.name() == name) tables.push_back(std::move(table));
    }
  }
  return tables.size() == 1 ? std::move(tables.front()) : core::checkpoint::concatenate(std::move(tables));
}

/// Each row to the owner of the vertex that column `key` names.
Table to_owners(const DistributedGraph& graph, const Table& table, const char* key) {
  std::vector<int> owners;
  if (table.rows() > 0) {
    owners.reserve(table.rows());
    for (const GlobalId id : table.column<GlobalId>(key)) owners.push_back(graph.owner(id));
  }
  return core::checkpoint::redistribute(*graph.comm, table, owners);
}

Table to_rank_0(const core::Communicator& comm, const Table& table) {
  return core::checkpoint::redistribute(comm, table, std::vector<int>(table.rows(), 0));
}

} // namespace

JobCheckpoints::JobCheckpoints(CheckpointOptions options, nlohmann::json identity, nlohmann::json graph_source,
                               CheckpointHooks hooks)
    : options_(std::move(options)),
      identity_(std::move(identity)),
      graph_source_(std::move(graph_source)),
      hooks_(std::move(hooks)),
      graphs_(options_.directory, kGraphPrefix, 1),
      states_(options_.directory, kStatePrefix, options_.keep),
      interval_(options_.every, options_.mtbf_seconds) {}

void JobCheckpoints::prepare(const core::Communicator& comm) {
  if (!on_disk()) return;
  core::agree(comm, [&] {
    if (comm.rank() != 0) return;
    const std::string& directory = options_.directory;
    core::checkpoint::require_usable_directory(directory);
    core::checkpoint::refuse_checkpoints_of_others(directory, "pregel");
    if (!options_.resume && !states_.committed().empty()) {
      throw core::InputError(
          fmt::format("{} holds checkpoints of an earlier job (the last at superstep {}): go on from "
                      "them with --resume, or remove them",
                      directory, states_.committed().back()));
    }
    // A graph without states was left by a job that did not get far: it need not be this one's.
    if (!options_.resume) {
      std::error_code error;
      for (const std::uint64_t number : graphs_.committed())
        std::filesystem::remove_all(graphs_.path_of(number), error);
      if (error) throw core::InputError("cannot empty the checkpoint directory " + directory + ": " + error.message());
      return;
    }
    // A write that was cut short looks like an index that was lost: who wants to go on should know.
    for (const std::uint64_t number : states_.incomplete())
      core::log_warning(fmt::format("warning: {} is missing: the checkpoint is not complete, and is removed",
                                    states_.index_path_of(number)));
  });
  states_.remove_incomplete(comm);
  graphs_.remove_incomplete(comm);
}

void JobCheckpoints::complete(const core::Communicator& comm) const {
  if (!on_disk()) return;
  unless_required("the job is complete, but supervise may not know", [&] {
    core::agree(comm, [&] {
      if (comm.rank() == 0) core::AtomicFile(completion_file()).commit();
    });
  });
}

void JobCheckpoints::begin_attempt(const core::Communicator& comm, std::uint64_t attempt) {
  comm_ = &comm;
  attempt_ = attempt;
  graph_is_damaged_ = false;
  on_disk_.reset();
  restored_from_.reset();
}

bool JobCheckpoints::rank_0_sees(const std::function<bool()>& look) const {
  const bool seen = core::agree(*comm_, [&] { return comm_->rank() == 0 && look(); });
  return core::broadcast_value(*comm_, seen, 0);
}

bool JobCheckpoints::graph_is_stored() const {
  return on_disk() && rank_0_sees([&] { return !graphs_.committed().empty(); });
}

bool JobCheckpoints::is_on_disk(std::uint64_t superstep) const {
  return on_disk() && rank_0_sees([&] { return std::ranges::binary_search(states_.committed(), superstep); });
}

std::optional<LoadedGraph> JobCheckpoints::load_graph(GraphNeeds needs, const Placement& placement,
                                                      core::ThreadTeam& team) {
  if (options_.memory) {
    if (auto found = graph_copies_.restore(*comm_))
      return rebuild_graph(*comm_, found->parts, found->meta, needs, placement, team);
  }
  if (!graph_is_stored()) return std::nullopt;
  try {
    std::optional<core::checkpoint::Restored> found = graphs_.read_latest(*comm_);
    if (!found) return std::nullopt;
    require_same(graph_source_, found->meta.at("source"), "graph");
    // Arcs were stored as one algorithm wanted them; there may be no state yet that another one is refused for.
    require_same(identity_, found->meta.at("job"), "job");
    return rebuild_graph(*comm_, found->parts, found->meta, needs, placement, team);
  } catch (const core::MpiError&) {
    throw;
  } catch (const core::InputError&) {
    throw;
  } catch (const core::Error& error) { // on all ranks
    warn(fmt::format("the stored graph cannot be used: {}", error.what()));
    graph_is_damaged_ = true;
    return std::nullopt;
  }
}

void JobCheckpoints::keep_graph(const LoadedGraph& loaded) {
  const bool to_disk = on_disk() && (graph_is_damaged_ || !graph_is_stored());
  if (!to_disk && !options_.memory) return;
  const Part part = core::agree(*comm_, [&] { return save_graph(loaded.graph, loaded.names.get()); });
  nlohmann::json description = describe_graph(loaded);
  description["source"] = graph_source_;
  description["job"] = identity_;
  if (options_.memory) graph_copies_.save(*comm_, attempt_, 0, part, description);
  if (!to_disk) return;
  unless_required("the graph is not stored, so --resume will need its file",
                  [&] { (void)graphs_.write(*comm_, 0, part, description); });
  graph_is_damaged_ = false;
}

void JobCheckpoints::warn(const std::string& line) const {
  if (comm_->rank() == 0) core::log_warning("warning: " + line);
}

bool JobCheckpoints::unless_required(const std::string& consequence, const std::function<void()>& write) const {
  try {
    write();
    return true;
  } catch (const core::MpiError&) {
    throw;
  } catch (const core::Error& error) { // the store has made it everybody's
    if (options_.required) throw;
    warn(fmt::format("{}: {}", consequence, error.what()));
    return false;
  }
}

std::optional<JobCheckpoints::Found> JobCheckpoints::find_state() {
  if (options_.memory) {
    if (auto found = state_copies_.restore(*comm_))
      return Found{found->number, std::move(found->meta), std::move(found->parts), false};
  }
  if (!on_disk()) return std::nullopt;
  std::optional<core::checkpoint::Restored> found = states_.read_latest(*comm_);
  remove_incomplete_states(!found);
  if (!found) return std::nullopt;
  for (const std::string& line : found->rejected) warn(line);
  return Found{found->number, std::move(found->meta), std::move(found->parts), true};
}

/// What a death has left of a checkpoint that was being written, or of an old one that was being removed. The next
/// write would do it, but there may be none.
void JobCheckpoints::remove_incomplete_states(bool telling) const {
  try {
    core::agree(*comm_, [&] {
      if (!telling || comm_->rank() != 0) return;
      for (const std::uint64_t number : states_.incomplete())
        warn(states_.index_path_of(number) + " is missing: the checkpoint is not complete");
    });
    states_.remove_incomplete(*comm_);
  } catch (const core::MpiError&) {
    throw;
  } catch (const core::Error& error) { // it costs disk space only
    warn(error.what());
  }
}

void JobCheckpoints::require_same(const nlohmann::json& wanted, const nlohmann::json& saved, const char* whose) const {
  const auto difference = core::checkpoint::first_difference(wanted, saved);
  if (!difference) return;
  core::InputError error(fmt::format("cannot resume from {}: for its {} {}", options_.directory, whose, *difference));
  error.set_rank(0);
  throw error;
}

std::optional<EngineState> JobCheckpoints::restore(const DistributedGraph& graph) {
  std::optional<Found> found = find_state();
  if (hooks_.restoring && (found || attempt_ > 0)) hooks_.restoring();
  interval_.begin(found ? found->superstep : 0);
  if (!found) return std::nullopt;
  require_same(identity_, found->meta.at("job"), "job");
  if (found->meta.at("fingerprint").get<std::uint64_t>() != graph.fingerprint) {
    core::InputError error("cannot resume from " + options_.directory + ": its job ran on another graph");
    error.set_rank(0);
    throw error;
  }

  EngineState state;
  state.superstep = found->superstep;
  state.shared = std::move(found->meta.at("engine"));
  const auto rows_of = [&](const char* table) {
    return core::agree(*comm_, [&] { return gather_table(found->parts, table); });
  };
  for (const auto& [table, key] : {std::pair{"vertices", "id"}, {"messages", "sender"}, {"direct", "target"}})
    state.tables.push_back(to_owners(graph, rows_of(table), key));
  state.tables.push_back(broadcast_table(*comm_, to_rank_0(*comm_, rows_of("supersteps"))));
  state.tables.push_back(to_rank_0(*comm_, rows_of("traffic")));
  restored_from_ = found->superstep;
  if (found->on_disk || is_on_disk(found->superstep)) on_disk_ = found->superstep;
  return state;
}

bool JobCheckpoints::due(std::uint64_t superstep) {
  // In memory a restored state has to be kept again: the copies of the dead are gone, and ranks have other vertices
  // now.
  if (superstep == restored_from_) return options_.memory;
  return interval_.due(*comm_, superstep);
}

bool JobCheckpoints::save(const DistributedGraph& graph, EngineState&& state) {
  const core::Stopwatch watch;
  const nlohmann::json meta = {{"superstep", state.superstep},
                               {"job", identity_},
                               {"fingerprint", graph.fingerprint},
                               {"ranks", comm_->size()},
                               {"engine", std::move(state.shared)}};
  if (options_.memory) state_copies_.save(*comm_, attempt_, state.superstep, state.tables, meta);
  // What a state was restored from is not written again: replacing it would leave a moment without it.
  const bool kept = !on_disk() || on_disk_ == state.superstep || save_on_disk(state.superstep, state, meta);
  interval_.saved(state.superstep, core::all_reduce_value(*comm_, watch.seconds(), core::Reduce::max));
  return kept;
}

bool JobCheckpoints::save_on_disk(std::uint64_t superstep, const EngineState& state, const nlohmann::json& meta) {
  core::checkpoint::WriteHooks hooks;
  if (hooks_.part_written) hooks.part_written = [&] { hooks_.part_written(superstep); };
  const bool written = unless_required(fmt::format("no checkpoint of superstep {}", superstep), [&] {
    const core::checkpoint::WriteReport report = states_.write(*comm_, superstep, state.tables, meta, hooks);
    written_.push_back({{"superstep", superstep}, {"bytes", report.bytes}, {"seconds", report.seconds}});
    if (hooks_.written) hooks_.written(superstep, report.bytes, report.seconds);
  });
  if (written) on_disk_ = superstep;
  return written;
}

} // namespace pregel
