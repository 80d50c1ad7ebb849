#include "ps/consistency/sparse_async.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "core/agreement.hpp"
#include "core/collectives.hpp"
#include "core/error.hpp"
#include "ps/training/state_tables.hpp"

namespace ps {
namespace {

/// Somebody waits for each answer, so a server must not sleep as long as one that nobody asks.
constexpr std::chrono::microseconds kLongestPause{100};

/// Returns the site when all of it fits. Collective.
template <class T>
const TrainingSite<T>& checked(const TrainingSite<T>& site) {
  core::agree(site.comm, [&] {
    require_sparse_table_fits(site.options, site.model.kind(), site.model.l2());
    for (const Worker<T>& worker : site.workers)
      if (!worker.share().is_sparse())
        throw core::InputError("--table sparse is for sparse rows: these have a number for each feature");
  });
  return site;
}

template <class T>
SparseTableOptions table_options(const TrainingSite<T>& site) {
  SparseTableOptions options;
  options.width = site.model.outputs();
  options.largest_key = site.model.parameter_count() / options.width - 1; // the bias
  options.update = site.options.update;
  return options;
}

} // namespace

void require_sparse_table_fits(const TrainingOptions& options, std::string_view model, double l2) {
  const std::string_view rule = options.update.rule;
  if (options.strategy != "async" && options.strategy != "ssp")
    throw core::InputError(
        fmt::format("--table sparse does not go with --strategy {}; it is for async, ssp", options.strategy));
  if (!is_linear_model(model))
    throw core::InputError(
        fmt::format("--table sparse does not go with {}; it is for ridge, logistic, softmax", model));
  if (rule != "sgd" && rule != "adagrad")
    throw core::InputError(fmt::format(
        "--table sparse does not go with --optimizer {}, which moves weights without a gradient too; it is for sgd, "
        "adagrad",
        rule));
  if (l2 != 0) throw core::InputError("--table sparse does not go with --l2, which changes every weight at every step");
  if (options.racy) throw core::InputError("--racy does not go with --table sparse, whose servers answer each request");
}

template <class T>
SparseAsync<T>::SparseAsync(const TrainingSite<T>& site)
    : ServedStrategy<T>(checked(site), 1),
      features_(site.model.parameter_count() / site.model.outputs() - 1),
      outputs_(site.model.outputs()),
      bound_(site.options.strategy == "ssp" ? site.options.staleness : TrainingOptions::kUnbounded),
      table_(site.comm, site.roles.servers(), table_options(site)) {
  this->longest_pause_ = kLongestPause;
  const bool watches = site.monitor.watches();
  if (watches || !site.workers.empty()) numbers_.resize(features_);
  for (std::size_t i = 0; i < site.workers.size(); ++i) compacts_.emplace_back(site.model, features_);
  if (!watches) return;
  watched_keys_ = keys_of(site.monitor.sample().keys, numbers_);
  watched_keys_.push_back(features_);
  watched_values_.resize(watched_keys_.size() * outputs_);
}

template <class T>
bool SparseAsync<T>::may_start(Runner& runner, const Status& /*status*/) {
  const std::uint64_t lead = runner.round - static_cast<std::uint64_t>(this->clocks_.minimum());
  if (lead > bound_) return false;
  this->record_lead(lead);
  return true;
}

template <class T>
void SparseAsync<T>::begin(Runner& runner) {
  CompactLinear<T>& compact = compact_of(runner);
  compact.take(runner.worker->batch(runner.round), numbers_);
  const Traffic before = table_.traffic();
  table_.pull(compact.keys(), compact.values());
  count(before);
}

/// Of the batch that begin() has taken: a round is one gradient.
template <class T>
void SparseAsync<T>::compute_gradient(Runner& runner, std::uint64_t /*step*/, const GradientReady& serving) {
  compact_of(runner).compute(
      [&](Model<T>& model, std::span<const T> parameters, const Batch<T>& batch, std::span<T> gradient) {
        (void)runner.worker->gradient(model, parameters, batch, gradient, serving);
      });
}

template <class T>
bool SparseAsync<T>::deliver(Runner& runner) {
  const CompactLinear<T>& compact = compact_of(runner);
  const Traffic before = table_.traffic();
  table_.push(compact.keys(), compact.gradient());
  count(before);
  this->record_staleness(this->count_version() - runner.version_read);
  (void)this->clocks_.advance(runner.worker->number());
  return true;
}

template <class T>
bool SparseAsync<T>::serve() {
  return table_.serve() > 0;
}

template <class T>
void SparseAsync<T>::count(const Traffic& before) {
  Measurements& measured = this->site_.measured;
  ++measured.messages;
  measured.bytes_pushed += table_.traffic().bytes_pushed - before.bytes_pushed;
  measured.bytes_pulled += table_.traffic().bytes_pulled - before.bytes_pulled;
}

/// The weights of the sample's features: no other has a part in its loss.
template <class T>
void SparseAsync<T>::read_for_monitor(std::span<T> parameters) {
  table_.pull(watched_keys_, watched_values_);
  for (std::size_t i = 0; i < watched_keys_.size(); ++i)
    std::copy_n(&watched_values_[i * outputs_], outputs_, &parameters[watched_keys_[i] * outputs_]);
}

/// Servers tell everybody what they have; all else is still zero.
template <class T>
void SparseAsync<T>::read_parameters(std::span<T> parameters) {
  const SparseContent<T> mine = table_.content();
  const auto keys = core::all_gather_varying<std::uint64_t>(this->site_.comm, mine.keys);
  const auto values = core::all_gather_varying<T>(this->site_.comm, mine.values);
  std::ranges::fill(parameters, T{0});
  for (std::size_t i = 0; i < keys.size(); ++i)
    std::copy_n(&values[i * outputs_], outputs_, &parameters[keys[i] * outputs_]);
}

template <class T>
core::checkpoint::Part SparseAsync<T>::save() {
  core::checkpoint::Part part;
  if (this->is_server()) part.push_back(key_table<T>(table_.content(), outputs_));
  return part;
}

template <class T>
void SparseAsync<T>::restore(std::uint64_t rounds, std::vector<core::checkpoint::Part> parts,
                             const nlohmann::json& meta) {
  const SparseContent<T> mine =
      take_keys<T>(this->site_.comm, parts, [&](std::uint64_t key) { return table_.owner_of(key); });
  core::agree(this->site_.comm, [&] {
    if (!mine.keys.empty()) table_.restore(mine);
  });
  ServedStrategy<T>::restore(rounds, std::move(parts), meta); // ends with a barrier
}

template class SparseAsync<float>;
template class SparseAsync<double>;

} // namespace ps
