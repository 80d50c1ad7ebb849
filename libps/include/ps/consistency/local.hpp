// Local SGD, known as FedAvg where workers are devices (McMahan, Moore, Ramage, Hampson, Agüera y Arcas,
// "Communication-efficient learning of deep networks from decentralized data", AISTATS 2017): each worker takes H plain
// steps of SGD on a copy, then the copies are averaged. Two messages for H gradients instead of 2 H.
//
// What is averaged is the sum of each worker's H gradients, not its parameters, and the server applies its update rule
// to that mean: the pseudo-gradient of Reddi et al. ("Adaptive federated optimization", ICLR 2021). For plain SGD,
//
//   w - e · mean_i(Σ_h g_ih)  =  mean_i(w - e · Σ_h g_ih),
//
// the average of the copies in exact arithmetic; in floating point this way gives for H = 1 the same bits as
// synchronous training, with any rule.
#pragma once

#include <vector>

#include "ps/consistency/sync.hpp"

namespace ps {

template <class T>
class Local final : public Sync<T> {
 public:
  explicit Local(const TrainingSite<T>& site) : Sync<T>(site, site.options.local_steps), sums_(site.workers.size()) {}

 private:
  using typename Sync<T>::Runner;

  void take(Runner& runner, bool last) override;
  [[nodiscard]] std::span<const T> contribution(const Runner& runner) const override;
  [[nodiscard]] std::size_t index_of(const Runner& runner) const noexcept;

  std::vector<std::vector<T>> sums_; // of the round's gradients, one for each runner
};

} // namespace ps
