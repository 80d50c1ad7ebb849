#include "ps/training/training_checkpoints.hpp"

#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/agreement.hpp"
#include "core/atomic_file.hpp"
#include "core/checkpoint/resume.hpp"
#include "core/error.hpp"
#include "core/log.hpp"

namespace ps {
namespace {

constexpr const char* kPrefix = "step";

} // namespace

TrainingCheckpoints::TrainingCheckpoints(CheckpointOptions options, nlohmann::json identity)
    : options_(std::move(options)),
      identity_(std::move(identity)),
      store_(options_.directory, kPrefix, options_.keep) {}

void TrainingCheckpoints::prepare(const core::Communicator& comm) const {
  core::agree(comm, [&] {
    if (comm.rank() != 0) return;
    core::checkpoint::require_usable_directory(options_.directory);
    core::checkpoint::refuse_checkpoints_of_others(options_.directory, "pstrain");
    if (!options_.resume && !store_.committed().empty()) {
      throw core::InputError(fmt::format(
          "{} holds checkpoints of an earlier run (the last at step {}): go on from them with --resume, or remove them",
          options_.directory, store_.committed().back()));
    }
    if (!options_.resume) return;
    for (const std::uint64_t step : store_.incomplete())
      core::log_warning(fmt::format("warning: {} is missing: the checkpoint is not complete, and is removed",
                                    store_.index_path_of(step)));
  });
  store_.remove_incomplete(comm);
}

std::optional<core::checkpoint::Restored> TrainingCheckpoints::restore(const core::Communicator& comm) const {
  if (!options_.resume) return std::nullopt;
  std::optional<core::checkpoint::Restored> found = store_.read_latest(comm);
  if (!found) return std::nullopt;
  if (comm.rank() == 0)
    for (const std::string& line : found->rejected) core::log_warning("warning: " + line);
  if (const auto difference = core::checkpoint::first_difference(identity_, found->meta.at("run"), "model")) {
    core::InputError error(fmt::format("cannot resume from {}: {}", options_.directory, *difference));
    error.set_rank(0); // all ranks see the same
    throw error;
  }
  return found;
}

void TrainingCheckpoints::save(const core::Communicator& comm, std::uint64_t step, const core::checkpoint::Part& part,
                               nlohmann::json meta) {
  meta["run"] = identity_;
  const core::checkpoint::WriteReport report = store_.write(comm, step, part, meta);
  written_.push_back({{"step", step}, {"bytes", report.bytes}, {"seconds", report.seconds}});
}

void TrainingCheckpoints::complete(const core::Communicator& comm) const {
  core::agree(comm, [&] {
    if (comm.rank() == 0) core::AtomicFile(options_.directory + "/completed").commit();
  });
}

nlohmann::json newest_identity(const std::string& directory) {
  const core::checkpoint::Store store(directory, kPrefix, 0);
  const std::vector<std::uint64_t> steps = store.committed();
  for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
    try {
      return store.read_meta(*step).at("run");
    } catch (const core::Error&) { // damaged: restore() says so, and takes the one before
      continue;
    }
  }
  return {};
}

} // namespace ps
