// The life of a job: who is active, what wakes, when it ends.
#include <algorithm>
#include <numeric>

#include <gtest/gtest.h>

#include "core/temporary_directory.hpp"
#include "pregel/engine/engine.hpp"
#include "pregel/support/pregel_testing.hpp"

namespace pregel {
namespace {

using testing_support::build;
using testing_support::gather;
using testing_support::world;

oracle::Graph isolated(std::uint64_t vertices) {
  return oracle::random_graph(vertices, 0, true, 1);
}
oracle::Graph chain(std::uint64_t vertices) {
  oracle::Graph graph;
  for (std::uint64_t v = 0; v + 1 < vertices; ++v) graph.edges.push_back({v, v + 1});
  oracle::normalise(graph);
  return graph;
}

std::vector<std::uint64_t> active_per_superstep(const RunReport& report) {
  std::vector<std::uint64_t> active;
  for (const SuperstepReport& row : report.per_superstep) active.push_back(row.active);
  return active;
}
std::vector<std::uint64_t> wakeups_per_superstep(const RunReport& report) {
  std::vector<std::uint64_t> wakeups;
  for (const SuperstepReport& row : report.per_superstep) wakeups.push_back(row.wakeups);
  return wakeups;
}

// ---- votes --------------------------------------------------------------------------------------------------------

/// A vertex votes to halt in superstep id mod 5 and must never be computed again.
struct Countdown {
  using Value = std::uint64_t;
  using Message = std::uint64_t;
  void compute(Vertex<Countdown>& vertex, std::span<const Message> messages, Context& context) const {
    EXPECT_TRUE(messages.empty());
    EXPECT_LE(context.superstep(), number(vertex.id()) % 5);
    ++vertex.value();
    if (number(vertex.id()) % 5 == context.superstep()) vertex.vote_to_halt();
  }
};

TEST(Votes, ActiveVerticesAreComputedUntilTheyHalt) {
  for (const std::uint64_t n : {1ULL, 4ULL, 50ULL, 1000ULL}) {
    const DistributedGraph graph = build(isolated(n));
    core::ThreadTeam team(1);
    Engine<Countdown> engine(graph, {}, team, {});
    const RunReport report = engine.run();
    std::vector<std::uint64_t> wanted;
    for (std::uint64_t k = 0; k < std::min<std::uint64_t>(n, 5); ++k) {
      std::uint64_t active = 0;
      for (std::uint64_t id = 0; id < n; ++id) active += id % 5 >= k ? 1 : 0;
      wanted.push_back(active);
    }
    EXPECT_EQ(active_per_superstep(report), wanted);
    EXPECT_EQ(report.messages_sent(), 0U);
    EXPECT_EQ(report.wakeups(), 0U);
    for (const auto& [id, computations] : gather(graph, engine.values())) EXPECT_EQ(computations, id % 5 + 1);
  }
}

TEST(Votes, NoVerticesNoWork) {
  const DistributedGraph graph = build(oracle::Graph{});
  core::ThreadTeam team(1);
  const RunReport report = Engine<Countdown>(graph, {}, team, {}).run();
  EXPECT_EQ(active_per_superstep(report), std::vector<std::uint64_t>{0});
  EXPECT_EQ(report.messages_sent(), 0U);
}

/// All halt at once; the master wakes everybody after superstep 1 and 3, with nothing in transit and with a message.
struct CalledAgain {
  using Value = std::uint64_t;
  using Message = std::uint64_t;
  void compute(Vertex<CalledAgain>& vertex, std::span<const Message> messages, Context& context) const {
    EXPECT_EQ(messages.empty(), context.superstep() != 4 || number(vertex.id()) == 0);
    ++vertex.value();
    if (context.superstep() == 0 && number(vertex.id()) == 0) return; // stays for one more
    if (context.superstep() == 3 || context.superstep() == 4) vertex.send_to_neighbors(1);
    vertex.vote_to_halt();
  }
  void master(MasterContext& context) const {
    if (context.superstep() == 1 || context.superstep() == 2 || context.superstep() == 3) context.wake_all();
    if (context.superstep() == 4) context.halt();
  }
};

TEST(Votes, TheMasterWakesAll) {
  const DistributedGraph graph = build(chain(100));
  core::ThreadTeam team(1);
  Engine<CalledAgain> engine(graph, {}, team, {});
  const RunReport report = engine.run();
  EXPECT_EQ(active_per_superstep(report), (std::vector<std::uint64_t>{100, 1, 100, 100, 100}));
  EXPECT_EQ(wakeups_per_superstep(report), (std::vector<std::uint64_t>{0, 0, 0, 0, 0})) << "nobody woke by a message";
  for (const auto& [id, computations] : gather(graph, engine.values())) EXPECT_EQ(computations, id == 0 ? 5U : 4U);
}

TEST(Votes, TheMasterCannotWakeNobody) {
  struct Insistent {
    using Value = std::uint64_t;
    using Message = std::uint64_t;
    void compute(Vertex<Insistent>&, std::span<const Message>, Context&) const {}
    void master(MasterContext& context) const { context.wake_all(); }
  };
  const DistributedGraph graph = build(oracle::Graph{});
  core::ThreadTeam team(1);
  EXPECT_EQ(Engine<Insistent>(graph, {}, team, {}).run().supersteps(), 1U) << "a graph without vertices is finished";
}

// ---- wake-ups -----------------------------------------------------------------------------------------------------

/// A token walks along a chain. Everybody halts at once, or stays awake for ever until the token has passed.
template <bool kCombines, bool kDirect>
struct Token {
  using Value = std::uint64_t; // superstep in which the token came
  using Message = std::uint64_t;
  static constexpr bool combine_in_any_order = kCombines;
  static Message combine(Message a, Message b) requires kCombines { return std::min(a, b); }
  bool awake;

  void compute(Vertex<Token>& vertex, std::span<const Message> messages, Context& context) const {
    const bool starts = context.superstep() == 0 && number(vertex.id()) == 0;
    if (starts || !messages.empty()) {
      vertex.value() = context.superstep();
      if (!kDirect)
        vertex.send_to_neighbors(1);
      else if (number(vertex.id()) + 1 < context.vertex_count())
        vertex.send(GlobalId{number(vertex.id()) + 1}, 1);
      vertex.vote_to_halt();
    } else if (!awake) {
      vertex.vote_to_halt();
    }
  }
};

template <class Program>
class Tokens : public testing::Test {};
using TokenPrograms = testing::Types<Token<true, false>, Token<false, false>, Token<true, true>, Token<false, true>>;
TYPED_TEST_SUITE(Tokens, TokenPrograms);

TYPED_TEST(Tokens, AMessageWakesAHaltedVertex) {
  constexpr std::uint64_t n = 40;
  const DistributedGraph graph = build(chain(n));
  core::ThreadTeam team(1);
  Engine<TypeParam> engine(graph, {.awake = false}, team, {});
  const RunReport report = engine.run();
  ASSERT_EQ(report.supersteps(), n);
  std::vector<std::uint64_t> active(n, 1), wakeups(n, 1);
  active[0] = n;
  wakeups[0] = 0;     // the first to get the token has voted in the same barrier: the message wins
  wakeups[n - 1] = 0; // the last sends to nobody
  EXPECT_EQ(active_per_superstep(report), active);
  EXPECT_EQ(wakeups_per_superstep(report), wakeups);
  for (const auto& [id, superstep] : gather(graph, engine.values())) EXPECT_EQ(superstep, id);
}

TYPED_TEST(Tokens, AMessageToAnActiveVertexIsNoWakeup) {
  constexpr std::uint64_t n = 40;
  const DistributedGraph graph = build(chain(n));
  core::ThreadTeam team(1);
  const RunReport report = Engine<TypeParam>(graph, {.awake = true}, team, {}).run();
  ASSERT_EQ(report.supersteps(), n);
  EXPECT_EQ(report.wakeups(), 0U);
  std::vector<std::uint64_t> active(n);
  for (std::uint64_t k = 0; k < n; ++k) active[k] = n - k;
  EXPECT_EQ(active_per_superstep(report), active);
}

/// With a trace the same numbers are counted in another way.
TYPED_TEST(Tokens, TheTraceCountsTheSame) {
  const test::TemporaryDirectory directory(world());
  const DistributedGraph graph = build(chain(40));
  core::ThreadTeam team(1);
  for (const bool awake : {false, true}) {
    RunOptions options;
    const RunReport plain = Engine<TypeParam>(graph, {.awake = awake}, team, options).run();
    options.trace_file = directory.file("trace.csv");
    options.trace_vertices_file = directory.file("vertices.csv");
    const RunReport traced = Engine<TypeParam>(graph, {.awake = awake}, team, options).run();
    EXPECT_EQ(active_per_superstep(plain), active_per_superstep(traced));
    EXPECT_EQ(wakeups_per_superstep(plain), wakeups_per_superstep(traced));
    EXPECT_EQ(traced.messages_delivered(), 39U);
    EXPECT_EQ(test::files_in(directory.path()), 2U);
    core::barrier(world());
  }
}

// ---- ends ---------------------------------------------------------------------------------------------------------

/// Never halts; sends in every superstep if asked to.
struct Endless {
  using Value = std::uint64_t;
  using Message = std::uint64_t;
  static Message combine(Message a, Message b) { return a + b; }
  bool sends;
  void compute(Vertex<Endless>& vertex, std::span<const Message> messages, Context&) const {
    for (const Message m : messages) vertex.value() += m;
    if (sends) vertex.send_to_neighbors(1);
  }
};

TEST(Ends, AtTheLargestNumberOfSupersteps) {
  const test::TemporaryDirectory directory(world());
  const DistributedGraph graph = build(oracle::random_graph(60, 200, true, 2));
  core::ThreadTeam team(1);
  for (const bool traced : {false, true}) {
    for (const std::uint64_t limit : {1ULL, 2ULL, 7ULL}) {
      RunOptions options;
      options.max_supersteps = limit;
      if (traced) options.trace_file = directory.file("trace.csv");
      EXPECT_EQ(Engine<Endless>(graph, {.sends = false}, team, options).run().supersteps(), limit);
      Engine<Endless> engine(graph, {.sends = true}, team, options);
      const RunReport report = engine.run();
      EXPECT_EQ(report.supersteps(), limit);
      EXPECT_EQ(report.messages_sent(), limit * graph.arc_count);
      for (std::uint32_t v = 0; v < graph.local_count; ++v)
        EXPECT_EQ(engine.values()[v], (limit - 1) * graph.in_arcs.length(v));
    }
  }
}

/// The master changes the program's phase in superstep 2 and ends the job in superstep 5.
struct Mastered {
  using Value = std::uint64_t;
  using Message = std::uint64_t;
  static constexpr bool always_active = true;
  static Message combine(Message a, Message b) { return a + b; }
  CountAggregator computed{};
  std::uint64_t phase = 0, begun = 0;

  void declare(AggregatorRegistry& registry) { computed = registry.count("computed"); }
  void begin_superstep(const Context& context) {
    EXPECT_EQ(begun++, context.superstep());
    EXPECT_EQ(context.aggregated(computed).has_value(), context.superstep() > 0);
  }
  void compute(Vertex<Mastered>& vertex, std::span<const Message>, Context& context) const {
    EXPECT_EQ(begun, context.superstep() + 1);
    EXPECT_EQ(phase, context.superstep() > 2 ? 1U : 0U);
    vertex.value() += phase;
    vertex.send_to_neighbors(1);
    context.aggregate(computed, 1);
  }
  void master(MasterContext& context) {
    EXPECT_EQ(context.aggregated(computed), context.vertex_count());
    EXPECT_EQ(context.messages_sent(), 200U);
    if (context.superstep() == 2) phase = 1;
    if (context.superstep() == 5) context.halt();
  }
};

TEST(Ends, WhenTheMasterHalts) {
  const DistributedGraph graph = build(oracle::random_graph(60, 200, true, 2));
  core::ThreadTeam team(1);
  Engine<Mastered> engine(graph, {}, team, {});
  const RunReport report = engine.run();
  EXPECT_EQ(report.supersteps(), 6U);
  EXPECT_EQ(report.vertex_computations(), 360U);
  for (const std::uint64_t value : engine.values()) EXPECT_EQ(value, 3U);
  EXPECT_EQ(engine.program().phase, 1U);
}

// ---- what a vertex sees -----------------------------------------------------------------------------------------

/// Checks everything a vertex can read of itself, and draws random numbers.
struct Observer {
  using Value = std::uint64_t;
  using Message = std::uint64_t;
  const oracle::Graph* graph;
  std::uint64_t seed;

  void compute(Vertex<Observer>& vertex, std::span<const Message>, Context& context) const {
    EXPECT_EQ(context.vertex_count(), graph->vertices.size());
    const std::size_t position = oracle::position(*graph, number(vertex.id()));
    std::vector<std::pair<std::uint64_t, double>> wanted, found;
    const auto arcs = oracle::out_arcs(*graph);
    for (const oracle::Arc& arc : arcs[position]) wanted.emplace_back(graph->vertices[arc.target], arc.weight);
    for (const OutEdgeView edge : vertex.edges()) found.emplace_back(number(edge.target), edge.weight);
    EXPECT_TRUE(std::ranges::is_sorted(found));
    std::ranges::sort(wanted);
    EXPECT_EQ(found, wanted);
    EXPECT_EQ(vertex.degree(), wanted.size());

    core::CounterRandom random = context.random(vertex.id());
    core::CounterRandom expected(seed, number(vertex.id()), context.superstep());
    for (int draw = 0; draw < 3; ++draw) EXPECT_EQ(random.next(), expected.next());
    vertex.value() = core::mix64(vertex.value() ^ random.next());
    if (context.superstep() == 2) vertex.vote_to_halt();
  }
};

TEST(Observations, EdgesDegreesAndRandomNumbers) {
  core::ThreadTeam team(1);
  BuildOptions options;
  options.needs.out_edges = true;
  for (const auto& [name, plain] : oracle::awkward_graphs()) {
    SCOPED_TRACE(name);
    const oracle::Graph graph = oracle::with_weights(plain, 3);
    options.needs.weights = true;
    for (const PartitionKind partition : testing_support::kAllPartitions) {
      options.partition = partition;
      const DistributedGraph built = build(graph, options);
      RunOptions run;
      run.seed = 99;
      Engine<Observer> engine(built, {&graph, run.seed}, team, run);
      engine.run();
    }
  }
}

TEST(Observations, SeedsDiffer) {
  const DistributedGraph graph = [] {
    BuildOptions options;
    options.needs.out_edges = true;
    return build(isolated(20), options);
  }();
  const oracle::Graph plain = isolated(20);
  core::ThreadTeam team(1);
  std::vector<std::map<std::uint64_t, std::uint64_t>> results;
  for (const std::uint64_t seed : {1ULL, 2ULL, 1ULL}) {
    RunOptions run;
    run.seed = seed;
    Engine<Observer> engine(graph, {&plain, seed}, team, run);
    engine.run();
    results.push_back(gather(graph, engine.values()));
  }
  EXPECT_EQ(results[0], results[2]);
  for (const auto& [id, value] : results[0]) EXPECT_NE(value, results[1].at(id));
}

/// Asks for edges that its graph was built without.
struct ReadsEdges {
  using Value = std::uint64_t;
  using Message = std::uint64_t;
  void compute(Vertex<ReadsEdges>& vertex, std::span<const Message>, Context&) const {
    for (const OutEdgeView edge : vertex.edges()) vertex.value() += number(edge.target);
  }
};

TEST(Observations, EdgesThatWereNotBuiltAreNamed) {
  const DistributedGraph graph = build(oracle::random_graph(50, 300, true, 7));
  core::ThreadTeam team(1);
  try {
    Engine<ReadsEdges>(graph, {}, team, {}).run();
    ADD_FAILURE() << "no error on rank " << world().rank();
  } catch (const core::Error& error) {
    EXPECT_NE(std::string(error.what()).find("GraphNeeds::out_edges"), std::string::npos) << error.what();
  }
}

} // namespace
} // namespace pregel
