#include "monitor/live_view.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include "core/agreement.hpp"
#include "core/collectives.hpp"
#include "core/log.hpp"
#include "core/stop_request.hpp"

namespace monitor {
namespace {

/// Events that are kept. Checkpoints go first: there may be thousands, and the page shows the last ones.
constexpr std::size_t kMostEvents = 200;
/// For the port of a process that has just died.
constexpr double kPatienceSeconds = 5;
/// Twice the interval in which the page asks, and some.
constexpr double kFarewellSeconds = 0.7;

std::string host_of(const std::string& address) {
  if (address != "0.0.0.0" && address != "::")
    return address.find(':') == std::string::npos ? address : "[" + address + "]";
  std::string name(256, '\0');
  if (gethostname(name.data(), name.size() - 1) != 0) return "localhost";
  return name.c_str();
}

nlohmann::json to_json(const Event& event) {
  return {{"time", event.time},
          {"kind", event.kind},
          {"at", event.k ? nlohmann::json(*event.k) : nlohmann::json(nullptr)},
          {"text", event.text}};
}

} // namespace

double unix_seconds() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

std::vector<Event> story_of_restarts() {
  std::vector<Event> events;
  const char* const text = std::getenv("SUPERSTEP_RESTARTS");
  if (text == nullptr) return events;
  const nlohmann::json story = nlohmann::json::parse(text, nullptr, false);
  if (!story.is_array()) return events;
  try {
    for (const nlohmann::json& restart : story) {
      const double time = restart.at("time");
      const int ranks = restart.at("ranks_after");
      const Event failure{time, "failure", std::nullopt, restart.at("failure")};
      events.push_back(failure);
      events.push_back({restart.value("restart_time", time), "restart", std::nullopt,
                        fmt::format("started again on {} rank{}", ranks, ranks == 1 ? "" : "s")});
    }
  } catch (const nlohmann::json::exception&) { // somebody else's variable
    return {};
  }
  return events;
}

LiveView::LiveView(Endpoint endpoint, nlohmann::json facts)
    : facts_(std::move(facts)), endpoint_(std::move(endpoint)), started_(unix_seconds()) {
  events_ = story_of_restarts();
  for (const Event& event : events_) {
    failures_ += event.kind == "failure" ? 1 : 0;
    restarts_ += event.kind == "restart" ? 1 : 0;
  }
}

LiveView::~LiveView() = default;

Texts LiveView::texts() {
  return {[this] { return status(); }, [this] { return metrics(); }};
}

void LiveView::serve(const core::Communicator& comm, bool quiet) {
  core::agree(comm, [&] {
    if (comm.rank() == 0)
      server_ = std::make_unique<Server>(endpoint_, texts(), was_restarted() ? kPatienceSeconds : 0);
  });
  // Who takes over must know the port that was chosen.
  const int port = server_ && server_->port() != 0 ? server_->port() : endpoint_.port;
  endpoint_.port = core::broadcast_value(comm, port, 0);
  if (server_ && !quiet) core::log_info(fmt::format("live view: http://{}:{}/", host_of(endpoint_.address), port));
}

void LiveView::take_over() {
  if (!server_) server_ = std::make_unique<Server>(endpoint_, texts(), kPatienceSeconds);
}

void LiveView::enter_phase(std::string phase) {
  const std::lock_guard lock(mutex_);
  phase_ = std::move(phase);
}

void LiveView::add_event(std::string_view kind, std::optional<std::uint64_t> k, std::string text) {
  const std::lock_guard lock(mutex_);
  failures_ += kind == "failure" ? 1 : 0;
  recoveries_ += kind == "recovery" ? 1 : 0;
  checkpoints_ += kind == "checkpoint" ? 1 : 0;
  if (events_.size() == kMostEvents) {
    const auto checkpoint = std::ranges::find(events_, "checkpoint", &Event::kind);
    events_.erase(checkpoint != events_.end() ? checkpoint : events_.begin());
  }
  events_.push_back({unix_seconds(), std::string(kind), k, std::move(text)});
}

void LiveView::end(const std::string& phase) {
  if (std::exchange(ended_, true)) return;
  enter_phase(phase);
  if (server_) server_->let_watchers_see(kFarewellSeconds);
}

void LiveView::stop_serving() {
  end(core::StopRequest::made() ? "stopped" : "failed");
  server_.reset();
}

std::string LiveView::status() const {
  const std::lock_guard lock(mutex_);
  nlohmann::json status = facts_;
  const double now = unix_seconds();
  status["phase"] = phase_;
  status["now"] = now;
  status["started"] = started_;
  status["up_seconds"] = now - started_;
  // A launcher ends what is left of a job with SIGTERM: this is the first that survivors hear of a death.
  status["stop_requested"] = core::StopRequest::made();
  status["failures"] = failures_;
  status["recoveries"] = recoveries_;
  status["restarts"] = restarts_;
  status["checkpoints"] = checkpoints_;
  status["events"] = nlohmann::json::array();
  for (const Event& event : events_) status["events"].push_back(to_json(event));
  describe(status);
  // Names of files may be no UTF-8.
  return status.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string LiveView::metrics() const {
  const std::lock_guard lock(mutex_);
  PrometheusText text;
  text.gauge("up_seconds", "Since this launch of the job began.");
  text.sample(unix_seconds() - started_);
  text.counter("failures_total", "Failures that the job has seen, over its restarts.");
  text.sample(static_cast<double>(failures_));
  text.counter("recoveries_total",
               "Times that this launch went on from a checkpoint or from the start after a failure.");
  text.sample(static_cast<double>(recoveries_));
  text.counter("restarts_total", "Times that the job was started again.");
  text.sample(static_cast<double>(restarts_));
  text.counter("checkpoints_total", "Checkpoints that this launch has written.");
  text.sample(static_cast<double>(checkpoints_));
  measure(text);
  return text.text();
}

} // namespace monitor
