// What a training run is told, apart from its data and its model.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ps/update/update_rule.hpp"

namespace ps {

class TrainingSpectator; // training_spectator.hpp

/// How fast workers are, for experiments with slow ones (straggler injection).
struct PaceOptions {
  /// Each gradient takes at least so many seconds of wall time: the rest is slept, so that ranks may outnumber cores.
  /// 0: as fast as it goes.
  double gradient_seconds = 0;
  /// Worker and factor: its gradients take that many times as long.
  std::vector<std::pair<std::size_t, double>> stragglers;
  /// Slow workers compute each gradient that many times, instead of sleeping.
  bool by_computing = false;
};

struct TrainingOptions {
  std::string strategy = "sync";
  std::size_t batch = 32;      ///< rows of one gradient
  std::uint64_t gradients = 1; ///< that each worker computes
  std::uint64_t seed = 1;
  UpdateOptions update;

  static constexpr std::uint64_t kUnbounded = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t staleness = 3;   ///< ssp: s
  bool racy = false;             ///< async, ssp: pull with plain gets
  bool sparse_table = false;     ///< async, ssp: parameters are in a SparseTable, see consistency/sparse_async.hpp
  std::size_t local_steps = 10;  ///< local, easgd: gradients between two exchanges
  std::optional<double> rho;     ///< easgd: nothing for 0.9 / (W · learning rate), the paper's
  std::string topology = "ring"; ///< gossip: ring, torus, complete, or a file of edges

  PaceOptions pace;

  std::optional<double> target_loss; ///< stop when the monitored loss is not greater
  std::uint64_t loss_every = 0;      ///< versions between two looks at the loss; 0: at most a twentieth of the time
  bool progress = false;             ///< a progress line on standard error
  TrainingSpectator* spectator = nullptr; ///< watches live, on all ranks or none; must outlive the run
};

} // namespace ps
