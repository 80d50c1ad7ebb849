// The options of the live view, the same for all programs that have one.
#pragma once

#include <optional>
#include <string>

#include "monitor/server.hpp"

namespace CLI {
class App;
} // namespace CLI

namespace drivers {

struct MonitorOptions {
  std::optional<int> port; ///< nothing: no live view
  std::string address = "127.0.0.1";

  [[nodiscard]] monitor::Endpoint endpoint() const { return {address, port.value_or(0)}; }
};

/// Declares --monitor and --monitor-address, which needs the former.
void add_monitor_options(CLI::App& app, MonitorOptions& options);

} // namespace drivers
