#include "ps/consistency/all_reduce.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

#include "core/clock.hpp"
#include "core/collectives.hpp"
#include "core/quiet_barrier.hpp"
#include "ps/training/state_tables.hpp"

namespace ps {
namespace {

/// A bucket is reduced when it has come to this size: large enough that its messages cost more than their overhead,
/// small enough that the first one leaves early.
constexpr std::size_t kBucketBytes = std::size_t{1} << 18;

std::vector<std::size_t> numbers_of(const auto& workers) {
  std::vector<std::size_t> numbers;
  for (const auto& worker : workers) numbers.push_back(worker.number());
  return numbers;
}

bool on_all(const core::Communicator& comm, bool here) {
  return core::all_reduce_value(comm, here ? 1 : 0, core::Reduce::min) != 0;
}

} // namespace

template <class T>
AllReduce<T>::AllReduce(const TrainingSite<T>& site)
    : LockstepStrategy<T>(site, 1),
      reducer_(site.comm, mean_in_worker_order()),
      layout_(site.comm, numbers_of(site.workers)),
      one_each_(on_all(site.comm, site.workers.size() == 1 &&
                                      site.workers.front().number() == static_cast<std::size_t>(site.comm.rank()))),
      pads_(!on_all(site.comm, std::ranges::none_of(site.workers, [](const auto& w) { return w.pace().pads(); }))),
      parameters_(site.model.parameter_count()),
      mean_(reducer_.template allocate<T>(parameters_.size())),
      rule_(make_update_rule<T>(site.options.update, parameters_.size())) {
  site.model.initialise(parameters_, site.options.seed);
  if (one_each_) return;
  gradients_.assign(site.workers.size(), std::vector<T>(parameters_.size()));
}

template <class T>
void AllReduce<T>::train_round() {
  const std::size_t sent = reducer_.bytes_sent(), steps = reducer_.steps();
  if (one_each_ && !pads_)
    average_overlapped();
  else
    average_in_one();
  rule_->apply(parameters_, mean_);

  Measurements& measured = this->site_.measured;
  measured.gradients += this->site_.workers.size();
  measured.clock_lead.add(0, this->site_.workers.size());
  measured.version_staleness.add(0, this->site_.workers.size());
  measured.messages += reducer_.steps() - steps;
  measured.bytes_pushed += reducer_.bytes_sent() - sent;
  measured.bytes_pulled += reducer_.bytes_sent() - sent; // what all send is what all receive
}

/// Buckets leave while the backward pass goes on; all ranks have the same model, so they start the same ones.
template <class T>
void AllReduce<T>::average_overlapped() {
  Worker<T>& worker = this->site_.workers.front();
  std::vector<collectives::AllReduceHandle> handles;
  std::size_t begin = mean_.size(), end = mean_.size(); // of the bucket being filled, from the back
  const auto send_off = [&] {
    if (begin < end) handles.push_back(reducer_.start_all_reduce(mean_.subspan(begin, end - begin)));
    end = begin;
  };
  const GradientReady ready = [&](std::size_t first, std::size_t /*count*/) {
    begin = first;
    if ((end - begin) * sizeof(T) >= kBucketBytes || begin == 0) send_off();
    if (!handles.empty()) (void)handles.back().test();
  };
  (void)worker.gradient(this->site_.model, parameters_, this->round_, mean_, ready);
  core::Stopwatch waiting;
  begin = 0; // a model need not report
  send_off();
  for (collectives::AllReduceHandle& handle : handles) handle.wait();
  this->site_.measured.wait_seconds[worker.number()] += waiting.seconds();
}

template <class T>
void AllReduce<T>::average_in_one() {
  auto ready_at = std::chrono::steady_clock::now();
  const auto start = ready_at;
  std::vector<std::span<const T>> addends;
  for (std::size_t i = 0; i < this->site_.workers.size(); ++i) {
    Worker<T>& worker = this->site_.workers[i];
    const std::span<T> gradient = one_each_ ? mean_ : std::span<T>(gradients_[i]);
    (void)worker.gradient(this->site_.model, parameters_, this->round_, gradient);
    ready_at = std::max(ready_at, worker.pace().ready_at(start));
    addends.push_back(gradient);
  }
  if (pads_) std::this_thread::sleep_until(ready_at);
  core::Stopwatch waiting;
  if (pads_) core::quiet_barrier(this->site_.comm); // whoever waits for a slow one leaves it the processor
  if (one_each_)
    reducer_.all_reduce(mean_);
  else
    reducer_.all_reduce_many(layout_, std::span<const std::span<const T>>(addends), mean_);
  for (const Worker<T>& worker : this->site_.workers)
    this->site_.measured.wait_seconds[worker.number()] += waiting.seconds();
}

template <class T>
void AllReduce<T>::read_parameters(std::span<T> parameters) {
  std::ranges::copy(parameters_, parameters.begin());
}

template <class T>
ShardMap AllReduce<T>::shares() const noexcept {
  return {parameters_.size(), static_cast<std::size_t>(this->site_.comm.size())};
}

template <class T>
core::checkpoint::Part AllReduce<T>::save() {
  // Everybody has everything: each rank saves its share, and the rule's states along with it.
  const auto rank = static_cast<std::size_t>(this->site_.comm.rank());
  const std::size_t first = shares().begin(rank), count = shares().length(rank);
  core::checkpoint::Part part;
  part.push_back(parameter_table<T>(first, std::span<const T>(parameters_).subspan(first, count), rule_.get(), first));
  return part;
}

template <class T>
nlohmann::json AllReduce<T>::describe() {
  return {{"version", this->round_}, {"rule_steps", rule_->steps()}};
}

template <class T>
void AllReduce<T>::restore(std::uint64_t rounds, std::vector<core::checkpoint::Part> parts,
                           const nlohmann::json& meta) {
  const core::Communicator& comm = this->site_.comm;
  const auto rank = static_cast<std::size_t>(comm.rank());
  const std::size_t count = shares().length(rank);
  // The share of this rank, in a rule of its size; then everybody gets all shares.
  std::vector<T> mine(count);
  const auto share = make_update_rule<T>(this->site_.options.update, count);
  take_parameters<T>(
      comm, parts, [&](std::size_t index) { return static_cast<int>(shares().server_of(index)); }, mine, share.get());
  const auto spread = [&](std::span<const T> from, std::span<T> into) {
    const std::vector<T> all = core::all_gather_varying(comm, from);
    std::ranges::copy(all, into.begin());
  };
  spread(mine, parameters_);
  const auto shared_states = share->state(), states = rule_->state();
  for (std::size_t s = 0; s < states.size(); ++s) spread(shared_states[s].values, states[s].values);
  rule_->set_steps(meta.at("rule_steps").get<std::uint64_t>());
  this->round_ = rounds;
}

template class AllReduce<float>;
template class AllReduce<double>;

} // namespace ps
