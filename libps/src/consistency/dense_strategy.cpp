#include "ps/consistency/dense_strategy.hpp"

#include <algorithm>
#include <utility>

#include "core/collectives.hpp"
#include "core/quiet_barrier.hpp"
#include "ps/training/state_tables.hpp"

namespace ps {

template <class T>
DenseStrategy<T>::DenseStrategy(const TrainingSite<T>& site, std::size_t steps_per_round)
    : ServedStrategy<T>(site, steps_per_round), table_(site.comm, site.model.parameter_count(), site.roles.servers()) {
  const std::size_t parameters = site.model.parameter_count();
  std::vector<T> start(parameters);
  site.model.initialise(start, site.options.seed);
  if (this->is_server()) {
    const auto first = start.begin() + static_cast<std::ptrdiff_t>(table_.shards().begin(table_.shard_index()));
    std::copy_n(first, table_.shard().size(), table_.shard().begin());
    table_.sync();
  }
  for (Runner& runner : this->runners_) {
    runner.parameters = start;
    runner.gradient.resize(parameters);
  }
  core::quiet_barrier(site.comm);
}

template <class T>
std::unique_ptr<UpdateRule<T>> DenseStrategy<T>::make_shard_rule() const {
  return make_update_rule<T>(this->site_.options.update, table_.shard().size());
}

template <class T>
void DenseStrategy<T>::pull(Runner& runner, bool racy) {
  if (racy)
    table_.pull_racy(0, runner.parameters);
  else
    table_.pull(0, runner.parameters);
  ++this->site_.measured.messages;
  this->site_.measured.bytes_pulled += table_.size() * sizeof(T);
}

template <class T>
void DenseStrategy<T>::count_push() {
  ++this->site_.measured.messages;
  this->site_.measured.bytes_pushed += table_.size() * sizeof(T);
}

template <class T>
void DenseStrategy<T>::read_parameters(std::span<T> parameters) {
  table_.pull(0, parameters);
  core::quiet_barrier(this->site_.comm);
}

template <class T>
core::checkpoint::Part DenseStrategy<T>::save() {
  core::checkpoint::Part part;
  if (!this->is_server()) return part;
  table_.sync();
  part.push_back(parameter_table<T>(table_.shards().begin(table_.shard_index()), table_.shard(), rule()));
  return part;
}

template <class T>
nlohmann::json DenseStrategy<T>::describe() {
  nlohmann::json meta = ServedStrategy<T>::describe();
  const std::uint64_t steps = rule() != nullptr ? rule()->steps() : 0;
  meta["rule_steps"] = core::all_reduce_value(this->site_.comm, steps, core::Reduce::max);
  return meta;
}

template <class T>
void DenseStrategy<T>::restore(std::uint64_t rounds, std::vector<core::checkpoint::Part> parts,
                               const nlohmann::json& meta) {
  const std::vector<int>& servers = this->site_.roles.servers();
  take_parameters<T>(
      this->site_.comm, parts, [&](std::size_t index) { return servers[table_.shards().server_of(index)]; },
      table_.shard(), rule());
  table_.sync();
  if (rule() != nullptr) rule()->set_steps(meta.at("rule_steps").get<std::uint64_t>());
  ServedStrategy<T>::restore(rounds, std::move(parts), meta); // ends with a barrier
}

template class DenseStrategy<float>;
template class DenseStrategy<double>;

} // namespace ps
