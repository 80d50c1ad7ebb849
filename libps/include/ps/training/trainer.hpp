// One training run: workers with their shares of the data, a strategy, checkpoints, and an account of it all.
//
//   ps::Trainer<float> trainer(comm, roles, options, model, dataset, sample);
//   const ps::TrainingReport report = trainer.run();
//   … trainer.parameters(), report.measured, report.curve
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/communicator.hpp"
#include "ps/consistency/strategy.hpp"
#include "ps/data/dataset.hpp"
#include "ps/training/training_checkpoints.hpp"

namespace ps {

/// Gradients of each worker for so many epochs over all rows. Local.
[[nodiscard]] std::uint64_t gradients_for(double epochs, std::size_t rows, std::size_t workers, std::size_t batch);

/// The same on all ranks.
struct TrainingReport {
  Measurements measured{0}; ///< of all ranks, and of the runs that this one resumed
  double seconds = 0;
  std::uint64_t gradients_here = 0; ///< computed since the start or the resumption
  double seconds_here = 0;          ///< the same
  std::vector<LossPoint> curve;
  std::optional<LossPoint> reached; ///< where the target was met
  bool diverged = false;            ///< see LossMonitor
  std::optional<std::uint64_t> resumed_from;

  /// Without what the trainer does not know (model, losses). Local.
  [[nodiscard]] nlohmann::json to_json(std::size_t batch) const;
};

/// All workers' shares, evaluated by all ranks together: the same bits on any number of ranks. `shares` are those of
/// this rank's workers. Collective.
template <class T>
[[nodiscard]] Evaluation evaluate_shares(const core::Communicator& comm, const Roles& roles, Model<T>& model,
                                         std::span<const T> parameters, std::span<const Examples<T>> shares);

template <class T>
class Trainer {
 public:
  /// `sample` has rows on roles.monitor_rank() only. The references must outlive the trainer. InputError on all ranks
  /// for options that make no sense. Collective, as is the destructor.
  Trainer(const core::Communicator& comm, const Roles& roles, const TrainingOptions& options, Model<T>& model,
          const Dataset<T>& data, const Examples<T>& sample);

  /// Trains to the end, to the target, or until it has diverged; with checkpoints, SIGTERM and SIGUSR1 that come before
  /// end it by an Error with ExitCode::requeue after a last one. Once. Collective.
  [[nodiscard]] TrainingReport run(TrainingCheckpoints* checkpoints = nullptr);

  /// What has been learnt, on every rank. Local.
  [[nodiscard]] std::span<const T> parameters() const noexcept { return parameters_; }

 private:
  /// Returns the curve so far.
  [[nodiscard]] std::vector<LossPoint> resume(TrainingCheckpoints& checkpoints);
  void train(TrainingCheckpoints* checkpoints);
  void save(TrainingCheckpoints& checkpoints, std::uint64_t rounds);
  /// The target has been met, or the run has diverged: there is nothing to go on with. Collective.
  [[nodiscard]] bool is_decided() const;
  [[nodiscard]] nlohmann::json curve_of_monitor() const;

  const core::Communicator* comm_;
  const Roles* roles_;
  Model<T>* model_;
  const TrainingOptions options_;
  std::uint64_t steps_per_round_;
  std::vector<Worker<T>> workers_;
  LossMonitor<T> monitor_;
  Measurements measured_;
  std::unique_ptr<ProgressBoard> board_; // with a spectator
  std::unique_ptr<Strategy<T>> strategy_;
  std::vector<T> parameters_;
  std::uint64_t rounds_ = 0;           // that all workers have done
  std::uint64_t gradients_before_ = 0; // of the runs that this one resumes
  double seconds_before_ = 0;
  std::optional<std::uint64_t> resumed_from_;
};

extern template class Trainer<float>;
extern template class Trainer<double>;

} // namespace ps
