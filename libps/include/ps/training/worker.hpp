// One logical worker's own affairs, the same for every strategy: its share of the data, its order of batches, its pace.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>

#include "ps/data/examples.hpp"
#include "ps/models/model.hpp"
#include "ps/training/batch_schedule.hpp"
#include "ps/training/training_options.hpp"

namespace ps {

/// Throws InputError, naming --straggler, for a worker that does not exist or is named twice, and for a factor that is
/// no number from 1 to 1e6, or not whole when computing, or gives gradients that take years. Local.
void check_pace(const PaceOptions& options, std::size_t workers);

/// How long the gradients of one worker take. All functions are local.
class Pace {
 public:
  using Time = std::chrono::steady_clock::time_point;

  /// The options have passed check_pace().
  Pace(const PaceOptions& options, std::size_t worker);

  /// Times that a gradient is computed.
  [[nodiscard]] std::size_t repetitions() const noexcept { return repetitions_; }
  /// When a gradient that was begun at `start` may be used.
  [[nodiscard]] Time ready_at(Time start) const noexcept { return start + padding_; }
  [[nodiscard]] bool pads() const noexcept { return padding_ > Time::duration::zero(); }

 private:
  std::size_t repetitions_ = 1;
  Time::duration padding_{};
};

/// All functions are local.
template <class T>
class Worker {
 public:
  /// `share` must outlive the worker.
  Worker(std::size_t number, const Examples<T>& share, const TrainingOptions& options)
      : number_(number),
        share_(&share),
        schedule_(share.rows, options.batch, options.seed, number),
        pace_(options.pace, number) {}

  [[nodiscard]] std::size_t number() const noexcept { return number_; }
  [[nodiscard]] const Examples<T>& share() const noexcept { return *share_; }
  [[nodiscard]] const Pace& pace() const noexcept { return pace_; }

  /// The rows for gradient `step`, valid until the next call.
  [[nodiscard]] Batch<T> batch(std::uint64_t step) { return builder_.gather(*share_, schedule_.rows_of(step)); }
  /// The gradient of batch `step` at `parameters`; returns the batch's loss. `ready` hears of the last repetition only.
  double gradient(Model<T>& model, std::span<const T> parameters, std::uint64_t step, std::span<T> gradient,
                  const GradientReady& ready = {}) {
    return this->gradient(model, parameters, batch(step), gradient, ready);
  }
  /// The same for a batch that has been made of this worker's rows.
  double gradient(Model<T>& model, std::span<const T> parameters, const Batch<T>& batch, std::span<T> gradient,
                  const GradientReady& ready = {}) {
    for (std::size_t extra = 1; extra < pace_.repetitions(); ++extra)
      (void)model.loss_and_gradient(parameters, batch, gradient);
    return model.loss_and_gradient(parameters, batch, gradient, ready);
  }

 private:
  std::size_t number_;
  const Examples<T>* share_;
  BatchSchedule schedule_;
  BatchBuilder<T> builder_;
  Pace pace_;
};

} // namespace ps
