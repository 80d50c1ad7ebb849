// What a job that is started again should know of the launches before it: its live view tells it to those who watch
// (libmonitor, monitor::story_of_restarts()). It travels in the environment, which launchers pass on to ranks at least
// on their own machine; a job that does not get it does without.
//
// SUPERSTEP_RESTARTS is a JSON list, the oldest restart first, at most the last twenty:
//
//   [{"time": 1700000000.5, "failure": "rank 2 failed: killed by signal 9 (Killed)", "ranks_before": 4,
//     "ranks_after": 3, "restart_time": 1700000001.5}]
#pragma once

#include <string>

#include <nlohmann/json.hpp>

namespace supervise {

class Story {
 public:
  /// The job has failed, now, and will be started again on `ranks_after` ranks.
  void add_failure(const std::string& failure, int ranks_before, int ranks_after);
  /// It is started again, now: puts the story into this process's environment.
  void tell();

  [[nodiscard]] const nlohmann::json& restarts() const noexcept { return restarts_; }

 private:
  nlohmann::json restarts_ = nlohmann::json::array();
};

} // namespace supervise
