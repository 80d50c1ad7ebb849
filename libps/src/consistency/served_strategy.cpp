#include "ps/consistency/served_strategy.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "core/collectives.hpp"
#include "core/patience.hpp"
#include "core/quiet_barrier.hpp"

namespace ps {
namespace {

/// The counter of the round to stop before holds the distance to this number, because it can only be raised.
constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

} // namespace

template <class T>
ServedStrategy<T>::ServedStrategy(const TrainingSite<T>& site, std::size_t steps_per_round)
    : Strategy<T>(site),
      steps_per_round_(steps_per_round),
      clocks_(site.comm, site.roles.workers(), site.roles.servers().front()),
      status_(site.comm, 2, site.roles.servers().front()) {
  for (Worker<T>& worker : site.workers) runners_.emplace_back().worker = &worker;
  if (site.monitor.watches()) watched_.resize(site.model.parameter_count());
}

template <class T>
void ServedStrategy<T>::train(std::uint64_t rounds, StopAsked stop_asked) {
  for (Runner& runner : runners_) {
    runner.phase = Phase::waiting;
    runner.waiting_since.lap();
  }
  core::Patience patience(longest_pause_);
  core::Request meeting;
  for (bool meeting_begun = false;;) {
    this->pulse();
    bool moved = serve();
    for (Runner& runner : runners_) moved = advance(runner, rounds) || moved;
    moved = watch_loss() || moved;
    const bool asked = this->should_stop(stop_asked);
    if (asked && !stop_requested_) {
      stop_requested_ = true;
      stop_soon();
    }
    if (!meeting_begun && all_parked()) {
      meeting = core::start_barrier(this->site_.comm);
      meeting_begun = true;
    }
    if (meeting_begun && meeting.test()) break;
    if (moved)
      patience.reset();
    else
      patience.pause();
  }
  while (serve()) {
  } // what was announced just before the meeting
  meet();
  stopped_ = read_status().stop_at <= rounds;
  if (!stopped_) return;
  core::quiet_barrier(this->site_.comm); // all have read it: the next call begins without
  if (is_first_server()) status_.write(kStop, 0);
  core::quiet_barrier(this->site_.comm);
}

template <class T>
typename ServedStrategy<T>::Status ServedStrategy<T>::read_status() {
  std::array<std::int64_t, 2> values{};
  status_.read_all(values);
  return {static_cast<std::uint64_t>(kNever - values[kStop]), values[kVersion]};
}

template <class T>
void ServedStrategy<T>::stop_before(std::uint64_t round) {
  status_.raise(kStop, kNever - static_cast<std::int64_t>(round));
}

template <class T>
bool ServedStrategy<T>::advance(Runner& runner, std::uint64_t rounds) {
  switch (runner.phase) {
    case Phase::waiting: return try_to_begin(runner, rounds);
    case Phase::computing: compute(runner); return true;
    case Phase::padding: {
      if (std::chrono::steady_clock::now() < runner.ready_at) return false;
      const bool last = ++runner.step == steps_in(runner.round);
      take(runner, last);
      runner.phase = last ? Phase::delivering : Phase::computing;
      runner.waiting_since.lap();
      if (last) (void)finish_round(runner, rounds);
      return true;
    }
    case Phase::delivering: return finish_round(runner, rounds);
    case Phase::parked: return false;
  }
  return false;
}

/// Delivers and goes straight on to the next round: a worker pulls right after its own push, not after those of the
/// others on this rank.
template <class T>
bool ServedStrategy<T>::finish_round(Runner& runner, std::uint64_t rounds) {
  if (!deliver(runner)) return false;
  stop_waiting(runner);
  ++runner.round;
  runner.phase = Phase::waiting;
  (void)try_to_begin(runner, rounds);
  return true;
}

template <class T>
bool ServedStrategy<T>::try_to_begin(Runner& runner, std::uint64_t rounds) {
  if (runner.round >= rounds) {
    runner.phase = Phase::parked;
    return true;
  }
  const Status status = read_status();
  if (runner.round >= status.stop_at) {
    runner.phase = Phase::parked;
    return true;
  }
  if (!may_start(runner, status)) return false;
  stop_waiting(runner);
  // Read before the pull: at least these updates are in what is pulled. And after may_start(): while the worker was not
  // yet allowed to begin, others may have been further behind than the bound on staleness reckons with.
  runner.version_read = read_status().version;
  begin(runner);
  runner.step = 0;
  runner.deposited = false;
  runner.phase = Phase::computing;
  return true;
}

template <class T>
void ServedStrategy<T>::compute(Runner& runner) {
  const auto start = std::chrono::steady_clock::now();
  const std::uint64_t step = runner.round * steps_per_round_ + runner.step;
  // A rank that is server and worker serves between two layers, or others would wait for a whole batch.
  GradientReady serving;
  if (is_server()) serving = [this](std::size_t, std::size_t) { (void)serve(); };
  compute_gradient(runner, step, serving);
  ++this->site_.measured.gradients;
  runner.ready_at = runner.worker->pace().ready_at(start);
  runner.phase = Phase::padding;
}

template <class T>
std::size_t ServedStrategy<T>::steps_in(std::uint64_t round) const noexcept {
  const std::uint64_t before = round * steps_per_round_;
  return static_cast<std::size_t>(std::min<std::uint64_t>(steps_per_round_, this->site_.options.gradients - before));
}

template <class T>
void ServedStrategy<T>::stop_waiting(Runner& runner) {
  this->site_.measured.wait_seconds[runner.worker->number()] += runner.waiting_since.lap();
}

template <class T>
void ServedStrategy<T>::compute_gradient(Runner& runner, std::uint64_t step, const GradientReady& serving) {
  (void)runner.worker->gradient(this->site_.model, runner.parameters, step, runner.gradient, serving);
}

template <class T>
void ServedStrategy<T>::meet() {
  core::quiet_barrier(this->site_.comm);
}

template <class T>
bool ServedStrategy<T>::watch_loss() {
  LossMonitor<T>& monitor = this->site_.monitor;
  if (!monitor.may_look()) return false;
  const auto version = read_status().version;
  const std::optional<std::uint64_t> updates = updates_at(version);
  if (!updates || !monitor.due(*updates)) return false;
  const core::Stopwatch reading;
  read_for_monitor(watched_);
  if (may_be_torn(*updates)) return true; // the next one, then
  monitor.look(*updates, gradients_at(version), watched_, reading.seconds());
  return true;
}

template <class T>
bool ServedStrategy<T>::all_parked() const noexcept {
  return std::ranges::all_of(runners_, [](const Runner& runner) { return runner.phase == Phase::parked; });
}

template <class T>
std::uint64_t ServedStrategy<T>::rounds_done() const noexcept {
  std::uint64_t most = 0;
  for (const Runner& runner : runners_) most = std::max(most, runner.round);
  return most;
}

template <class T>
nlohmann::json ServedStrategy<T>::describe() {
  return {{"version", read_status().version}};
}

template <class T>
void ServedStrategy<T>::restore(std::uint64_t rounds, std::vector<core::checkpoint::Part> /*parts*/,
                                const nlohmann::json& meta) {
  const core::Communicator& comm = this->site_.comm;
  for (Runner& runner : runners_) runner.round = rounds;
  core::quiet_barrier(comm);
  if (is_first_server()) {
    clocks_.set_all(static_cast<std::int64_t>(rounds));
    status_.write(kVersion, meta.at("version").get<std::int64_t>());
  }
  core::quiet_barrier(comm);
}

template class ServedStrategy<float>;
template class ServedStrategy<double>;

} // namespace ps
