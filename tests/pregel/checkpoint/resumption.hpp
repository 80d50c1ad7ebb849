// Runs that are interrupted at every superstep and go on elsewhere. A run's states are kept in memory, whole, on every
// rank; each of them is then taken up on a graph that was partitioned in another way, on as many ranks or fewer, and
// the rest of the run must not show it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "pregel/algorithms/algorithm.hpp"
#include "pregel/engine/checkpointer.hpp"
#include "pregel/engine/engine.hpp"
#include "pregel/support/pregel_testing.hpp"

namespace pregel::testing_support {

/// The state of all ranks at the start of a superstep, as every rank keeps it.
struct KeptState {
  std::uint64_t superstep = 0;
  std::vector<std::vector<std::byte>> parts; ///< packed, by rank
  nlohmann::json shared;
};

/// What a run gave, on every rank of its communicator.
struct RunOutcome {
  RunReport report;
  std::map<std::uint64_t, std::string> values; ///< bytes by id
};

/// A program, ready to run on any graph. Collective.
using Runner = std::function<RunOutcome(const DistributedGraph&, core::ThreadTeam&, const RunOptions&)>;

/// Starts from a state, if it has one, keeps the states that come, and ends the run at a superstep, if it is told one.
class Keeper final : public Checkpointer {
 public:
  struct Stopped {};

  explicit Keeper(const KeptState* from = nullptr, std::optional<std::uint64_t> stop_at = std::nullopt)
      : from_(from), stop_at_(stop_at) {}

  std::optional<EngineState> restore(const DistributedGraph& graph) override;
  bool due(std::uint64_t) override { return true; }
  bool save(const DistributedGraph& graph, EngineState&& state) override;

  [[nodiscard]] const std::vector<KeptState>& states() const noexcept { return states_; }

 private:
  const KeptState* from_;
  std::optional<std::uint64_t> stop_at_;
  std::vector<KeptState> states_;
};

/// The texts that ranks have under distinct ids, on every rank of `comm`. Collective.
[[nodiscard]] std::map<std::uint64_t, std::string> gather_texts(
    const core::Communicator& comm, const std::vector<std::pair<std::uint64_t, std::string>>& mine);

/// The bytes that make up a value.
template <class T>
[[nodiscard]] std::string bytes_of(const T& x) {
  if constexpr (core::Transferable<T>)
    return {reinterpret_cast<const char*>(&x), sizeof(T)};
  else
    return detail::to_archive(x);
}

/// A vertex program as a Runner.
template <class P>
[[nodiscard]] Runner run_of(P program) {
  return [program](const DistributedGraph& graph, core::ThreadTeam& team, const RunOptions& options) {
    Engine<P> engine(graph, program, team, options);
    RunOutcome outcome;
    outcome.report = engine.run();
    outcome.report.reduce(*graph.comm);
    std::vector<std::pair<std::uint64_t, std::string>> mine;
    for (std::uint32_t v = 0; v < graph.local_count; ++v)
      mine.emplace_back(number(graph.id_of(LocalId{v})), bytes_of(engine.values()[v]));
    outcome.values = gather_texts(*graph.comm, mine);
    return outcome;
  };
}
/// An algorithm of the registry as a Runner.
[[nodiscard]] Runner run_of(const Algorithm& algorithm, AlgorithmOptions options);

/// How a run is spread, and with what it is run.
struct ResumptionOptions {
  GraphNeeds needs = {};
  int threads = 1;
  bool use_combiner = true;
  bool fewer_ranks = true; ///< also on parts of the ranks
};

/// Interrupts the run at every superstep and compares. Returns the number of supersteps, so that a test can see that it
/// tested something. Collective.
std::size_t expect_resumable(const Runner& run, const oracle::Graph& graph, const ResumptionOptions& options = {});

} // namespace pregel::testing_support
