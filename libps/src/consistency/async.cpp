#include "ps/consistency/async.hpp"

#include "core/progress.hpp"

namespace ps {

template <class T>
Async<T>::Async(const TrainingSite<T>& site) : DenseStrategy<T>(site, 1) {
  if (site.options.update.rule == "sgd") {
    scaled_.resize(site.workers.empty() ? 0 : site.model.parameter_count());
    return;
  }
  mailboxes_ = std::make_unique<Mailboxes<T>>(site.comm, site.model.parameter_count(), site.roles.servers(),
                                              site.roles.workers());
  if (this->is_server()) rule_ = this->make_shard_rule();
}

template <class T>
bool Async<T>::may_start(Runner& runner, const Status& /*status*/) {
  this->record_lead(runner.round - static_cast<std::uint64_t>(this->clocks_.minimum()));
  return true;
}

template <class T>
bool Async<T>::deliver(Runner& runner) {
  const std::size_t worker = runner.worker->number();
  if (mailboxes_ == nullptr) {
    accumulate(runner);
  } else {
    if (!runner.deposited) {
      mailboxes_->deposit(worker, runner.gradient, runner.version_read);
      this->count_push();
      runner.deposited = true;
    }
    if (!mailboxes_->is_free(worker)) return false; // not yet applied everywhere
  }
  (void)this->clocks_.advance(worker);
  return true;
}

template <class T>
void Async<T>::accumulate(Runner& runner) {
  const T rate = static_cast<T>(this->site_.options.update.learning_rate);
  for (std::size_t i = 0; i < scaled_.size(); ++i) scaled_[i] = -(rate * runner.gradient[i]);
  this->table_.push(0, scaled_);
  this->count_push();
  this->record_staleness(this->count_version() - runner.version_read);
}

template <class T>
bool Async<T>::serve() {
  if (mailboxes_ == nullptr || !this->is_server()) {
    core::progress();
    return false;
  }
  const auto letters = mailboxes_->full();
  for (const auto& letter : letters) {
    rule_->apply(this->table_.shard(), letter.gradient);
    this->table_.sync();
    // The first server counts for all, and before the worker can know that its gradient has been applied.
    if (this->is_first_server()) {
      this->record_staleness(version_ - letter.version_read);
      (void)this->count_version();
    }
    ++version_;
    mailboxes_->release(letter.worker);
  }
  return !letters.empty();
}

template <class T>
void Async<T>::restore(std::uint64_t rounds, std::vector<core::checkpoint::Part> parts, const nlohmann::json& meta) {
  version_ = meta.at("version").get<std::int64_t>();
  DenseStrategy<T>::restore(rounds, std::move(parts), meta);
}

template class Async<float>;
template class Async<double>;

} // namespace ps
