// A small ridge problem, trained by any strategy on any part of the world: what the tests of training share.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

#include "core/collectives.hpp"
#include "core/communicator.hpp"
#include "core/error.hpp"
#include "ps/training/trainer.hpp"

namespace ps::testing_support {

inline const core::Communicator& world() {
  static const core::Communicator comm = core::Communicator::world().duplicate();
  return comm;
}

constexpr std::size_t kRows = 240, kFeatures = 6, kWorkers = 4;

inline TrainingOptions small_run(const std::string& strategy) {
  TrainingOptions options;
  options.strategy = strategy;
  options.batch = 8;
  options.gradients = 24;
  options.local_steps = 4;
  options.update.learning_rate = 0.05;
  return options;
}

inline bool needs_servers(const std::string& strategy) {
  return find_strategy(strategy).needs_servers;
}

/// "0", "all", "1", "2" ...: those that this strategy and this number of ranks allow.
inline std::vector<std::string> server_choices(const std::string& strategy) {
  if (!needs_servers(strategy)) return {"0"};
  std::vector<std::string> choices{"all"};
  for (int servers = 1; servers < world().size() && servers <= 2; ++servers) choices.push_back(std::to_string(servers));
  return choices;
}

struct Trained {
  TrainingReport report;
  std::vector<double> parameters;
  double loss = 0; ///< mean over the training rows
};

/// A model in another one's place.
using ModelWrapper = std::function<std::unique_ptr<Model<double>>(std::unique_ptr<Model<double>>)>;

/// The same problem on every number of ranks. Collective.
inline Trained train(const TrainingOptions& options, const std::string& servers,
                     TrainingCheckpoints* checkpoints = nullptr, std::size_t workers = kWorkers,
                     const ModelWrapper& wrapper = {}) {
  const Roles roles = Roles::parse(servers, world().size(), workers);
  DataOptions source;
  source.source =
      "synthetic:ridge,rows=" + std::to_string(kRows) + ",features=" + std::to_string(kFeatures) + ",noise=0.1,seed=5";
  const Dataset<double> data = load_dataset<double>(world(), source, roles.workers_of(world().rank()), roles.workers());
  const std::vector<std::size_t> whole(world().rank() == roles.monitor_rank() ? 1 : 0);
  const Dataset<double> sample = load_dataset<double>(world(), source, whole, 1);
  const Examples<double> nothing;
  auto model = make_model<double>({"ridge", data.shape, 0, {}});
  if (wrapper) model = wrapper(std::move(model));
  Trainer<double> trainer(world(), roles, options, *model, data,
                          sample.shares.empty() ? nothing : sample.shares.front());
  Trained trained;
  trained.report = trainer.run(checkpoints);
  trained.parameters.assign(trainer.parameters().begin(), trainer.parameters().end());
  const Evaluation found = evaluate_shares<double>(world(), roles, *model, trained.parameters, data.shares);
  trained.loss = found.loss_sum / static_cast<double>(found.rows);
  return trained;
}

/// A directory that all ranks know and that is empty at first.
class Directory {
 public:
  Directory() {
    const int process = core::broadcast_value(world(), static_cast<int>(getpid()), 0);
    path_ = (std::filesystem::temp_directory_path() / ("superstep-training-" + std::to_string(process))).string();
    clear();
  }
  ~Directory() { clear(); }
  [[nodiscard]] const std::string& path() const noexcept { return path_; }

 private:
  void clear() {
    core::barrier(world());
    if (world().rank() == 0) std::filesystem::remove_all(path_);
    core::barrier(world());
  }
  std::string path_;
};

/// The message of the error that `f` throws.
template <class F>
std::string error_of(F&& f) {
  try {
    f();
  } catch (const core::Error& error) {
    return error.what();
  }
  return "no error";
}

} // namespace ps::testing_support
