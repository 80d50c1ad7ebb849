#include "ps/consistency/sync.hpp"

#include <algorithm>

#include "core/progress.hpp"

namespace ps {

template <class T>
Sync<T>::Sync(const TrainingSite<T>& site, std::size_t steps_per_round)
    : DenseStrategy<T>(site, steps_per_round),
      mailboxes_(site.comm, site.model.parameter_count(), site.roles.servers(), site.roles.workers()) {
  if (!this->is_server()) return;
  rule_ = this->make_shard_rule();
  mean_.resize(this->table_.shard().size());
}

/// The version counts the updates of each server: S for one round.
template <class T>
bool Sync<T>::may_start(Runner& runner, const Status& status) {
  const std::uint64_t servers = this->site_.roles.servers().size();
  if (static_cast<std::uint64_t>(status.version) < runner.round * servers) return false;
  this->record_lead(runner.round - static_cast<std::uint64_t>(this->clocks_.minimum()));
  return true;
}

template <class T>
bool Sync<T>::deliver(Runner& runner) {
  // The clock first: when the update that needs this deposit is there, all clocks have advanced.
  (void)this->clocks_.advance(runner.worker->number());
  mailboxes_.deposit(runner.worker->number(), contribution(runner), static_cast<std::int64_t>(runner.round));
  this->count_push();
  return true;
}

template <class T>
bool Sync<T>::serve() {
  if (!this->is_server()) {
    core::progress();
    return false;
  }
  const auto letters = mailboxes_.full();
  if (letters.size() < this->worker_count()) return false;
  std::ranges::copy(letters.front().gradient, mean_.begin());
  for (std::size_t worker = 1; worker < letters.size(); ++worker) {
    const std::span<const T> gradient = letters[worker].gradient;
    for (std::size_t i = 0; i < mean_.size(); ++i) mean_[i] += gradient[i];
  }
  const T workers = static_cast<T>(letters.size());
  for (T& x : mean_) x /= workers;
  rule_->apply(this->table_.shard(), mean_);
  this->table_.sync();
  for (const auto& letter : letters) {
    if (this->is_first_server()) this->record_staleness(static_cast<std::int64_t>(updates_) - letter.version_read);
    mailboxes_.release(letter.worker);
  }
  ++updates_;
  (void)this->count_version();
  return true;
}

/// A server that has made k updates knows that nobody can begin round k + 1 before it makes another one, and so does a
/// worker that has not yet deposited for round k: all workers stop there.
template <class T>
void Sync<T>::stop_soon() {
  std::uint64_t next = TrainingOptions::kUnbounded;
  if (this->is_server()) next = updates_;
  for (const Runner& runner : this->runners_) next = std::min(next, runner.round);
  if (next != TrainingOptions::kUnbounded) this->stop_before(next + 1);
}

/// Servers are never more than one update apart: the next one needs a gradient of workers who have seen all of them.
template <class T>
std::optional<std::uint64_t> Sync<T>::updates_at(std::int64_t version) const {
  const std::uint64_t servers = this->site_.roles.servers().size();
  if (static_cast<std::uint64_t>(version) % servers != 0) return std::nullopt;
  return static_cast<std::uint64_t>(version) / servers;
}

/// An update begins when all have deposited, and their clocks, also the smallest of them, advance before that. The only
/// server, which cannot update while it reads, need not ask.
template <class T>
bool Sync<T>::may_be_torn(std::uint64_t updates) {
  if (this->is_server() && this->site_.roles.servers().size() == 1) return false;
  return static_cast<std::uint64_t>(this->clocks_.minimum()) > updates;
}

template <class T>
std::uint64_t Sync<T>::gradients_at(std::int64_t version) const {
  const std::uint64_t rounds = static_cast<std::uint64_t>(version) / this->site_.roles.servers().size();
  if (rounds == 0) return 0;
  return ((rounds - 1) * this->steps_per_round_ + this->steps_in(rounds - 1)) * this->worker_count();
}

template <class T>
void Sync<T>::restore(std::uint64_t rounds, std::vector<core::checkpoint::Part> parts, const nlohmann::json& meta) {
  nlohmann::json adapted = meta; // there may have been another number of servers
  adapted["version"] = rounds * this->site_.roles.servers().size();
  updates_ = rounds;
  DenseStrategy<T>::restore(rounds, std::move(parts), adapted);
}

template class Sync<float>;
template class Sync<double>;

} // namespace ps
