// Synchronous training: one update for a gradient of every worker.
//
//   worker:  waits for update k; pulls; computes; deposits its gradient in its mailbox at every server
//   server:  waits for W deposits; w = rule(w, ((g_0 + g_1) + g_2 …) / W); announces update k + 1
//
// The gradients are folded in the order of workers, whoever came first, so a run gives the same bits every time, on any
// number of ranks and servers (an accumulate would add them as they come). No barrier is needed: update k + 1 cannot
// happen before all have deposited, and nobody pulls before it has. The price is that everybody waits for the slowest:
// with a worker that is four times slower, all are.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "ps/consistency/dense_strategy.hpp"
#include "ps/table/mailboxes.hpp"

namespace ps {

template <class T>
class Sync : public DenseStrategy<T> {
 public:
  explicit Sync(const TrainingSite<T>& site) : Sync(site, 1) {}
  void restore(std::uint64_t rounds, std::vector<core::checkpoint::Part> parts, const nlohmann::json& meta) override;

 protected:
  using typename DenseStrategy<T>::Runner;
  using typename DenseStrategy<T>::Status;

  Sync(const TrainingSite<T>& site, std::size_t steps_per_round);

  bool may_start(Runner& runner, const Status& status) override;
  bool deliver(Runner& runner) override;
  bool serve() override;
  void stop_soon() override;
  [[nodiscard]] std::optional<std::uint64_t> updates_at(std::int64_t version) const override;
  [[nodiscard]] bool may_be_torn(std::uint64_t updates) override;
  [[nodiscard]] std::uint64_t gradients_at(std::int64_t version) const override;
  [[nodiscard]] UpdateRule<T>* rule() noexcept override { return rule_.get(); }
  /// What the runner brings to the average: its gradient, or the sum of several.
  [[nodiscard]] virtual std::span<const T> contribution(const Runner& runner) const { return runner.gradient; }

 private:
  Mailboxes<T> mailboxes_;
  std::unique_ptr<UpdateRule<T>> rule_; // servers'
  std::vector<T> mean_;
  std::uint64_t updates_ = 0; // of this server
};

} // namespace ps
