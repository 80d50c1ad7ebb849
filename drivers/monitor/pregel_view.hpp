// The live view of pregel: watches the supersteps, and is told of checkpoints, failures and recoveries by the job.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/clock.hpp"
#include "core/session.hpp"
#include "monitor/history.hpp"
#include "monitor/live_view.hpp"
#include "pregel/checkpoint/stored_graph.hpp"
#include "pregel/engine/spectator.hpp"
#include "pregel/recovery/recoveries.hpp"
#include "pregel_options.hpp"

namespace drivers {

/// Some consecutive supersteps.
struct SuperstepSpan {
  std::uint64_t most_active = 0, most_sent = 0; ///< of one superstep
  double seconds = 0;                           ///< of all, on the rank that serves

  void merge(const SuperstepSpan& later);
};

/// Functions are local.
class PregelView final : public monitor::LiveView, public pregel::Spectator {
 public:
  PregelView(const PregelOptions& options, int ranks);
  ~PregelView() override;

  void graph_is_there(const pregel::LoadedGraph& loaded);
  /// Run `number` of `of` of this algorithm begins.
  void begin_run(const AlgorithmChoice& choice, std::size_t number, std::size_t of);
  void checkpoint_written(std::uint64_t superstep, std::uint64_t bytes, double seconds);
  /// Ranks have died in place; `first`: this rank is now the first one.
  void lost(const core::Loss& loss, std::uint64_t superstep, bool first);
  /// Supersteps go on after that.
  void recovered(const pregel::Recovery& recovery);
  /// The first superstep of this launch begins, with --resume from a checkpoint if there was one.
  void launched(std::optional<std::uint64_t> restored_from);

  // Spectator.
  void begin(const pregel::RunReport& report) override;
  [[nodiscard]] bool wants_times() override;
  void times(std::span<const pregel::RankTimes> ranks) override;
  void superstep(const pregel::SuperstepReport& row, const pregel::RunReport& report) override;

 private:
  /// One rank, by the launcher's number.
  struct RankState {
    int number = 0;
    pregel::RankTimes recent, total;
  };

  void describe(nlohmann::json& status) const override;
  void measure(monitor::PrometheusText& text) const override;
  void describe_ranks(nlohmann::json& status) const;
  [[nodiscard]] double messages_per_second() const;
  void count(const pregel::SuperstepReport& row);
  /// A new value of messages per second, when enough time has passed.
  void take_rate();

  core::Stopwatch since_wish_;
  bool wished_ = false;

  // Under mutex_.
  std::uint64_t supersteps_ = 0, messages_ = 0; // of this run, and those before a checkpoint
  std::uint64_t messages_here_ = 0, computed_here_ = 0, supersteps_here_ = 0; // of this launch, which only grow
  pregel::SuperstepReport last_;
  std::vector<std::pair<std::string, double>> aggregates_;
  monitor::History<SuperstepSpan> history_;
  core::Stopwatch run_time_, since_superstep_, since_rate_;
  std::uint64_t messages_at_rate_ = 0, messages_at_begin_ = 0;
  double recent_rate_ = 0;
  bool running_ = false;
  std::vector<RankState> ranks_;
};

} // namespace drivers
