// What a job is going to take, told before anything is loaded (--dry-run), and the refusal of one that cannot fit.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/communicator.hpp"
#include "pregel/io/graph_size.hpp"
#include "pregel_input.hpp"
#include "pregel_options.hpp"

namespace drivers {

/// Bytes of one rank, with its fair share of the graph.
struct MemoryForecast {
  std::uint64_t process = 0; ///< program, libraries, MPI's buffers
  std::uint64_t loading = 0; ///< the most at once while reading and building, finished graphs of the list included
  std::uint64_t graphs = 0;  ///< what stays of it
  std::uint64_t values = 0;  ///< values of vertices and their results, of the largest algorithm
  std::uint64_t messages = 0;

  [[nodiscard]] std::uint64_t peak() const noexcept;
};

struct TimeForecast {
  std::string algorithm;
  std::optional<double> seconds; ///< nothing where it depends on more than the size of the graph
  std::string assumption;
};

struct Forecast {
  pregel::GraphSize size;
  bool directed = true;
  std::size_t graphs = 1;
  MemoryForecast memory;
  int ranks = 1, threads = 1;
  int ranks_here = 1;          ///< of the machine on which least is left for a rank
  std::uint64_t available = 0; ///< to them together
  double load_seconds = 0;
  std::vector<TimeForecast> runs;
};

/// InputError on every rank for a graph that cannot be looked at. Collective.
[[nodiscard]] Forecast forecast(const core::Communicator& comm, const PregelOptions& options,
                                const std::vector<GraphUser>& users);

/// What --dry-run prints. Local.
[[nodiscard]] std::vector<std::string> lines_of(const Forecast& forecast);

/// InputError on every rank if the ranks of a machine would not fit into its memory even if the forecast were too high
/// by as much as it has been found to be. A graph that cannot be looked at is left to its reader. Collective.
void require_memory(const core::Communicator& comm, const PregelOptions& options, const std::vector<GraphUser>& users);

} // namespace drivers
