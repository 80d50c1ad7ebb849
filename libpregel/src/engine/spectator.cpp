#include "pregel/engine/spectator.hpp"

#include <algorithm>
#include <cmath>

#include "core/collectives.hpp"
#include "core/runtime.hpp"

namespace pregel {
namespace {

constexpr std::size_t kWords = 4; // of each rank
constexpr double kNanosecond = 1e-9;

std::int64_t nanoseconds(double seconds) {
  return std::llround(seconds / kNanosecond);
}
double seconds(std::int64_t nanoseconds) {
  return static_cast<double>(nanoseconds) * kNanosecond;
}

} // namespace

RankTimesExchange::RankTimesExchange(const core::Communicator& comm, Spectator& spectator)
    : comm_(comm), spectator_(spectator), ranks_(static_cast<std::size_t>(comm.size())) {}

void RankTimesExchange::add(const SuperstepReport& row) noexcept {
  since_.compute_seconds += row.compute_seconds;
  since_.exchange_seconds += row.exchange_seconds;
  since_.wait_seconds += row.wait_seconds;
}

void RankTimesExchange::all_reduce_with(std::span<std::int64_t> words) {
  all_words_.assign(words.begin(), words.end());
  all_words_.push_back(comm_.rank() == 0 && spectator_.wants_times() ? 1 : 0);
  if (due_) append_times();
  core::all_reduce(comm_, std::span(all_words_), core::Reduce::sum);
  std::ranges::copy(std::span(all_words_).first(words.size()), words.begin());
  if (due_) tell(std::span<const std::int64_t>(all_words_).subspan(words.size() + 1));
  due_ = all_words_[words.size()] != 0;
}

void RankTimesExchange::append_times() {
  const std::size_t first = all_words_.size();
  all_words_.resize(first + kWords * ranks_, 0);
  const std::span<std::int64_t> mine =
      std::span(all_words_).subspan(first + kWords * static_cast<std::size_t>(comm_.rank()), kWords);
  mine[0] = nanoseconds(since_.compute_seconds);
  mine[1] = nanoseconds(since_.exchange_seconds);
  mine[2] = nanoseconds(since_.wait_seconds);
  mine[3] = static_cast<std::int64_t>(core::resident_bytes());
  since_ = {};
}

void RankTimesExchange::tell(std::span<const std::int64_t> words) const {
  std::vector<RankTimes> all(ranks_);
  for (std::size_t rank = 0; rank < ranks_; ++rank) {
    const std::span<const std::int64_t> its = words.subspan(kWords * rank, kWords);
    all[rank] = {seconds(its[0]), seconds(its[1]), seconds(its[2]), static_cast<std::uint64_t>(its[3])};
  }
  spectator_.times(all);
}

} // namespace pregel
