// When a worker may use parameters that others are changing: the one interface of all consistency models. The trainer
// (training/trainer.hpp) prepares data, model and workers, which are the same for all of them, and asks the strategy to
// train for so many rounds; what happens in a round, who waits for whom and where the parameters live is the strategy's
// affair.
//
// A round of a worker is what lies between two exchanges: one gradient for most strategies, H for `local` and `easgd`.
// After train() has returned, every worker has done the same number of rounds, unless the run was asked to stop.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/checkpoint/table.hpp"
#include "core/communicator.hpp"
#include "ps/models/model.hpp"
#include "ps/training/loss_monitor.hpp"
#include "ps/training/measurements.hpp"
#include "ps/training/roles.hpp"
#include "ps/training/training_options.hpp"
#include "ps/training/training_spectator.hpp"
#include "ps/training/worker.hpp"

namespace ps {

/// What a strategy works with on this rank. Everything outlives it.
template <class T>
struct TrainingSite {
  const core::Communicator& comm;
  const Roles& roles;
  const TrainingOptions& options;
  Model<T>& model;
  std::vector<Worker<T>>& workers; ///< this rank's, ascending
  LossMonitor<T>& monitor;         ///< watches on one rank
  Measurements& measured;          ///< this rank's
  ProgressBoard* board = nullptr;  ///< for those who watch, if anybody does
};

/// Whether a round may begin is asked at each of its beginnings, on this rank: a signal has come. Local.
using StopAsked = bool (*)() noexcept;

template <class T>
class Strategy {
 public:
  explicit Strategy(const TrainingSite<T>& site) : site_(site) {}
  virtual ~Strategy() = default;
  Strategy(const Strategy&) = delete;
  Strategy& operator=(const Strategy&) = delete;

  /// Goes on until every worker has done `rounds` rounds since the beginning of the run; or, if `stop_asked` says so on
  /// some rank, or the monitor wants it, until soon. Strategies in which workers wait for each other then all stop
  /// after the same round; others where they are. No gradient is under way afterwards. Collective.
  virtual void train(std::uint64_t rounds, StopAsked stop_asked) = 0;
  /// Of this rank's workers, the most that one has done; 0 without workers. Local.
  [[nodiscard]] virtual std::uint64_t rounds_done() const noexcept = 0;
  /// train() has ended before its time. Local; the same on all ranks.
  [[nodiscard]] virtual bool stopped() const noexcept = 0;

  /// The parameters that have been learnt, on every rank. Between two calls of train(). Collective.
  virtual void read_parameters(std::span<T> parameters) = 0;

  // Checkpoints: when all workers have done the same number of rounds.

  /// This rank's part of the state. Local.
  [[nodiscard]] virtual core::checkpoint::Part save() = 0;
  /// What is the same on all ranks, read by restore(). Collective.
  [[nodiscard]] virtual nlohmann::json describe() = 0;
  /// Takes over a state of any number of ranks and servers, of which this one has read `parts`. Collective.
  virtual void restore(std::uint64_t rounds, std::vector<core::checkpoint::Part> parts, const nlohmann::json& meta) = 0;

 protected:
  /// Somebody on this rank wants the run to end: a signal, or the monitor. Local.
  [[nodiscard]] bool should_stop(StopAsked stop_asked) const {
    return (stop_asked != nullptr && stop_asked()) || site_.monitor.wants_stop();
  }

  /// To be called at every turn of the strategy's loop.
  void pulse() {
    if (site_.board != nullptr) site_.board->pulse();
  }

  TrainingSite<T> site_;
};

struct StrategyInfo {
  std::string_view name;
  std::string_view summary; ///< one line, for --help
  bool needs_servers;
  bool has_local_steps; ///< a round is local_steps gradients
};

/// All strategies. Local.
[[nodiscard]] std::span<const StrategyInfo> strategies() noexcept;
/// Throws InputError that lists the names. Local.
[[nodiscard]] const StrategyInfo& find_strategy(std::string_view name);

/// With parameters as the model initialises them. Throws InputError on all ranks for options that make no sense.
/// Collective, as is the destructor.
template <class T>
[[nodiscard]] std::unique_ptr<Strategy<T>> make_strategy(const TrainingSite<T>& site);

} // namespace ps
