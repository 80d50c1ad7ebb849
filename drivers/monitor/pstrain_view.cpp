#include "monitor/pstrain_view.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "core/metrics.hpp"

namespace drivers {
namespace {

/// Over which the present speed is taken.
constexpr double kRateSeconds = 1;

nlohmann::json facts_of(const PstrainOptions& o, const ps::Roles& roles, int ranks) {
  const nlohmann::json stamp = core::build_stamp();
  return {{"program", "pstrain"},
          {"version", stamp.at("version")},
          {"host", stamp.at("hostname")},
          {"mpi", stamp.at("mpi")},
          {"model", o.model},
          {"strategy", o.training.strategy},
          {"optimizer", o.training.update.rule},
          {"learning_rate", o.training.update.learning_rate},
          {"batch", o.training.batch},
          {"data", o.data},
          {"parameters", nullptr},
          {"workers", roles.workers()},
          {"servers", roles.servers().size()},
          {"ranks", ranks}};
}

} // namespace

PstrainView::PstrainView(const PstrainOptions& options, const ps::Roles& roles, int ranks)
    : LiveView(options.monitor.endpoint(), facts_of(options, roles, ranks)),
      batch_(options.training.batch),
      ranks_(static_cast<std::size_t>(ranks)) {
  for (int rank = 0; rank < ranks; ++rank) workers_of_.push_back(roles.workers_of(rank).size());
}

PstrainView::~PstrainView() {
  stop_serving();
}

void PstrainView::data_are_there(const std::string& description, std::size_t parameters, std::uint64_t gradients) {
  const std::lock_guard lock(mutex_);
  facts_["data"] = description;
  facts_["parameters"] = parameters;
  gradients_ = gradients;
}

void PstrainView::begin(const std::vector<ps::LossPoint>& curve, std::optional<std::uint64_t> resumed_from) {
  enter_phase("training");
  if (was_restarted() || resumed_from)
    add_event(was_restarted() ? "recovery" : "resumption", resumed_from.value_or(0),
              resumed_from ? fmt::format("went on from the checkpoint of step {}", *resumed_from)
                           : std::string("began again at the start: there was no checkpoint"));
  const std::lock_guard lock(mutex_);
  take_curve(curve);
  training_ = since_rate_ = core::Stopwatch();
}

/// Under mutex_.
void PstrainView::take_curve(const std::vector<ps::LossPoint>& curve) {
  curve_.clear();
  for (const ps::LossPoint& point : curve) curve_.add({point});
  if (!curve.empty()) loss_ = curve.back();
  losses_seen_ = curve.size();
}

void PstrainView::progress(std::span<const ps::RankProgress> ranks) {
  const std::lock_guard lock(mutex_);
  ranks_.assign(ranks.begin(), ranks.end());
  for (const ps::RankProgress& rank : ranks_) {
    if (rank.losses <= losses_seen_) continue;
    losses_seen_ = rank.losses;
    loss_ = rank.loss;
    curve_.add({rank.loss});
  }
  const Sums all = sums();
  staleness_.add({{loss_ ? std::max(loss_->seconds, training_.seconds()) : training_.seconds(), all.staleness_mean}});
  take_rate(all.gradients);
}

/// Under mutex_.
void PstrainView::take_rate(std::uint64_t gradients) {
  if (!std::exchange(counting_, true)) {
    gradients_at_begin_ = gradients_at_rate_ = gradients;
    since_rate_ = core::Stopwatch();
  }
  const double seconds = since_rate_.seconds();
  if (seconds < kRateSeconds) return;
  // A rank that was not heard of for a while counts from nothing.
  rate_ = static_cast<double>(gradients - std::min(gradients, gradients_at_rate_)) / seconds;
  gradients_at_rate_ = gradients;
  since_rate_ = core::Stopwatch();
}

void PstrainView::checkpoint(std::uint64_t step, std::uint64_t bytes, double seconds) {
  add_event("checkpoint", step,
            fmt::format("{:.1f} MB written in {:.3f} s", static_cast<double>(bytes) / 1e6, seconds));
}

void PstrainView::trained(const std::vector<ps::LossPoint>& curve) {
  enter_phase("evaluating");
  const std::lock_guard lock(mutex_);
  take_curve(curve);
}

PstrainView::Sums PstrainView::sums() const {
  Sums all;
  double leads = 0, staleness = 0;
  for (const ps::RankProgress& rank : ranks_) {
    all.gradients += rank.gradients;
    all.messages += rank.messages;
    all.bytes_pushed += rank.bytes_pushed;
    all.bytes_pulled += rank.bytes_pulled;
    all.lead_max = std::max(all.lead_max, rank.lead_max);
    all.staleness_max = std::max(all.staleness_max, rank.staleness_max);
    leads += static_cast<double>(rank.leads);
    staleness += static_cast<double>(rank.staleness_seen);
    all.lead_mean += rank.lead_mean * static_cast<double>(rank.leads);
    all.staleness_mean += rank.staleness_mean * static_cast<double>(rank.staleness_seen);
  }
  all.lead_mean = leads > 0 ? all.lead_mean / leads : 0;
  all.staleness_mean = staleness > 0 ? all.staleness_mean / staleness : 0;
  return all;
}

void PstrainView::describe(nlohmann::json& status) const {
  const Sums all = sums();
  std::uint64_t planned = 0;
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) planned += planned_of(rank);
  status["gradients"] = all.gradients;
  status["gradients_planned"] = planned;
  status["loss"] = loss_ ? nlohmann::json(loss_->loss) : nlohmann::json(nullptr);
  status["samples_per_second"] = rate_ * static_cast<double>(batch_);
  status["messages"] = all.messages;
  status["bytes_pushed"] = all.bytes_pushed;
  status["bytes_pulled"] = all.bytes_pulled;
  status["clock_lead"] = {{"mean", all.lead_mean}, {"max", all.lead_max}};
  status["version_staleness"] = {{"mean", all.staleness_mean}, {"max", all.staleness_max}};
  status["curve"] = nlohmann::json::array();
  for (const auto& point : curve_.entries())
    status["curve"].push_back({{"seconds", point.seconds}, {"gradients", point.gradients}, {"loss", point.loss}});
  status["staleness_curve"] = nlohmann::json::array();
  for (const auto& point : staleness_.entries())
    status["staleness_curve"].push_back({{"seconds", point.seconds}, {"mean", point.mean}});
  describe_ranks(status);
}

void PstrainView::describe_ranks(nlohmann::json& status) const {
  nlohmann::json list = nlohmann::json::array();
  const double seconds = training_.seconds();
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
    const double worked = seconds * static_cast<double>(workers_of_[rank]);
    list.push_back({{"rank", rank},
                    {"workers", workers_of_[rank]},
                    {"gradients", ranks_[rank].gradients},
                    {"gradients_planned", planned_of(rank)},
                    {"wait_share", worked > 0 ? std::clamp(ranks_[rank].wait_seconds / worked, 0.0, 1.0) : 0.0},
                    {"resident_bytes", ranks_[rank].resident_bytes}});
  }
  status["per_rank"] = std::move(list);
}

void PstrainView::measure(monitor::PrometheusText& text) const {
  const Sums all = sums();
  text.gauge("ranks", "Ranks of the job.");
  text.sample(static_cast<double>(ranks_.size()));
  text.gauge("training_loss", "The loss that was evaluated last.");
  if (loss_) text.sample(loss_->loss);
  text.counter("gradients_total", "Gradients computed since the beginning of the training.");
  text.sample(static_cast<double>(all.gradients));
  text.counter("training_messages_total", "Pulls, pushes, and what goes to neighbours.");
  text.sample(static_cast<double>(all.messages));
  text.gauge("clock_lead_mean", "Rounds that workers were ahead of the slowest.");
  text.sample(all.lead_mean);
  text.gauge("version_staleness_mean", "Updates between the pull and the application of a gradient.");
  text.sample(all.staleness_mean);
  text.counter("worker_gradients_total", "Gradients of each rank's workers.");
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank)
    text.sample(static_cast<double>(ranks_[rank].gradients), {{"rank", std::to_string(rank)}});
  text.gauge("resident_memory_bytes", "Memory of each rank.");
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank)
    text.sample(static_cast<double>(ranks_[rank].resident_bytes), {{"rank", std::to_string(rank)}});
}

} // namespace drivers
