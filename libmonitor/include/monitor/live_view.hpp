// What the live views of all programs share: the phase of the job, the events that lead to where it is, the server, and
// who serves.
//
// Every rank has one, because any rank may be the next to serve: when rank 0 has died in place, the new rank 0 takes
// over the port and knows the story. A job that supervise has started again learns it from the environment
// (story_of_restarts).
//
// A program derives its view, adds its own numbers under mutex_, and tells them in describe() and in measure().
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/clock.hpp"
#include "core/communicator.hpp"
#include "monitor/prometheus.hpp"
#include "monitor/server.hpp"

namespace monitor {

/// Something that a watcher should know of.
struct Event {
  double time = 0;                ///< seconds since 1970
  std::string kind;               ///< start, checkpoint, failure, recovery, restart, end
  std::optional<std::uint64_t> k; ///< superstep, or step of a training
  std::string text;
};

/// Seconds since 1970. Local.
[[nodiscard]] double unix_seconds();

/// What supervise tells the jobs that it starts again (environment variable SUPERSTEP_RESTARTS, see
/// drivers/supervise/story.hpp), as events; nothing for a first launch. What is not understood is left out. Local.
[[nodiscard]] std::vector<Event> story_of_restarts();

/// All functions are local unless they say otherwise, and may be called while the server's threads read.
class LiveView {
 public:
  virtual ~LiveView();
  LiveView(const LiveView&) = delete;
  LiveView& operator=(const LiveView&) = delete;

  /// Rank 0 begins to serve and prints where, unless `quiet`. InputError on all ranks when the port cannot be had; in a
  /// job that was started again only a warning after a while, because the work matters more. Collective.
  void serve(const core::Communicator& comm, bool quiet);
  /// This rank is the first of those that are left: it serves from now on, if it does not already.
  void take_over();

  /// What the job is doing: "loading the graph".
  void enter_phase(std::string phase);
  void add_event(std::string_view kind, std::optional<std::uint64_t> k, std::string text);
  /// The work is done; watchers are given a moment to see that.
  void end(const std::string& phase);

  /// Whether this rank serves.
  [[nodiscard]] bool serves() const noexcept { return server_ != nullptr; }
  /// The port, on all ranks, once serve() has returned.
  [[nodiscard]] int port() const noexcept { return endpoint_.port; }
  /// supervise has started the job again.
  [[nodiscard]] bool was_restarted() const noexcept { return restarts_ > 0; }

 protected:
  /// `facts`: what does not change, for the page: program, version, ….
  LiveView(Endpoint endpoint, nlohmann::json facts);
  /// To be called by the destructors of derived classes: no describe() afterwards. A job that has not ended has failed.
  void stop_serving();

  /// Adds this program's part of /status.json, and of /metrics. Called with mutex_ held, on any thread.
  virtual void describe(nlohmann::json& status) const = 0;
  virtual void measure(PrometheusText& text) const = 0;

  mutable std::mutex mutex_;
  nlohmann::json facts_; // under mutex_

 private:
  [[nodiscard]] std::string status() const;
  [[nodiscard]] std::string metrics() const;
  [[nodiscard]] Texts texts();

  Endpoint endpoint_;
  std::string phase_ = "starting"; // from here to events_ under mutex_
  std::vector<Event> events_;
  std::uint64_t failures_ = 0, recoveries_ = 0, restarts_ = 0, checkpoints_ = 0;
  bool ended_ = false;
  double started_;
  std::unique_ptr<Server> server_;
};

} // namespace monitor
