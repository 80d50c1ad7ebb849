#include "pregel/checkpoint/interval.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/collectives.hpp"
#include "core/log.hpp"

namespace pregel {

std::uint64_t best_interval(double checkpoint_seconds, double superstep_seconds, double mtbf_seconds) {
  const double c = std::max(superstep_seconds, 1e-9);
  const double lambda = c / std::max(mtbf_seconds, 1e-9);
  const double supersteps = std::sqrt(2 * std::max(checkpoint_seconds, 0.0) / (lambda * c));
  return static_cast<std::uint64_t>(std::clamp(std::round(supersteps), 1.0, 1e15));
}

CheckpointInterval::CheckpointInterval(std::optional<std::uint64_t> every, double mtbf_seconds)
    : every_(every), mtbf_seconds_(mtbf_seconds) {}

void CheckpointInterval::begin(std::uint64_t superstep) {
  last_ = superstep;
  next_look_ = superstep;
  since_last_ = core::Stopwatch();
}

bool CheckpointInterval::due(const core::Communicator& comm, std::uint64_t superstep) {
  if (every_) return superstep % *every_ == 0;
  if (superstep < next_look_) return false;
  struct Decision {
    std::uint64_t save, next_look;
  };
  Decision decision{};
  if (comm.rank() == 0) decision = {decide(superstep) ? 1U : 0U, next_look_};
  decision = core::broadcast_value(comm, decision, 0);
  next_look_ = decision.next_look;
  return decision.save != 0;
}

bool CheckpointInterval::decide(std::uint64_t superstep) {
  if (checkpoint_seconds_ < 0) return true; // the first one measures
  const std::uint64_t done = superstep - last_;
  if (done == 0) {
    next_look_ = superstep + 1;
    return false;
  }
  const double superstep_seconds = since_last_.seconds() / static_cast<double>(done);
  const std::uint64_t interval = best_interval(checkpoint_seconds_, superstep_seconds, mtbf_seconds_);
  if (interval > 2 * told_ || 2 * interval < told_) {
    core::log_info(
        fmt::format("checkpoint every {} supersteps: one costs {:.3g} s, a superstep {:.3g} s, "
                    "and a failure is expected every {:.3g} s (--mtbf)",
                    interval, checkpoint_seconds_, superstep_seconds, mtbf_seconds_));
    told_ = interval;
  }
  next_look_ = std::max(superstep + 1, std::min(last_ + interval, superstep + done));
  return done >= interval;
}

void CheckpointInterval::saved(std::uint64_t superstep, double seconds) {
  checkpoint_seconds_ = seconds;
  begin(superstep);
  next_look_ = superstep + 1;
}

} // namespace pregel
