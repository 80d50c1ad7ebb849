// Programs with every kind of state, interrupted at every superstep.
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "aggregating_programs.hpp"
#include "core/error.hpp"
#include "resumption.hpp"
#include "resumption_programs.hpp"

namespace pregel::testing_support {
namespace {

/// Few, because each is run for every superstep and place: nothing, no edges, fewer vertices than ranks, the usual.
const std::vector<oracle::NamedGraph>& resumption_graphs() {
  static const std::vector<oracle::NamedGraph> graphs = [] {
    const std::set<std::string> names{"no_vertices", "one_vertex_with_loop",   "isolated_vertices", "repeated_edges",
                                      "huge_ids",    "random_dense_undirected"};
    std::vector<oracle::NamedGraph> selected;
    for (const oracle::NamedGraph& named : selected_graphs())
      if (names.contains(named.name)) selected.push_back(named);
    selected.push_back({"weighted", oracle::with_weights(oracle::random_graph(90, 300, true, 31), 32)});
    return selected;
  }();
  return graphs;
}

/// Runs what `make` makes for the graph's ids. Returns the longest run.
template <class Make>
std::size_t expect_resumable_on_all(Make&& make, const ResumptionOptions& options = {}) {
  std::size_t longest = 0;
  for (const auto& [name, graph] : resumption_graphs()) {
    SCOPED_TRACE(name);
    ResumptionOptions with_weights = options;
    with_weights.needs.weights = !graph.weights.empty();
    longest = std::max(longest, expect_resumable(run_of(make(graph.vertices)), graph, with_weights));
  }
  return longest;
}

TEST(ResumedPrograms, MessagesOneByOne) {
  EXPECT_GT(expect_resumable_on_all([](const auto& ids) { return Letters{{&ids}}; }), 6U);
}

TEST(ResumedPrograms, MessagesOneByOneWithoutPush) {
  EXPECT_GT(expect_resumable_on_all([](const auto& ids) { return Letters{{&ids}}; }, {.needs = {.push = false}}), 6U);
}

TEST(ResumedPrograms, CombinedMessages) {
  EXPECT_GE(expect_resumable_on_all([](const auto& ids) { return SmallestLetters{{&ids}}; }), 6U);
}

TEST(ResumedPrograms, MessagesThatAreNotCombined) {
  EXPECT_GE(expect_resumable_on_all([](const auto& ids) { return SmallestLetters{{&ids}}; }, {.use_combiner = false}),
            6U);
}

TEST(ResumedPrograms, SumsThatRound) {
  EXPECT_GE(expect_resumable_on_all([](const auto& ids) { return SummedLetters{{&ids}}; }), 6U);
}

TEST(ResumedPrograms, Archives) {
  EXPECT_GE(expect_resumable_on_all([](const auto& ids) { return Chronicle{{&ids}}; }), 6U);
}

TEST(ResumedPrograms, MessagesWithoutContent) {
  EXPECT_GE(expect_resumable_on_all([](const auto& ids) { return Knocks{{&ids}}; }), 6U);
}

TEST(ResumedPrograms, VerticesThatOnlyASavedMessageWakes) {
  EXPECT_EQ(expect_resumable_on_all([](const auto& ids) { return Sleepers{&ids}; }), 9U);
}

TEST(ResumedPrograms, RandomNumbers) {
  EXPECT_EQ(expect_resumable_on_all([](const auto&) { return Dice{}; }), 6U);
}

TEST(ResumedPrograms, Aggregators) {
  EXPECT_EQ(expect_resumable_on_all([](const auto&) { return Census{}; }), 7U);
}

TEST(ResumedPrograms, PhasesOfTheMaster) {
  EXPECT_EQ(expect_resumable_on_all([](const auto&) { return Phases<true>{}; }), 8U);
}

/// Enough vertices for the threads to share them (16,384 a rank), each superstep of another shape.
TEST(ResumedPrograms, Threads) {
  if (world().size() > 2) GTEST_SKIP() << "as on two ranks";
  const oracle::Graph graph = oracle::random_graph(40'000, 60'000, true, 77);
  const ResumptionOptions options{.threads = 2, .fewer_ranks = false};
  EXPECT_GE(expect_resumable(run_of(SmallestLetters{{&graph.vertices, 3}}), graph, options), 3U);
  EXPECT_GE(expect_resumable(run_of(Letters{{&graph.vertices, 3}}), graph, options), 3U);
}

TEST(ResumedPrograms, APhaseThatIsNotSavedIsRefused) {
  const DistributedGraph graph = build(oracle::random_graph(20, 40, true, 3));
  core::ThreadTeam team(1);
  Keeper keeper;
  Engine<Phases<false>> engine(graph, {}, team, {.checkpointer = &keeper});
  try {
    (void)engine.run();
    ADD_FAILURE() << "was run";
  } catch (const core::InputError& error) {
    EXPECT_EQ(std::string(error.what()),
              "this program cannot be checkpointed: its master() changes the program, which "
              "has no serialize(archive, version) to save what changed");
  }
  EXPECT_TRUE(keeper.states().empty());
  Engine<Phases<false>> without(graph, {}, team, {});
  EXPECT_EQ(without.run().supersteps(), 8U);
}

TEST(ResumedPrograms, AStateOfOtherAggregatorsIsRefused) {
  const DistributedGraph graph = build(oracle::random_graph(20, 40, true, 3));
  core::ThreadTeam team(1);
  Keeper keeper;
  Engine<Census> census(graph, {}, team, {.checkpointer = &keeper});
  (void)census.run();
  Keeper restorer(&keeper.states().at(1));
  Engine<Dice> dice(graph, {}, team, {.checkpointer = &restorer});
  EXPECT_THROW((void)dice.run(), core::Error);
}

TEST(ResumedPrograms, AStateBehindTheEndIsRefused) {
  const DistributedGraph graph = build(oracle::random_graph(20, 40, true, 3));
  core::ThreadTeam team(1);
  Keeper keeper;
  Engine<Dice> longer(graph, {}, team, {.checkpointer = &keeper});
  (void)longer.run();
  for (const std::uint64_t most : {3, 4, 5}) {
    Keeper restorer(&keeper.states().at(4));
    Engine<Dice> shorter(graph, {}, team, {.max_supersteps = most, .checkpointer = &restorer});
    if (most == 5) {
      EXPECT_EQ(shorter.run().supersteps(), 5U);
    } else {
      EXPECT_THROW((void)shorter.run(), core::InputError);
    }
  }
}

} // namespace
} // namespace pregel::testing_support
