// What the strategies without servers share: all workers are in the same round, and a run stops after the same round on
// all ranks.
#pragma once

#include <cstdint>
#include <span>

#include "collectives/all_reduce.hpp"
#include "ps/consistency/strategy.hpp"

namespace ps {

/// For means over workers: folded in their order and divided once, so that the bits do not depend on who carries whom.
[[nodiscard]] collectives::AllReduceOptions mean_in_worker_order();

template <class T>
class LockstepStrategy : public Strategy<T> {
 public:
  void train(std::uint64_t rounds, StopAsked stop_asked) final;
  [[nodiscard]] std::uint64_t rounds_done() const noexcept final { return round_; }
  [[nodiscard]] bool stopped() const noexcept final { return stopped_; }

 protected:
  /// All ranks are asked whether to stop once in so many rounds.
  LockstepStrategy(const TrainingSite<T>& site, std::uint64_t rounds_between_questions)
      : Strategy<T>(site), rounds_between_questions_(rounds_between_questions) {}

  /// One round of this rank's workers. Collective.
  virtual void train_round() = 0;
  /// The parameters of which the loss is watched; asked on the monitor's rank only. Local.
  [[nodiscard]] virtual std::span<const T> watched() const = 0;

  std::uint64_t round_ = 0; // that all have done

 private:
  void look();

  std::uint64_t rounds_between_questions_;
  bool stopped_ = false;
};

} // namespace ps
