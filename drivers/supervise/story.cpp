#include "story.hpp"

#include <chrono>
#include <cstddef>
#include <cstdlib>

namespace supervise {
namespace {

constexpr const char* kVariable = "SUPERSTEP_RESTARTS";
constexpr std::size_t kMostRestarts = 20;

double unix_seconds() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

} // namespace

void Story::add_failure(const std::string& failure, int ranks_before, int ranks_after) {
  if (restarts_.size() == kMostRestarts) restarts_.erase(restarts_.begin());
  restarts_.push_back(
      {{"time", unix_seconds()}, {"failure", failure}, {"ranks_before", ranks_before}, {"ranks_after", ranks_after}});
}

void Story::tell() {
  if (restarts_.empty()) return;
  restarts_.back()["restart_time"] = unix_seconds();
  // What a program says of its failure may be no UTF-8.
  setenv(kVariable, restarts_.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace).c_str(), 1);
}

} // namespace supervise
