#include "pregel/recovery/recoveries.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "core/collectives.hpp"
#include "core/log.hpp"

namespace pregel {

void Recoveries::lost(const core::Loss& loss, std::uint64_t superstep, double waited_seconds) {
  // Another loss before the job went on belongs to the same recovery: more ranks, and the time goes on.
  if (current_) {
    current_->lost.insert(current_->lost.end(), loss.launcher_ranks.begin(), loss.launcher_ranks.end());
    return;
  }
  current_ = Recovery{};
  current_->lost = loss.launcher_ranks;
  current_->superstep = superstep;
  current_->ranks_before = loss.ranks_before;
  current_->launched = loss.launched;
  current_->detect_seconds = waited_seconds;
  since_loss_ = core::Stopwatch();
}

/// The recovery at hand belongs to the one before.
void Recoveries::reopen_last() {
  Recovery whole = std::move(done_.back());
  done_.pop_back();
  whole.lost.insert(whole.lost.end(), current_->lost.begin(), current_->lost.end());
  current_ = std::move(whole);
}

void Recoveries::begin_attempt(const core::Communicator& comm) {
  if (!current_) return;
  // A death in the barrier before the first superstep lets some ranks go on and others not.
  if (core::all_reduce_value(comm, std::uint64_t{done_.size()}, core::Reduce::min) < done_.size()) reopen_last();
  current_->ranks_after = comm.size();
  current_->superstep = core::all_reduce_value(comm, current_->superstep, core::Reduce::max);
  current_->detect_seconds = core::all_reduce_value(comm, current_->detect_seconds, core::Reduce::min);
}

void Recoveries::going_on(std::optional<std::uint64_t> restored_from) {
  if (!current_) return;
  current_->restored_from = restored_from;
  current_->superstep = std::max(current_->superstep, restored_from.value_or(0));
  current_->restore_seconds = since_loss_.seconds();
  const Recovery& r = *current_;
  core::log_info(fmt::format(
      "recovery: {} {} of {} died in superstep {}; {} {} on from {}, {} superstep{} to do again "
      "(noticed after {:.3f} s, restored in {:.3f} s)",
      r.lost.size() == 1 ? "rank" : "ranks", fmt::join(r.lost, ", "), r.launched, r.superstep, r.ranks_after,
      r.ranks_after == 1 ? "goes" : "go",
      restored_from ? fmt::format("the checkpoint of superstep {}", *restored_from) : std::string("the start"),
      r.recomputed_supersteps(), r.recomputed_supersteps() == 1 ? "" : "s", r.detect_seconds, r.restore_seconds));
  done_.push_back(*current_);
  current_.reset();
}

nlohmann::json Recoveries::to_json(const core::Communicator& comm) const {
  nlohmann::json list = nlohmann::json::array();
  for (const Recovery& r : done_) {
    list.push_back({{"lost", r.lost},
                    {"superstep", r.superstep},
                    {"restored_from", r.restored_from ? nlohmann::json(*r.restored_from) : nlohmann::json(nullptr)},
                    {"ranks_before", r.ranks_before},
                    {"ranks_after", r.ranks_after},
                    {"detect_seconds", r.detect_seconds},
                    {"restore_seconds", core::all_reduce_value(comm, r.restore_seconds, core::Reduce::max)},
                    {"recomputed_supersteps", r.recomputed_supersteps()}});
  }
  return list;
}

} // namespace pregel
