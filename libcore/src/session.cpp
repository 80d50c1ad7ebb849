#include "core/session.hpp"

#include <exception>
#include <numeric>
#include <utility>

#include "core/error.hpp"
#include "core/fault_tolerance.hpp"

namespace core {
namespace {

// What ranks tell each other at the end of an attempt; the AND over all of them counts.
constexpr int kCompleted = 1;
constexpr int kSawNoDeath = 2;

} // namespace

Session::Session() {
  closings_.push_back(Communicator::world().duplicate());
  worlds_.push_back(Communicator::world().duplicate());
  launcher_ranks_.resize(static_cast<std::size_t>(world().size()));
  std::iota(launcher_ranks_.begin(), launcher_ranks_.end(), 0);
  if (!survives_failures()) return;
  closings_.back().leave_unfreed();
  worlds_.back().leave_unfreed();
}

void Session::until_completed(const std::function<void()>& attempt, const std::function<void(const Loss&)>& lost) {
  if (!survives_failures()) return attempt();
  for (;;) {
    int flags = kSawNoDeath;
    std::exception_ptr error;
    try {
      attempt();
      flags |= kCompleted;
    } catch (const MpiError& failure) {
      if (!failure.is_process_failure()) throw;
      flags = 0;
      error = std::current_exception();
      revoke(world());
    } catch (const Error& failure) {
      if (!failure.rank()) throw; // this rank's alone: the driver ends the job
      error = std::current_exception();
    }
    flags = agree_flags(world(), flags);
    if ((flags & kCompleted) != 0) {
      completed_ = true;
      return;
    }
    if ((flags & kSawNoDeath) == 0) {
      const Loss loss = shrink_world();
      if (!loss.ranks.empty()) {
        lost(loss);
        continue;
      }
    }
    if (error) std::rethrow_exception(error);
    throw Error("another rank failed");
  }
}

Loss Session::shrink_world() {
  Communicator survivors = shrink(world());
  Communicator closing = shrink(this->closing());
  survivors.leave_unfreed();
  closing.leave_unfreed();
  Loss loss{lost_ranks(world(), survivors), {}, world().size(), worlds_.front().size()};
  for (auto rank = loss.ranks.rbegin(); rank != loss.ranks.rend(); ++rank) {
    const auto position = launcher_ranks_.begin() + *rank;
    loss.launcher_ranks.insert(loss.launcher_ranks.begin(), *position);
    launcher_ranks_.erase(position);
  }
  worlds_.push_back(std::move(survivors));
  closings_.push_back(std::move(closing));
  return loss;
}

} // namespace core
