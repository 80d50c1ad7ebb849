#include "ps/consistency/lockstep_strategy.hpp"

#include "core/collectives.hpp"

namespace ps {

collectives::AllReduceOptions mean_in_worker_order() {
  collectives::AllReduceOptions options;
  options.operation = collectives::Operation::average;
  options.reproducible = true;
  return options;
}

template <class T>
void LockstepStrategy<T>::train(std::uint64_t rounds, StopAsked stop_asked) {
  for (stopped_ = false; round_ < rounds; ++round_) {
    this->pulse();
    look();
    if (round_ % rounds_between_questions_ == 0) {
      const int stop = this->should_stop(stop_asked) ? 1 : 0;
      stopped_ = core::all_reduce_value(this->site_.comm, stop, core::Reduce::max) != 0;
      if (stopped_) return;
    }
    train_round();
  }
  look();
}

template <class T>
void LockstepStrategy<T>::look() {
  LossMonitor<T>& monitor = this->site_.monitor;
  if (monitor.may_look() && monitor.due(round_)) monitor.look(round_, round_ * this->site_.roles.workers(), watched());
}

template class LockstepStrategy<float>;
template class LockstepStrategy<double>;

} // namespace ps
