#include "pregel/engine/run_report.hpp"

#include <algorithm>
#include <array>

#include "core/collectives.hpp"

namespace pregel {

const char* fold_mode_name(FoldMode mode) {
  switch (mode) {
    case FoldMode::none: return "none";
    case FoldMode::pull: return "pull";
    case FoldMode::push: return "push";
    case FoldMode::list: break;
  }
  return "list";
}

std::uint64_t RunReport::messages_sent() const {
  std::uint64_t total = 0;
  for (const SuperstepReport& row : per_superstep) total += row.sent;
  return total;
}

std::optional<std::uint64_t> RunReport::messages_delivered() const {
  std::uint64_t total = 0;
  for (const SuperstepReport& row : per_superstep) {
    if (!row.delivered && row.sent != 0) return std::nullopt;
    total += row.delivered.value_or(0);
  }
  return total;
}

std::uint64_t RunReport::wakeups() const {
  std::uint64_t total = 0;
  for (const SuperstepReport& row : per_superstep) total += row.wakeups;
  return total;
}

std::uint64_t RunReport::vertex_computations() const {
  std::uint64_t total = 0;
  for (const SuperstepReport& row : per_superstep) total += row.active;
  return total;
}

void RunReport::reduce(const core::Communicator& comm) {
  const double largest = core::all_reduce_value(comm, compute_seconds, core::Reduce::max);
  const double mean = core::all_reduce_value(comm, compute_seconds, core::Reduce::sum) / comm.size();
  imbalance = mean > 0 ? largest / mean : 1;
  std::array<std::uint64_t, 2> volume{values_sent, bytes_sent};
  core::all_reduce(comm, std::span<std::uint64_t>(volume), core::Reduce::sum);
  values_sent = volume[0];
  bytes_sent = volume[1];
  std::vector<double> times;
  times.reserve(per_superstep.size() * 3);
  for (const SuperstepReport& row : per_superstep)
    times.insert(times.end(), {row.compute_seconds, row.exchange_seconds, row.wait_seconds});
  core::all_reduce(comm, std::span<double>(times), core::Reduce::max);
  for (std::size_t i = 0; i < per_superstep.size(); ++i) {
    per_superstep[i].compute_seconds = times[3 * i];
    per_superstep[i].exchange_seconds = times[3 * i + 1];
    per_superstep[i].wait_seconds = times[3 * i + 2];
  }
}

nlohmann::json RunReport::to_json() const {
  nlohmann::json rows = nlohmann::json::array();
  for (const SuperstepReport& row : per_superstep) {
    rows.push_back({{"superstep", row.superstep},
                    {"active", row.active},
                    {"sent", row.sent},
                    {"delivered", row.delivered ? nlohmann::json(*row.delivered) : nlohmann::json(nullptr)},
                    {"wakeups", row.wakeups},
                    {"compute_seconds", row.compute_seconds},
                    {"exchange_seconds", row.exchange_seconds},
                    {"wait_seconds", row.wait_seconds},
                    {"mode", fold_mode_name(row.mode)}});
  }
  nlohmann::json named = nlohmann::json::object();
  for (const auto& [name, value] : aggregates) named[name] = value;
  const std::optional<std::uint64_t> delivered = messages_delivered();
  return {{"run_seconds", run_seconds},
          {"supersteps", supersteps()},
          {"messages_sent", messages_sent()},
          {"messages_delivered", delivered ? nlohmann::json(*delivered) : nlohmann::json(nullptr)},
          {"values_sent", values_sent},
          {"bytes_sent", bytes_sent},
          {"wakeups", wakeups()},
          {"vertex_computations", vertex_computations()},
          {"imbalance", imbalance},
          {"aggregates", named},
          {"recoveries", nlohmann::json::array()},
          {"per_superstep", rows}};
}

} // namespace pregel
