#include "monitor/pregel_view.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "core/metrics.hpp"

namespace drivers {
namespace {

/// A few times a second is all that a person sees.
constexpr double kBetweenTimes = 0.25;
/// Over which the present speed is taken, or one superstep if that is longer.
constexpr double kRateSeconds = 1;

/// A mean ratio of compute times above which the slowest rank is worth a name.
constexpr double kNotableImbalance = 1.05;

nlohmann::json facts_of(const PregelOptions& o, int ranks) {
  const nlohmann::json stamp = core::build_stamp();
  return {{"program", "pregel"},
          {"version", stamp.at("version")},
          {"host", stamp.at("hostname")},
          {"mpi", stamp.at("mpi")},
          {"algorithm", o.algorithm},
          {"graph", o.graph.empty() ? o.generate : o.graph},
          {"vertices", nullptr},
          {"edges", nullptr},
          {"directed", nullptr},
          {"load_seconds", nullptr},
          {"ranks_at_start", ranks},
          {"threads", o.threads},
          {"partition", o.partition},
          {"max_supersteps", nullptr},
          {"run", {{"number", 1}, {"of", 1}}}};
}

nlohmann::json to_json(const pregel::RankTimes& times) {
  return {{"compute_seconds", times.compute_seconds},
          {"exchange_seconds", times.exchange_seconds},
          {"wait_seconds", times.wait_seconds}};
}

} // namespace

void SuperstepSpan::merge(const SuperstepSpan& later) {
  most_active = std::max(most_active, later.most_active);
  most_sent = std::max(most_sent, later.most_sent);
  seconds += later.seconds;
}

PregelView::PregelView(const PregelOptions& options, int ranks)
    : LiveView(options.monitor.endpoint(), facts_of(options, ranks)), ranks_(static_cast<std::size_t>(ranks)) {
  for (int rank = 0; rank < ranks; ++rank) ranks_[static_cast<std::size_t>(rank)].number = rank;
}

PregelView::~PregelView() {
  stop_serving();
}

void PregelView::graph_is_there(const pregel::LoadedGraph& loaded) {
  const std::lock_guard lock(mutex_);
  facts_["graph"] = loaded.description;
  facts_["vertices"] = loaded.graph.vertex_count;
  facts_["edges"] = loaded.graph.edge_count;
  facts_["directed"] = loaded.graph.directed;
  facts_["load_seconds"] = loaded.seconds;
}

void PregelView::begin_run(const AlgorithmChoice& choice, std::size_t number, std::size_t of) {
  enter_phase("running");
  const bool limited = choice.max_supersteps != std::numeric_limits<std::uint64_t>::max();
  const std::lock_guard lock(mutex_);
  facts_["algorithm"] = choice.algorithm;
  facts_["max_supersteps"] = limited ? nlohmann::json(choice.max_supersteps) : nlohmann::json(nullptr);
  facts_["run"] = {{"number", number}, {"of", of}};
}

void PregelView::checkpoint_written(std::uint64_t superstep, std::uint64_t bytes, double seconds) {
  add_event("checkpoint", superstep,
            fmt::format("{:.1f} MB written in {:.3f} s", static_cast<double>(bytes) / 1e6, seconds));
}

void PregelView::lost(const core::Loss& loss, std::uint64_t superstep, bool first) {
  {
    const std::lock_guard lock(mutex_);
    std::erase_if(ranks_, [&](const RankState& rank) {
      return std::ranges::find(loss.launcher_ranks, rank.number) != loss.launcher_ranks.end();
    });
    running_ = false;
    wished_ = false;
  }
  add_event("failure", superstep,
            fmt::format("{} {} lost at superstep {}", loss.launcher_ranks.size() == 1 ? "rank" : "ranks",
                        fmt::join(loss.launcher_ranks, ", "), superstep));
  enter_phase("recovering");
  if (first) take_over();
}

void PregelView::recovered(const pregel::Recovery& r) {
  add_event("recovery", r.restored_from.value_or(0),
            fmt::format("{} rank{} went on from {}; noticed after {:.3f} s, restored in {:.3f} s", r.ranks_after,
                        r.ranks_after == 1 ? "" : "s",
                        r.restored_from ? fmt::format("the checkpoint of superstep {}", *r.restored_from)
                                        : std::string("the start"),
                        r.detect_seconds, r.restore_seconds));
}

void PregelView::launched(std::optional<std::uint64_t> restored_from) {
  if (!restored_from && !was_restarted()) return;
  add_event(was_restarted() ? "recovery" : "resumption", restored_from.value_or(0),
            restored_from ? fmt::format("went on from the checkpoint of superstep {}", *restored_from)
                          : std::string("began again at the start: there was no checkpoint"));
}

void PregelView::begin(const pregel::RunReport& report) {
  const std::lock_guard lock(mutex_);
  history_.clear();
  supersteps_ = messages_ = 0;
  last_ = {};
  aggregates_ = report.aggregates;
  for (const pregel::SuperstepReport& row : report.per_superstep) count(row);
  messages_at_begin_ = messages_at_rate_ = messages_;
  recent_rate_ = 0;
  run_time_ = since_superstep_ = since_rate_ = core::Stopwatch();
  running_ = true;
}

bool PregelView::wants_times() {
  if (wished_ && since_wish_.seconds() < kBetweenTimes) return false;
  wished_ = true;
  since_wish_ = core::Stopwatch();
  return true;
}

void PregelView::times(std::span<const pregel::RankTimes> ranks) {
  const std::lock_guard lock(mutex_);
  for (std::size_t i = 0; i < std::min(ranks.size(), ranks_.size()); ++i) {
    ranks_[i].recent = ranks[i];
    ranks_[i].total.compute_seconds += ranks[i].compute_seconds;
    ranks_[i].total.exchange_seconds += ranks[i].exchange_seconds;
    ranks_[i].total.wait_seconds += ranks[i].wait_seconds;
  }
}

void PregelView::superstep(const pregel::SuperstepReport& row, const pregel::RunReport& report) {
  const std::lock_guard lock(mutex_);
  count(row);
  messages_here_ += row.sent;
  computed_here_ += row.active;
  ++supersteps_here_;
  aggregates_ = report.aggregates;
  since_superstep_ = core::Stopwatch();
  take_rate();
}

void PregelView::count(const pregel::SuperstepReport& row) {
  last_ = row;
  ++supersteps_;
  messages_ += row.sent;
  history_.add({row.active, row.sent, row.compute_seconds + row.exchange_seconds + row.wait_seconds});
}

void PregelView::take_rate() {
  const double seconds = since_rate_.seconds();
  if (seconds < kRateSeconds) return;
  recent_rate_ = static_cast<double>(messages_ - messages_at_rate_) / seconds;
  messages_at_rate_ = messages_;
  since_rate_ = core::Stopwatch();
}

/// Before the first whole second: what there is.
double PregelView::messages_per_second() const {
  if (recent_rate_ > 0) return recent_rate_;
  const double seconds = run_time_.seconds();
  return seconds > 0 ? static_cast<double>(messages_ - messages_at_begin_) / seconds : 0;
}

void PregelView::describe(nlohmann::json& status) const {
  status["ranks"] = ranks_.size();
  status["supersteps"] = supersteps_;
  status["superstep"] = supersteps_ == 0 ? nlohmann::json(nullptr) : nlohmann::json(last_.superstep);
  status["seconds_since_superstep"] = running_ ? nlohmann::json(since_superstep_.seconds()) : nlohmann::json(nullptr);
  status["active"] = last_.active;
  status["sent"] = last_.sent;
  status["mode"] = pregel::fold_mode_name(last_.mode);
  status["messages"] = messages_;
  status["messages_per_second"] = messages_per_second();
  status["aggregates"] = nlohmann::json::object();
  for (const auto& [name, value] : aggregates_) status["aggregates"][name] = value;
  nlohmann::json active = nlohmann::json::array(), sent = active, seconds = active;
  for (const SuperstepSpan& span : history_.entries()) {
    active.push_back(span.most_active);
    sent.push_back(span.most_sent);
    seconds.push_back(span.seconds);
  }
  status["history"] = {{"stride", history_.stride()}, {"active", active}, {"messages", sent}, {"seconds", seconds}};
  describe_ranks(status);
}

void PregelView::describe_ranks(nlohmann::json& status) const {
  nlohmann::json list = nlohmann::json::array();
  double most = 0, sum = 0;
  int slowest = 0;
  for (const RankState& rank : ranks_) {
    list.push_back({{"rank", rank.number},
                    {"recent", to_json(rank.recent)},
                    {"total", to_json(rank.total)},
                    {"resident_bytes", rank.recent.resident_bytes}});
    sum += rank.recent.compute_seconds;
    if (rank.recent.compute_seconds <= most) continue;
    most = rank.recent.compute_seconds;
    slowest = rank.number;
  }
  const double imbalance = sum > 0 ? most * static_cast<double>(ranks_.size()) / sum : 1;
  status["per_rank"] = std::move(list);
  status["imbalance"] = imbalance;
  status["straggler"] = imbalance > kNotableImbalance ? nlohmann::json(slowest) : nlohmann::json(nullptr);
}

void PregelView::measure(monitor::PrometheusText& text) const {
  text.gauge("ranks", "Living ranks.");
  text.sample(static_cast<double>(ranks_.size()));
  text.gauge("superstep", "Supersteps of the run at hand.");
  text.sample(static_cast<double>(supersteps_));
  text.gauge("active_vertices", "Vertices that computed in the last superstep.");
  text.sample(static_cast<double>(last_.active));
  text.counter("supersteps_total", "Supersteps of this launch, those that were done again too.");
  text.sample(static_cast<double>(supersteps_here_));
  text.counter("messages_total", "Messages sent by this launch.");
  text.sample(static_cast<double>(messages_here_));
  text.counter("vertex_computations_total", "Vertices computed by this launch.");
  text.sample(static_cast<double>(computed_here_));
  text.counter("rank_seconds_total", "Time of each rank in supersteps, by what it was spent on.");
  for (const RankState& rank : ranks_) {
    const std::string number = std::to_string(rank.number);
    text.sample(rank.total.compute_seconds, {{"rank", number}, {"part", "compute"}});
    text.sample(rank.total.exchange_seconds, {{"rank", number}, {"part", "exchange"}});
    text.sample(rank.total.wait_seconds, {{"rank", number}, {"part", "wait"}});
  }
  text.gauge("resident_memory_bytes", "Memory of each rank.");
  for (const RankState& rank : ranks_)
    text.sample(static_cast<double>(rank.recent.resident_bytes), {{"rank", std::to_string(rank.number)}});
  if (!aggregates_.empty()) text.gauge("aggregate", "Aggregates of the last superstep.");
  for (const auto& [name, value] : aggregates_) text.sample(value, {{"name", name}});
}

} // namespace drivers
