#include "monitor/monitor_options.hpp"

#include <CLI/CLI.hpp>

#include "command_line.hpp"
#include "core/error.hpp"

namespace drivers {

void add_monitor_options(CLI::App& app, MonitorOptions& options) {
  auto* const port =
      app.add_option("--monitor", options.port,
                     "serve a live view of the job on this port (0: any free one, which is printed): a page, "
                     "/status.json, and /metrics for Prometheus")
          ->check(CLI::Range(0, 65535))
          ->type_name("PORT")
          ->group("Output");
  app.add_option("--monitor-address", options.address,
                 "address to serve it on; 0.0.0.0 lets everybody read who reaches the machine")
      ->check(not_empty())
      ->needs(port)
      ->capture_default_str()
      ->group("Output");
}

} // namespace drivers
