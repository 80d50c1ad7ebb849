#include "pregel_metrics.hpp"

#include "core/agreement.hpp"
#include "core/collectives.hpp"
#include "core/metrics.hpp"
#include "core/runtime.hpp"
#include "pregel_report.hpp"

namespace drivers {

void write_metrics(const core::Communicator& comm, const PregelOptions& options, const JobFacts& facts,
                   const std::vector<nlohmann::json>& entries) {
  const std::uint64_t peak =
      core::all_reduce_value(comm, std::uint64_t{core::peak_resident_bytes()}, core::Reduce::max);
  core::agree(comm, [&] {
    if (comm.rank() != 0 || options.metrics.empty()) return;
    nlohmann::json document = listed(entries);
    document.update(
        {{"ranks", comm.size()},
         {"threads", options.threads},
         {"partition", options.partition},
         {"load_seconds", facts.load_seconds},
         {"read_seconds", facts.read_seconds},
         {"bindings", core::to_json(facts.bindings)},
         {"peak_rss_bytes", peak},
         {"checkpoints", facts.checkpoints},
         {"resumed_from", facts.resumed_from ? nlohmann::json(*facts.resumed_from) : nlohmann::json(nullptr)},
         {"recoveries", facts.recoveries}});
    nlohmann::json stamp = core::build_stamp();
    stamp.update({{"command_line", facts.command_line},
                  {"seed", options.seed},
                  {"graph", facts.graph},
                  {"graph_fingerprint", document.at("graph_fingerprint")}});
    if (!options.stragglers.empty()) stamp["straggler"] = options.stragglers;
    document.erase("graph_fingerprint");
    document["stamp"] = stamp;
    core::write_json(options.metrics, document);
  });
}

} // namespace drivers
