#include "ps/consistency/easgd.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/collectives.hpp"
#include "core/error.hpp"
#include "core/progress.hpp"
#include "ps/training/state_tables.hpp"

namespace ps {
namespace {

/// The paper's beta = W a, which it sets to 0.9.
constexpr double kUsualBeta = 0.9;

double force_of(const TrainingOptions& options, std::size_t workers) {
  const double rate = options.update.learning_rate;
  const double force = options.rho ? rate * *options.rho : kUsualBeta / static_cast<double>(workers);
  if (!(force > 0 && force < 1))
    throw core::InputError(
        fmt::format("--rho {}: its product with the learning rate, {:g}, is not between 0 and 1", *options.rho, force));
  return force;
}

} // namespace

template <class T>
Easgd<T>::Easgd(const TrainingSite<T>& site)
    : DenseStrategy<T>(site, site.options.local_steps),
      force_(static_cast<T>(force_of(site.options, site.roles.workers()))),
      centre_(site.workers.empty() ? 0 : site.model.parameter_count()) {
  for (std::size_t i = 0; i < site.workers.size(); ++i)
    rules_.push_back(make_update_rule<T>(site.options.update, site.model.parameter_count()));
}

template <class T>
bool Easgd<T>::may_start(Runner& runner, const Status& /*status*/) {
  this->record_lead(runner.round - static_cast<std::uint64_t>(this->clocks_.minimum()));
  return true;
}

template <class T>
void Easgd<T>::take(Runner& runner, bool /*last*/) {
  rules_[static_cast<std::size_t>(&runner - this->runners_.data())]->apply(runner.parameters, runner.gradient);
}

template <class T>
bool Easgd<T>::deliver(Runner& runner) {
  this->table_.pull(0, centre_);
  for (std::size_t i = 0; i < centre_.size(); ++i) {
    centre_[i] = force_ * (runner.parameters[i] - centre_[i]);
    runner.parameters[i] -= centre_[i];
  }
  this->table_.push(0, centre_);
  ++this->site_.measured.messages; // the pull
  this->site_.measured.bytes_pulled += this->table_.size() * sizeof(T);
  this->count_push();
  this->record_staleness(this->count_version() - runner.version_read);
  (void)this->clocks_.advance(runner.worker->number());
  return true;
}

template <class T>
bool Easgd<T>::serve() {
  core::progress();
  return false;
}

/// Of so many exchanges the last ones are those of the last round, which may be shorter: a few gradients too many while
/// workers are in it at different times, exact before and after.
template <class T>
std::uint64_t Easgd<T>::gradients_at(std::int64_t version) const {
  const std::uint64_t last_round = (this->site_.options.gradients - 1) / this->steps_per_round_;
  const std::uint64_t exchanges = static_cast<std::uint64_t>(version);
  const std::uint64_t full = std::min(exchanges, last_round * this->worker_count());
  return full * this->steps_per_round_ + (exchanges - full) * this->steps_in(last_round);
}

template <class T>
core::checkpoint::Part Easgd<T>::save() {
  core::checkpoint::Part part = DenseStrategy<T>::save();
  std::vector<CopyOfWorker<T>> copies;
  for (std::size_t i = 0; i < this->runners_.size(); ++i)
    copies.push_back({this->runners_[i].worker->number(), this->runners_[i].parameters, rules_[i].get()});
  if (!copies.empty()) part.push_back(worker_table<T>(copies));
  return part;
}

template <class T>
nlohmann::json Easgd<T>::describe() {
  nlohmann::json meta = DenseStrategy<T>::describe();
  const std::uint64_t steps = rules_.empty() ? 0 : rules_.front()->steps();
  meta["rule_steps"] = core::all_reduce_value(this->site_.comm, steps, core::Reduce::max);
  return meta;
}

template <class T>
void Easgd<T>::restore(std::uint64_t rounds, std::vector<core::checkpoint::Part> parts, const nlohmann::json& meta) {
  std::vector<CopyOfWorker<T>> copies;
  for (std::size_t i = 0; i < this->runners_.size(); ++i) {
    copies.push_back({this->runners_[i].worker->number(), this->runners_[i].parameters, rules_[i].get()});
    rules_[i]->set_steps(meta.at("rule_steps").get<std::uint64_t>());
  }
  take_workers<T>(this->site_.comm, parts, this->site_.roles, copies);
  DenseStrategy<T>::restore(rounds, std::move(parts), meta);
}

template class Easgd<float>;
template class Easgd<double>;

} // namespace ps
