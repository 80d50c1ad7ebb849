// Data-parallel training without servers: every rank keeps all parameters, gradients are averaged by all-reduce
// (libcollectives), and every rank applies the same rule to the same mean.
//
// The all-reduce folds in the order of workers and divides once, exactly as the servers of synchronous training do, so
// both give the same bits for the same W, also when ranks carry several workers.
//
// Where each rank carries one worker, communication hides behind computation: the backward pass reports layers as their
// gradients become final, last layer first, and a bucket of them is reduced in the background while earlier layers are
// still being computed (Li et al., "PyTorch Distributed", VLDB 2020).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "collectives/all_reduce.hpp"
#include "ps/consistency/lockstep_strategy.hpp"
#include "ps/update/update_rule.hpp"

namespace ps {

template <class T>
class AllReduce final : public LockstepStrategy<T> {
 public:
  explicit AllReduce(const TrainingSite<T>& site);

  void read_parameters(std::span<T> parameters) override;
  [[nodiscard]] core::checkpoint::Part save() override;
  [[nodiscard]] nlohmann::json describe() override;
  void restore(std::uint64_t rounds, std::vector<core::checkpoint::Part> parts, const nlohmann::json& meta) override;

 private:
  void train_round() override;
  [[nodiscard]] std::span<const T> watched() const override { return parameters_; }
  /// The mean of all workers' gradients into mean_. Collective.
  void average_overlapped();
  void average_in_one();
  /// Parameters that this rank saves.
  [[nodiscard]] ShardMap shares() const noexcept;

  collectives::AllReducer reducer_;
  collectives::WorkerLayout layout_;
  bool one_each_; // every rank carries the worker of its number
  bool pads_;     // some worker is slow on purpose
  std::vector<T> parameters_;
  std::span<T> mean_;
  std::vector<std::vector<T>> gradients_; // of this rank's workers, unless one_each_
  std::unique_ptr<UpdateRule<T>> rule_;
};

} // namespace ps
