// Elastic averaging SGD, the asynchronous form (Zhang, Choromanska, LeCun, "Deep learning with elastic averaging SGD",
// NIPS 2015, algorithm 1): every worker trains a copy x_i of its own, which an elastic force ties to a centre c at the
// servers. After H local steps with the update rule,
//
//   d = a (x_i - c);   x_i -= d;   c += d          with a = e rho
//
// so copies may wander off to find better places, and the centre follows their mean. Both halves are one pull and one
// push of d by MPI_Accumulate; no server does anything for it. The centre is what has been learnt.
//
// A version is a move of the centre. No gradient is computed on the centre, so what is recorded as version staleness is
// that of an exchange: how often others have moved the centre since the worker's last exchange, H gradients ago.
#pragma once

#include <memory>
#include <vector>

#include "ps/consistency/dense_strategy.hpp"

namespace ps {

template <class T>
class Easgd final : public DenseStrategy<T> {
 public:
  /// Throws InputError when a is not in (0, 1).
  explicit Easgd(const TrainingSite<T>& site);
  [[nodiscard]] core::checkpoint::Part save() override;
  [[nodiscard]] nlohmann::json describe() override;
  void restore(std::uint64_t rounds, std::vector<core::checkpoint::Part> parts, const nlohmann::json& meta) override;

 private:
  using typename DenseStrategy<T>::Runner;
  using typename DenseStrategy<T>::Status;

  bool may_start(Runner& runner, const Status& status) override;
  void begin(Runner& /*runner*/) override {} // it has its copy
  void take(Runner& runner, bool last) override;
  bool deliver(Runner& runner) override;
  bool serve() override;
  void stop_soon() override { this->stop_before(0); }
  [[nodiscard]] std::uint64_t gradients_at(std::int64_t version) const override;
  [[nodiscard]] UpdateRule<T>* rule() noexcept override { return nullptr; }

  T force_;
  std::vector<std::unique_ptr<UpdateRule<T>>> rules_; // one for each runner
  std::vector<T> centre_;
};

} // namespace ps
