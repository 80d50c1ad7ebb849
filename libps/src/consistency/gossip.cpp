#include "ps/consistency/gossip.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <set>
#include <thread>

#include "collectives/all_reduce.hpp"
#include "core/collectives.hpp"
#include "core/patience.hpp"
#include "core/request.hpp"

namespace ps {
namespace {

/// Rounds between two questions to all ranks whether to stop. Asked more often, neighbours would wait for everybody.
constexpr std::uint64_t kRoundsBetweenQuestions = 8;

} // namespace

template <class T>
Gossip<T>::Gossip(const TrainingSite<T>& site)
    : LockstepStrategy<T>(site, kRoundsBetweenQuestions),
      comm_(site.comm.duplicate()),
      topology_(Topology::named(site.comm, site.options.topology, site.roles.workers())),
      copy_of_(site.roles.workers()) {
  const std::size_t parameters = site.model.parameter_count();
  std::vector<T> start(parameters);
  site.model.initialise(start, site.options.seed);
  for (Worker<T>& worker : site.workers) {
    replicas_.push_back({&worker, start, std::vector<T>(parameters), std::vector<T>(parameters),
                         make_update_rule<T>(site.options.update, parameters)});
  }
  for (const Replica& replica : replicas_) copy_of_[replica.worker->number()] = &replica.parameters;
  plan_links();
}

/// Both ends of a link find the same lists in the same order, so messages need no labels.
template <class T>
void Gossip<T>::plan_links() {
  std::map<int, std::set<std::size_t>> incoming;
  std::map<int, std::vector<const Replica*>> outgoing;
  const Roles& roles = this->site_.roles;
  for (const Replica& replica : replicas_) {
    std::set<int> ranks;
    for (const Topology::Neighbour& neighbour : topology_.neighbourhood(replica.worker->number())) {
      const int rank = roles.rank_of(neighbour.worker);
      if (rank == comm_.rank()) continue;
      ranks.insert(rank);
      incoming[rank].insert(neighbour.worker);
    }
    for (const int rank : ranks) outgoing[rank].push_back(&replica);
  }
  std::size_t copies = 0;
  for (const auto& [rank, workers] : incoming) {
    links_.push_back({rank, outgoing[rank], {workers.begin(), workers.end()}});
    copies += workers.size();
  }
  received_.assign(copies, std::vector<T>(this->site_.model.parameter_count()));
  auto next = received_.begin();
  for (const Link& link : links_)
    for (const std::size_t worker : link.incoming) copy_of_[worker] = &*next++;
}

template <class T>
void Gossip<T>::train_round() {
  compute_gradients();
  exchange();
  mix_and_update();
}

template <class T>
void Gossip<T>::compute_gradients() {
  const auto start = std::chrono::steady_clock::now();
  auto ready_at = start;
  for (Replica& replica : replicas_) {
    (void)replica.worker->gradient(this->site_.model, replica.parameters, this->round_, replica.gradient);
    ready_at = std::max(ready_at, replica.worker->pace().ready_at(start));
  }
  std::this_thread::sleep_until(ready_at);
  this->site_.measured.gradients += replicas_.size();
}

template <class T>
void Gossip<T>::exchange() {
  const core::Stopwatch waiting;
  std::vector<core::Request> requests;
  auto next = received_.begin();
  for (const Link& link : links_) {
    for (std::size_t i = 0; i < link.incoming.size(); ++i)
      requests.push_back(core::start_receive(comm_, std::span<T>(*next++), link.rank, 0));
    for (const Replica* const replica : link.outgoing)
      requests.push_back(core::start_send(comm_, std::span<const T>(replica->parameters), link.rank, 0));
  }
  core::Patience patience;
  for (core::Request& request : requests)
    while (!request.test()) patience.pause();

  Measurements& measured = this->site_.measured;
  for (const Replica& replica : replicas_) {
    const std::size_t number = replica.worker->number(), degree = topology_.degree(number);
    measured.wait_seconds[number] += waiting.seconds();
    measured.messages += degree;
    measured.bytes_pushed += degree * replica.parameters.size() * sizeof(T);
    measured.bytes_pulled += degree * replica.parameters.size() * sizeof(T);
    measured.version_staleness.add(0); // neighbours are in the same round
  }
}

template <class T>
void Gossip<T>::mix_and_update() {
  // All mix before anybody changes: workers of one rank read each other's copies where they are.
  for (Replica& replica : replicas_) {
    std::ranges::fill(replica.mixed, T{0});
    for (const Topology::Neighbour& neighbour : topology_.neighbourhood(replica.worker->number())) {
      const T weight = static_cast<T>(neighbour.weight);
      const std::vector<T>& copy = *copy_of_[neighbour.worker];
      for (std::size_t i = 0; i < copy.size(); ++i) replica.mixed[i] += weight * copy[i];
    }
  }
  for (Replica& replica : replicas_) {
    std::ranges::copy(replica.mixed, replica.parameters.begin()); // not swapped: copy_of_ points there
    replica.rule->apply(replica.parameters, replica.gradient);
  }
}

template <class T>
void Gossip<T>::read_parameters(std::span<T> parameters) {
  std::vector<std::size_t> numbers;
  std::vector<std::span<const T>> addends;
  for (const Replica& replica : replicas_) {
    numbers.push_back(replica.worker->number());
    addends.emplace_back(replica.parameters);
  }
  collectives::AllReducer reducer(comm_, mean_in_worker_order());
  const collectives::WorkerLayout layout(comm_, numbers);
  reducer.all_reduce_many(layout, std::span<const std::span<const T>>(addends), parameters);
}

template <class T>
std::vector<CopyOfWorker<T>> Gossip<T>::copies() {
  std::vector<CopyOfWorker<T>> all;
  for (Replica& replica : replicas_) all.push_back({replica.worker->number(), replica.parameters, replica.rule.get()});
  return all;
}

template <class T>
core::checkpoint::Part Gossip<T>::save() {
  core::checkpoint::Part part;
  if (!replicas_.empty()) part.push_back(worker_table<T>(copies()));
  return part;
}

template <class T>
nlohmann::json Gossip<T>::describe() {
  return {{"version", this->round_}, {"rule_steps", this->round_}};
}

template <class T>
void Gossip<T>::restore(std::uint64_t rounds, std::vector<core::checkpoint::Part> parts, const nlohmann::json& meta) {
  take_workers<T>(comm_, parts, this->site_.roles, copies());
  for (Replica& replica : replicas_) replica.rule->set_steps(meta.at("rule_steps").get<std::uint64_t>());
  this->round_ = rounds;
}

template class Gossip<float>;
template class Gossip<double>;

} // namespace ps
