// What all strategies with servers share: the loop in which a rank moves its workers on, serves as a server if it is
// one, and looks at the loss, each a little at a time.
//
// A worker is a small state machine, so that one rank can carry several, be worker and server at once, and sleep for a
// worker that is made slow on purpose while the others go on:
//
//   waiting ──may_start──> computing ──gradient──> padding ──time──> (computing again, or) delivering ──> waiting …
//
// When a rank's workers have done their rounds they are parked and the rank enters a barrier, but goes on serving until
// the barrier is complete: somebody may still need its shard.
//
// Strategies differ in the functions at the end of the class. Nothing else about them is decided here; nor where the
// parameters live: in a dense table (consistency/dense_strategy.hpp) or a sparse one (consistency/sparse_async.hpp).
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/clock.hpp"
#include "ps/consistency/strategy.hpp"
#include "ps/table/clock_table.hpp"
#include "ps/table/counters.hpp"

namespace ps {

template <class T>
class ServedStrategy : public Strategy<T> {
 public:
  void train(std::uint64_t rounds, StopAsked stop_asked) final;
  [[nodiscard]] std::uint64_t rounds_done() const noexcept final;
  [[nodiscard]] bool stopped() const noexcept final { return stopped_; }
  [[nodiscard]] nlohmann::json describe() override;
  void restore(std::uint64_t rounds, std::vector<core::checkpoint::Part> parts, const nlohmann::json& meta) override;

 protected:
  enum class Phase { waiting, computing, padding, delivering, parked };

  /// A worker under way.
  struct Runner {
    Worker<T>* worker = nullptr;
    Phase phase = Phase::waiting;
    std::uint64_t round = 0;             ///< that it is in, or waits to begin
    std::size_t step = 0;                ///< gradients it has in this round
    std::vector<T> parameters, gradient; ///< of a dense table; empty if the strategy keeps them elsewhere
    std::int64_t version_read = 0;       ///< of `parameters`
    Pace::Time ready_at{};
    core::Stopwatch waiting_since;
    bool deposited = false; ///< for deliver(), which may be called several times
  };

  /// The counters that everybody shares.
  struct Status {
    std::uint64_t stop_at = 0; ///< no worker begins this round or a later one
    std::int64_t version = 0;  ///< updates of the parameters, as the strategy counts them
  };

  /// `steps_per_round`: gradients. Collective.
  ServedStrategy(const TrainingSite<T>& site, std::size_t steps_per_round);

  [[nodiscard]] std::size_t worker_count() const noexcept { return this->site_.roles.workers(); }
  [[nodiscard]] bool is_first_server() const noexcept {
    return this->site_.comm.rank() == this->site_.roles.servers().front();
  }
  [[nodiscard]] bool is_server() const noexcept { return this->site_.roles.is_server(this->site_.comm.rank()); }
  /// One more update; returns the version before.
  std::int64_t count_version() { return status_.add(kVersion, 1); }
  void record_lead(std::uint64_t lead) { this->site_.measured.clock_lead.add(lead); }
  void record_staleness(std::int64_t versions) {
    this->site_.measured.version_staleness.add(static_cast<std::uint64_t>(versions));
  }
  /// No worker begins round `round` or a later one. Local.
  void stop_before(std::uint64_t round);

  // What makes a strategy. All functions but meet() are local.

  /// May the runner begin its round? If so the strategy records how far ahead of others it is.
  virtual bool may_start(Runner& runner, const Status& status) = 0;
  /// Its round begins: where do its parameters come from?
  virtual void begin(Runner& runner) = 0;
  /// Gradient `step` of its worker; `serving` is to be called now and then.
  virtual void compute_gradient(Runner& runner, std::uint64_t step, const GradientReady& serving);
  /// It has a gradient; `last` of the round.
  virtual void take(Runner& /*runner*/, bool /*last*/) {}
  /// Its round ends with an exchange. False: not yet, ask again.
  virtual bool deliver(Runner& runner) = 0;
  /// As a server: does what is to be done. True if there was something. Every rank calls it, to give MPI time.
  virtual bool serve() = 0;
  /// Lets all workers stop soon, at a place where none of them waits for another for ever.
  virtual void stop_soon() = 0;
  /// Updates of the whole vector in that version; nothing while some servers have made one that others have yet to
  /// make.
  [[nodiscard]] virtual std::optional<std::uint64_t> updates_at(std::int64_t version) const {
    return static_cast<std::uint64_t>(version);
  }
  /// Parameters of so many updates have been pulled: might a server have begun the next one meanwhile? Asked where an
  /// update is one of the whole vector.
  [[nodiscard]] virtual bool may_be_torn(std::uint64_t /*updates*/) { return false; }
  /// Gradients in the parameters of that version.
  [[nodiscard]] virtual std::uint64_t gradients_at(std::int64_t version) const = 0;
  /// The parameters as they are now, those that the monitor's sample does not touch may be left out.
  virtual void read_for_monitor(std::span<T> parameters) = 0;
  /// Returns when all ranks have come here; answers them meanwhile, if that takes this rank's processor. Collective.
  virtual void meet();

  [[nodiscard]] std::size_t steps_in(std::uint64_t round) const noexcept;

  std::size_t steps_per_round_;
  std::chrono::microseconds longest_pause_{1000}; ///< in which nothing is answered
  ClockTable clocks_;
  std::vector<Runner> runners_;

 private:
  static constexpr std::size_t kStop = 0, kVersion = 1; // counters

  [[nodiscard]] Status read_status();
  /// Moves a runner on, if that is possible. Local.
  bool advance(Runner& runner, std::uint64_t rounds);
  bool try_to_begin(Runner& runner, std::uint64_t rounds);
  bool finish_round(Runner& runner, std::uint64_t rounds);
  void compute(Runner& runner);
  /// Ends the runner's waiting.
  void stop_waiting(Runner& runner);
  bool watch_loss();
  [[nodiscard]] bool all_parked() const noexcept;

  Counters status_;
  std::vector<T> watched_; // the monitor's copy of the parameters
  bool stopped_ = false, stop_requested_ = false;
};

} // namespace ps
