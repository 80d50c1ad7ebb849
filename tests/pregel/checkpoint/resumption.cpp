#include "resumption.hpp"

#include <bit>
#include <deque>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

#include <gtest/gtest.h>

#include "core/checkpoint/redistribute.hpp"

namespace pregel::testing_support {
namespace {

using core::checkpoint::Part;
using core::checkpoint::Table;

/// The rows of one table that this rank of a new job has read.
Table share_of_table(const core::Communicator& comm, const KeptState& state, const std::string& name) {
  std::vector<Table> tables;
  const auto ranks = static_cast<std::size_t>(comm.size());
  for (std::size_t p = static_cast<std::size_t>(comm.rank()); p < state.parts.size(); p += ranks) {
    for (Table& table : core::checkpoint::unpack(state.parts[p]))
      if (table.name() == name) tables.push_back(std::move(table));
  }
  return core::checkpoint::concatenate(std::move(tables));
}

/// A graph on some ranks, in some partition. Ranks beyond `ranks` have none.
struct Place {
  int ranks;
  PartitionKind partition;
  core::Communicator comm;
  std::optional<DistributedGraph> graph{};

  [[nodiscard]] bool takes_part() const { return graph.has_value(); }
};

class Places {
 public:
  Places(const oracle::Graph& graph, const ResumptionOptions& options) {
    const int all = world().size();
    for (const PartitionKind partition : kAllPartitions) add(graph, options, all, partition);
    if (!options.fewer_ranks) return;
    for (int ranks = 1; ranks < all; ++ranks)
      add(graph, options, ranks, kAllPartitions[static_cast<std::size_t>(ranks) % 3]);
  }
  [[nodiscard]] std::size_t size() const noexcept { return places_.size(); }
  [[nodiscard]] const Place& operator[](std::size_t i) const { return places_[i % places_.size()]; }

 private:
  void add(const oracle::Graph& graph, const ResumptionOptions& options, int ranks, PartitionKind partition) {
    const bool takes_part = world().rank() < ranks;
    places_.push_back({ranks, partition, world().split(takes_part ? 0 : 1, world().rank())});
    if (!takes_part) return;
    BuildOptions build_options;
    build_options.partition = partition;
    build_options.needs = options.needs;
    places_.back().graph = build(graph, build_options, places_.back().comm);
  }

  std::deque<Place> places_; // whose graphs refer to their communicators
};

using Row = std::tuple<std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t>;

std::vector<Row> rows_of(const RunReport& report) {
  std::vector<Row> rows;
  for (const SuperstepReport& row : report.per_superstep)
    rows.emplace_back(row.superstep, row.active, row.sent, row.wakeups);
  return rows;
}

std::vector<std::pair<std::string, std::uint64_t>> aggregates_of(const RunReport& report) {
  std::vector<std::pair<std::string, std::uint64_t>> bits;
  for (const auto& [name, value] : report.aggregates) bits.emplace_back(name, std::bit_cast<std::uint64_t>(value));
  return bits;
}

std::vector<std::optional<std::uint64_t>> delivered_in(const RunReport& report) {
  std::vector<std::optional<std::uint64_t>> delivered;
  for (const SuperstepReport& row : report.per_superstep) delivered.push_back(row.delivered);
  return delivered;
}

void expect_same(const RunOutcome& found, const RunOutcome& wanted) {
  EXPECT_TRUE(found.values == wanted.values) << "other values";
  EXPECT_EQ(rows_of(found.report), rows_of(wanted.report));
  EXPECT_EQ(aggregates_of(found.report), aggregates_of(wanted.report));
}

/// What also depends on where vertices are.
void expect_same_traffic(const RunReport& found, const RunReport& wanted) {
  EXPECT_EQ(delivered_in(found), delivered_in(wanted));
  EXPECT_EQ(found.values_sent, wanted.values_sent);
  EXPECT_EQ(found.bytes_sent, wanted.bytes_sent);
}

/// Every superstep on another place than the one before.
void expect_relay(const Runner& run, const Places& places, core::ThreadTeam& team, RunOptions options,
                  const RunOutcome& wanted) {
  std::optional<KeptState> state;
  const std::uint64_t supersteps = wanted.report.supersteps();
  for (std::uint64_t k = 0; k < supersteps; ++k) {
    const Place& place = places[k + 1];
    SCOPED_TRACE("relay, superstep " + std::to_string(k));
    Keeper keeper(state ? &*state : nullptr, k + 1);
    options.checkpointer = &keeper;
    if (place.takes_part()) {
      try {
        const RunOutcome found = run(*place.graph, team, options);
        EXPECT_EQ(k + 1, supersteps);
        expect_same(found, wanted);
      } catch (const Keeper::Stopped&) {
        EXPECT_LT(k + 1, supersteps);
      }
    }
    // Ranks that took no part learn the state from one that did.
    KeptState next = keeper.states().empty() ? KeptState() : keeper.states().back();
    next.superstep = core::broadcast_value(world(), next.superstep, 0);
    next.shared = nlohmann::json::parse(core::broadcast_string(world(), next.shared.dump(), 0));
    next.parts.resize(core::broadcast_value<std::uint64_t>(world(), next.parts.size(), 0));
    for (std::vector<std::byte>& part : next.parts) {
      part.resize(core::broadcast_value<std::uint64_t>(world(), part.size(), 0));
      core::broadcast(world(), std::span<std::byte>(part), 0);
    }
    state = std::move(next);
  }
}

std::string text_of_cell(const NamedColumn& column, std::size_t row) {
  return std::visit([&](const auto& cells) { return bytes_of(cells[row]); }, column.values);
}

} // namespace

std::optional<EngineState> Keeper::restore(const DistributedGraph& graph) {
  if (from_ == nullptr) return std::nullopt;
  EngineState state;
  state.superstep = from_->superstep;
  state.shared = from_->shared;
  const core::Communicator& comm = *graph.comm;
  for (const auto& [name, key] : {std::pair{"vertices", "id"}, {"messages", "sender"}, {"direct", "target"}}) {
    const Table table = share_of_table(comm, *from_, name);
    std::vector<int> owners;
    if (table.rows() > 0)
      for (const GlobalId id : table.column<GlobalId>(key)) owners.push_back(graph.owner(id));
    state.tables.push_back(core::checkpoint::redistribute(comm, table, owners));
  }
  // Everybody has all parts: of the report every rank takes rank 0's rows, of the traffic rank 0 takes all.
  for (const Table& table : core::checkpoint::unpack(from_->parts.front()))
    if (table.name() == "supersteps") state.tables.push_back(table);
  const Table traffic = share_of_table(comm, *from_, "traffic");
  state.tables.push_back(core::checkpoint::redistribute(comm, traffic, std::vector<int>(traffic.rows(), 0)));
  return state;
}

bool Keeper::save(const DistributedGraph& graph, EngineState&& state) {
  const std::vector<std::byte> mine = core::checkpoint::pack(state.tables);
  std::vector<std::size_t> lengths;
  const std::vector<std::byte> all = core::all_gather_varying(*graph.comm, std::span<const std::byte>(mine), &lengths);
  KeptState kept{state.superstep, {}, state.shared};
  auto next = all.begin();
  for (const std::size_t length : lengths) {
    const auto end = next + static_cast<std::ptrdiff_t>(length);
    kept.parts.emplace_back(next, end);
    next = end;
  }
  states_.push_back(std::move(kept));
  if (stop_at_ && state.superstep >= *stop_at_) throw Stopped();
  return true;
}

std::map<std::uint64_t, std::string> gather_texts(const core::Communicator& comm,
                                                  const std::vector<std::pair<std::uint64_t, std::string>>& mine) {
  struct Head {
    std::uint64_t id, length;
  };
  std::vector<Head> heads;
  std::string letters;
  for (const auto& [id, text] : mine) {
    heads.push_back({id, text.size()});
    letters += text;
  }
  const std::vector<Head> all_heads = core::all_gather_varying(comm, std::span<const Head>(heads));
  const std::vector<char> all_letters = core::all_gather_varying(comm, std::span<const char>(letters));
  std::map<std::uint64_t, std::string> texts;
  const char* next = all_letters.data();
  for (const Head& head : all_heads) {
    EXPECT_TRUE(texts.emplace(head.id, std::string(next, head.length)).second) << "twice: " << head.id;
    next += head.length;
  }
  return texts;
}

Runner run_of(const Algorithm& algorithm, AlgorithmOptions options) {
  return [&algorithm, options](const DistributedGraph& graph, core::ThreadTeam& team, const RunOptions& run_options) {
    AlgorithmRun result = algorithm.run(graph, team, options, run_options);
    RunOutcome outcome;
    outcome.report = std::move(result.report);
    std::vector<std::pair<std::uint64_t, std::string>> mine;
    for (std::size_t i = 0; i < result.result.ids.size(); ++i) {
      std::string text;
      for (const NamedColumn& column : result.result.columns) text += text_of_cell(column, i);
      const std::uint64_t id = number(result.result.ids[i]);
      if (!mine.empty() && mine.back().first == id)
        mine.back().second += ";" + text; // tables of edges: several rows with the same first end
      else
        mine.emplace_back(id, text);
    }
    outcome.values = gather_texts(*graph.comm, mine);
    return outcome;
  };
}

std::size_t expect_resumable(const Runner& run, const oracle::Graph& graph, const ResumptionOptions& options) {
  const Places places(graph, options);
  core::ThreadTeam team(options.threads);
  RunOptions run_options;
  run_options.use_combiner = options.use_combiner;
  const Place& first = places[0];
  const RunOutcome wanted = run(*first.graph, team, run_options);

  Keeper keeper;
  run_options.checkpointer = &keeper;
  const RunOutcome watched = run(*first.graph, team, run_options);
  expect_same(watched, wanted);
  expect_same_traffic(watched.report, wanted.report);
  EXPECT_EQ(keeper.states().size(), wanted.report.supersteps());

  for (const KeptState& state : keeper.states()) {
    for (std::size_t i = 0; i < places.size(); ++i) {
      // Every state on the place it is from, and on one other: over the supersteps all places have their turn.
      if (i != 0 && i != 1 + state.superstep % (places.size() - 1)) continue;
      const Place& place = places[i];
      if (!place.takes_part()) continue;
      SCOPED_TRACE("resumed at superstep " + std::to_string(state.superstep) + " on " + std::to_string(place.ranks) +
                   " ranks, " + std::string(partition_name(place.partition)));
      Keeper restorer(&state);
      run_options.checkpointer = &restorer;
      const RunOutcome found = run(*place.graph, team, run_options);
      expect_same(found, wanted);
      if (i == 0) expect_same_traffic(found.report, wanted.report);
    }
  }
  expect_relay(run, places, team, run_options, wanted);
  return wanted.report.supersteps();
}

} // namespace pregel::testing_support
