// Asynchronous training (Dean et al., "Large scale distributed deep networks", NIPS 2012: Downpour SGD): every worker
// pulls, computes and pushes at its own speed.
//
//   worker:  w = pull();  g = gradient(w);  push(-e g)
//
// A slow worker slows nobody; but while a worker computes, others change the parameters, so its gradient is stale when
// it is applied, and with a learning rate that synchronous training stands the run may diverge.
//
// Plain SGD is pushed by MPI_Accumulate into the servers' memory: no server does anything for it. Rules with a state
// (momentum, Adam, …) need the server: the gradient goes into the worker's mailbox, and the server's loop applies what
// it finds. A worker's next round begins when its own gradient has been applied everywhere, so it always reads its own
// writes.
//
// Elements are read and added to atomically, vectors are not: a pull may see half of somebody's push. With `racy` pulls
// are plain gets, which race with the accumulates: Hogwild (Niu, Recht, Ré, Wright, NIPS 2011).
#pragma once

#include <memory>
#include <vector>

#include "ps/consistency/dense_strategy.hpp"
#include "ps/table/mailboxes.hpp"

namespace ps {

template <class T>
class Async : public DenseStrategy<T> {
 public:
  explicit Async(const TrainingSite<T>& site);
  void restore(std::uint64_t rounds, std::vector<core::checkpoint::Part> parts, const nlohmann::json& meta) override;

 protected:
  using typename DenseStrategy<T>::Runner;
  using typename DenseStrategy<T>::Status;

  bool may_start(Runner& runner, const Status& status) override;
  void begin(Runner& runner) override { this->pull(runner, this->site_.options.racy); }
  bool deliver(Runner& runner) final;
  bool serve() final;
  void stop_soon() final { this->stop_before(0); }
  [[nodiscard]] std::uint64_t gradients_at(std::int64_t version) const final {
    return static_cast<std::uint64_t>(version);
  }
  [[nodiscard]] UpdateRule<T>* rule() noexcept final { return rule_.get(); }

 private:
  void accumulate(Runner& runner);

  std::unique_ptr<Mailboxes<T>> mailboxes_; // null for plain SGD
  std::unique_ptr<UpdateRule<T>> rule_;     // servers', where there are mailboxes
  std::int64_t version_ = 0;                // gradients that this server has applied
  std::vector<T> scaled_;
};

} // namespace ps
