// Where the ranks of a job run: host, cores that they may use, NUMA nodes of these. A launcher that binds nothing, or
// all ranks to the same core, is the commonest reason for a slow job on a good machine; so it is told before the run.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "core/communicator.hpp"

namespace core {

/// One rank's place.
struct Binding {
  std::string host;
  std::vector<int> cores;      ///< that the operating system lets it use, ascending
  std::vector<int> numa_nodes; ///< of these cores, ascending; empty where the system does not say
};

/// This machine's name, "unknown" if it does not tell. Local.
[[nodiscard]] std::string host_name();
/// This process's. Local.
[[nodiscard]] Binding this_binding();

/// Every rank's, in rank order. Collective.
[[nodiscard]] std::vector<Binding> all_bindings(const Communicator& comm);

/// Numbers as Linux lists them: "0-3,8". Local.
[[nodiscard]] std::string ranges(std::span<const int> ascending);
/// The other way round; what is no such list ends it. Local.
[[nodiscard]] std::vector<int> parse_ranges(const std::string& text);

/// A line for the screen: hosts, ranks on each, cores of a rank, whether ranks of a host share cores, NUMA nodes, and a
/// warning when a rank has fewer cores than `threads`, or ranks with `threads` each outnumber the cores. Local.
[[nodiscard]] std::string describe(std::span<const Binding> bindings, int threads);
/// For the metrics: [{rank, host, cores, numa_nodes}]. Local.
[[nodiscard]] nlohmann::json to_json(std::span<const Binding> bindings);

} // namespace core
