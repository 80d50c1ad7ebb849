#include "ps/training/batch_schedule.hpp"

#include <numeric>
#include <utility>

#include "core/random.hpp"

namespace ps {

BatchSchedule::BatchSchedule(std::size_t rows, std::size_t batch, std::uint64_t seed, std::size_t worker)
    : seed_(seed), worker_(worker), order_(rows), batch_(batch) {}

/// Fisher and Yates.
void BatchSchedule::shuffle(std::uint64_t epoch) {
  core::CounterRandom random(seed_, worker_, epoch);
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  for (std::size_t left = order_.size(); left > 1; --left) std::swap(order_[left - 1], order_[random.below(left)]);
  epoch_ = epoch;
}

std::span<const std::size_t> BatchSchedule::rows_of(std::uint64_t step) {
  std::uint64_t position = step * batch_.size();
  for (std::size_t& row : batch_) {
    const std::uint64_t epoch = position / order_.size();
    if (epoch != epoch_) shuffle(epoch);
    row = order_[position % order_.size()];
    ++position;
  }
  return batch_;
}

} // namespace ps
