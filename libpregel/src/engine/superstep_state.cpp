// The superstep loop's side of checkpoints. A state is taken at the START of a superstep: messages have been delivered
// and not read, aggregates reduced and not read, so that the whole superstep can be done again.
#include <bit>
#include <cstdint>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "core/clock.hpp"
#include "core/collectives.hpp"
#include "pregel/engine/superstep_loop.hpp"
#include "pregel/error.hpp"
#include "saved_report.hpp"

namespace pregel {

void SuperstepLoop::begin_or_restore(RunReport& report) {
  superstep_ = 0;
  if (options_.checkpointer == nullptr) return;
  if (const char* const reason = why_not_saved())
    throw core::InputError(std::string("this program cannot be checkpointed: ") + reason);
  const core::Stopwatch watch;
  const std::optional<EngineState> state = options_.checkpointer->restore(graph_);
  if (!state) return;
  if (state->superstep >= options_.max_supersteps) {
    core::InputError error(fmt::format("the checkpoint is of superstep {}, behind the end of a run of {} supersteps",
                                       state->superstep, options_.max_supersteps));
    error.set_rank(0); // all ranks see the same
    throw error;
  }
  core::agree(*graph_.comm, [&] { take_state(*state, report); });
  const bool any_message = totals_.sent + totals_.direct != 0;
  refill_mirrors(any_message && totals_.published == graph_.vertex_count);
  if (options_.timeline != nullptr)
    options_.timeline->add(core::Timeline::Kind::restore, watch.seconds(), core::Timeline::Clock::now(), superstep_);
}

void SuperstepLoop::save_if_due(RunReport& report) {
  const bool stopping = std::exchange(stop_agreed_, false);
  if (!options_.checkpointer->due(superstep_) && !stopping) return;
  const core::Stopwatch watch;
  const bool saved = options_.checkpointer->save(graph_, core::agree(*graph_.comm, [&] { return state(report); }));
  const double seconds = watch.seconds();
  report.checkpoint_seconds += seconds;
  if (options_.timeline != nullptr)
    options_.timeline->add(core::Timeline::Kind::checkpoint, seconds, core::Timeline::Clock::now(), superstep_);
  if (!stopping) return;
  core::Error stop(
      saved ? fmt::format("stopped on request after a checkpoint of superstep {}; go on with --resume", superstep_)
            : fmt::format("stopped on request in superstep {}, without a checkpoint of it; go on from an "
                          "earlier one, or from the start, with --resume",
                          superstep_),
      core::ExitCode::requeue);
  stop.set_rank(0); // all ranks know
  throw stop;
}

EngineState SuperstepLoop::state(const RunReport& report) const {
  EngineState state;
  state.superstep = superstep_;
  state.tables = save_tables();
  state.tables.push_back(save_rows(graph_.comm->rank() == 0 ? report.per_superstep : std::vector<SuperstepReport>()));
  // Traffic is counted by each rank: one row a rank, and whoever restores adds them up.
  core::checkpoint::Table traffic("traffic", 1);
  traffic.add<std::uint64_t>("values_sent", std::span(&report.values_sent, 1));
  traffic.add<std::uint64_t>("bytes_sent", std::span(&report.bytes_sent, 1));
  state.tables.push_back(std::move(traffic));

  nlohmann::json aggregates = nlohmann::json::array();
  for (const auto& [name, value] : report.aggregates) aggregates.push_back({name, std::bit_cast<std::uint64_t>(value)});
  const std::string program = save_program();
  state.shared = {{"superstep", superstep_},
                  {"seconds", earlier_seconds_ + run_time_.seconds()}, // rank 0's is kept
                  {"sums", sums_},
                  {"maxima", maxima_},
                  {"aggregates", aggregates},
                  {"program", std::vector<std::uint8_t>(program.begin(), program.end())}};
  return state;
}

void SuperstepLoop::take_state(const EngineState& state, RunReport& report) {
  superstep_ = state.superstep;
  const auto sums = state.shared.at("sums").get<std::vector<std::int64_t>>();
  const auto maxima = state.shared.at("maxima").get<std::vector<std::int64_t>>();
  if (sums.size() != sums_.size() || maxima.size() != maxima_.size())
    throw GraphError("the checkpoint has other aggregators than the program");
  earlier_seconds_ = state.shared.at("seconds").get<double>();
  sums_ = sums;
  maxima_ = maxima;
  take_reduced_words();
  stop_agreed_ = false;
  const auto program = state.shared.at("program").get<std::vector<std::uint8_t>>();
  load_program(std::string(program.begin(), program.end()));
  load_tables(state.tables);

  report.per_superstep = load_rows(core::checkpoint::require_table(state.tables, "supersteps"));
  const core::checkpoint::Table& traffic = core::checkpoint::require_table(state.tables, "traffic");
  if (traffic.rows() > 0) {
    for (const std::uint64_t values : traffic.column<std::uint64_t>("values_sent")) report.values_sent += values;
    for (const std::uint64_t bytes : traffic.column<std::uint64_t>("bytes_sent")) report.bytes_sent += bytes;
  }
  for (const auto& entry : state.shared.at("aggregates"))
    report.aggregates.emplace_back(entry.at(0), std::bit_cast<double>(entry.at(1).get<std::uint64_t>()));
}

} // namespace pregel
