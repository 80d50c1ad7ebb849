// require_room_for(): a typing error in a size should cost a second, not a machine that swaps for an hour.
#include <fstream>
#include <limits>
#include <string>

#include <fmt/format.h>

#include "core/agreement.hpp"
#include "core/error.hpp"
#include "machine_memory.hpp"
#include "pregel/graph/types.hpp"
#include "pregel/io/generators.hpp"

namespace pregel {

std::uint64_t machine_bytes() {
  std::uint64_t kilobytes = 0;
  std::ifstream lines("/proc/meminfo");
  for (std::string key, unit; lines >> key;) {
    std::uint64_t value = 0;
    lines >> value;
    std::getline(lines, unit);
    if (key == "MemTotal:" || key == "SwapTotal:") kilobytes += value;
  }
  return kilobytes == 0 ? std::numeric_limits<std::uint64_t>::max() : kilobytes * 1024;
}

void require_room_for(const core::Communicator& comm, const GeneratorSpec& spec) {
  core::agree(comm, [&] {
    const auto ranks = static_cast<std::uint64_t>(comm.size());
    if (spec.vertices / ranks > kMostVerticesOfRank) {
      throw core::InputError(fmt::format("generator '{}': {} vertices are too many for {} rank{}: a rank holds 2^32-2",
                                         spec.text, spec.vertices, ranks, ranks == 1 ? "" : "s"));
    }
    // A lower bound: other ranks may share this machine, and the graph is built beside the listed edges.
    const std::uint64_t edge_bytes = sizeof(Edge) + (spec.weights == WeightKind::none ? 0 : sizeof(double));
    const std::uint64_t available = machine_bytes();
    const std::uint64_t edges = spec.edges / ranks; // of a rank
    if (edges <= available / edge_bytes) return;
    throw core::InputError(
        fmt::format("generator '{}': listing {} edges takes {:.0f} GB a rank on {} rank{}; the "
                    "machine has {:.0f} GB",
                    spec.text, spec.edges, static_cast<double>(edges) * static_cast<double>(edge_bytes) / 1e9, ranks,
                    ranks == 1 ? "" : "s", static_cast<double>(available) / 1e9));
  });
}

} // namespace pregel
