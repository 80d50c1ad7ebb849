// PULL, PUSH and LIST must not differ in a bit or a count. Programs whose frontier is sparse run on graphs built with
// and without the rows for PUSH, with and without the combiner, on every partition; a simulation that knows nothing of
// distribution says what must come out.
#include <algorithm>
#include <limits>
#include <set>

#include <gtest/gtest.h>

#include "core/temporary_directory.hpp"
#include "pregel/engine/engine.hpp"
#include "pregel/support/pregel_testing.hpp"

namespace pregel {
namespace {

using testing_support::build;
using testing_support::world;

constexpr std::uint64_t kSupersteps = 9;

/// Which vertices send in which superstep: few, some, most, all, nobody, in turn.
bool sends(std::uint64_t id, std::uint64_t superstep) {
  static constexpr std::uint64_t kPercent[kSupersteps] = {100, 3, 1, 20, 60, 100, 5, 0, 2};
  return superstep < kSupersteps && core::mix64(id * 64 + superstep) % 100 < kPercent[superstep];
}

/// How messages are folded, and whether the engine may use a message that means "none".
enum class Folding { sum, min, min_with_neutral };

/// value = value + fold of messages; message = f(value).
template <Folding kFolding>
struct Diffuse {
  using Value = double;
  using Message = double;
  static constexpr bool combine_in_any_order = kFolding != Folding::sum;
  static Message combine(Message a, Message b) { return combine_in_any_order ? std::min(a, b) : a + b; }
  static Message neutral() requires(kFolding == Folding::min_with_neutral) {
    return std::numeric_limits<double>::infinity();
  }
  static Message along(Message m, double weight) { return m * weight; }
  static double start(std::uint64_t id) { return 1.0 / (1.0 + static_cast<double>(id)); }
  static double message(double value) { return value / 3; }

  void compute(Vertex<Diffuse>& vertex, std::span<const Message> messages, Context& context) const {
    if (context.superstep() == 0) vertex.value() = start(number(vertex.id()));
    if (!messages.empty()) {
      double folded = messages[0];
      for (const Message m : messages.subspan(1)) folded = combine(folded, m);
      vertex.value() += folded;
    }
    if (sends(number(vertex.id()), context.superstep())) vertex.send_to_neighbors(message(vertex.value()));
    if (context.superstep() >= kSupersteps || number(vertex.id()) % 3 == 0) vertex.vote_to_halt();
  }
};

/// What a superstep must report, and the values at the end.
struct Simulation {
  std::vector<double> values;
  std::vector<std::uint64_t> active, sent;
  std::uint64_t wakeups = 0;
};

/// The semantics of supersteps, written down plainly. Vertices of id divisible by 3 halt whenever they are computed, so
/// only they can be woken; a vertex that computed just now and halts is not woken by a message of the same superstep.
template <Folding kFolding>
Simulation simulate(const oracle::Graph& graph) {
  using Program = Diffuse<kFolding>;
  struct InArc {
    std::size_t source;
    double weight;
    auto operator<=>(const InArc&) const = default;
  };
  const std::size_t n = graph.vertices.size();
  std::vector<std::vector<InArc>> in(n);
  const auto out = oracle::out_arcs(graph);
  for (std::size_t u = 0; u < n; ++u) {
    for (const oracle::Arc& arc : out[u]) in[arc.target].push_back({u, arc.weight});
  }
  for (auto& list : in) std::ranges::sort(list);

  Simulation simulation;
  std::vector<double>& values = simulation.values;
  for (const std::uint64_t id : graph.vertices) values.push_back(Program::start(id));
  std::vector<char> active(n, 1), sent(n, 0), computed_before(n, 1);
  std::vector<double> message(n, 0);
  for (std::uint64_t k = 0;; ++k) {
    std::uint64_t count_active = 0, count_sent = 0;
    std::vector<char> sent_now(n, 0), computed(n, 0);
    std::vector<double> message_now(n, 0);
    for (std::size_t v = 0; v < n; ++v) {
      bool any = false;
      double folded = 0;
      for (const InArc& arc : in[v]) {
        if (!sent[arc.source]) continue;
        const double m = Program::along(message[arc.source], arc.weight);
        folded = any ? Program::combine(folded, m) : m;
        any = true;
      }
      if (!any && !active[v]) continue;
      computed[v] = 1;
      ++count_active;
      simulation.wakeups += computed_before[v] ? 0 : 1;
      if (any) values[v] += folded;
      const std::uint64_t id = graph.vertices[v];
      if (sends(id, k)) {
        sent_now[v] = 1;
        message_now[v] = Program::message(values[v]);
        count_sent += out[v].size();
      }
      active[v] = !(k >= kSupersteps || id % 3 == 0);
    }
    simulation.active.push_back(count_active);
    simulation.sent.push_back(count_sent);
    sent = sent_now;
    message = message_now;
    computed_before = computed;
    if (count_sent == 0 && std::ranges::count(active, 1) == 0) return simulation;
  }
}

struct Case {
  std::string name;
  oracle::Graph graph;
};

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const oracle::NamedGraph& named : testing_support::selected_graphs()) {
    all.push_back({named.name, named.graph});
    all.push_back({named.name + "_weighted", oracle::with_weights(named.graph, 17)});
  }
  for (const bool directed : {true, false}) {
    const oracle::Graph graph = oracle::random_graph(3000, 20000, directed, 41);
    all.push_back({directed ? "large_directed" : "large_undirected", graph});
    all.push_back({"large_weighted", oracle::with_weights(graph, 5)});
  }
  return all;
}

template <Folding kFolding>
void expect_as_simulated(const DistributedGraph& graph, const oracle::Graph& plain, const Simulation& wanted,
                         const RunOptions& options, std::set<FoldMode>& modes) {
  core::ThreadTeam team(1);
  Engine<Diffuse<kFolding>> engine(graph, {}, team, options);
  const RunReport report = engine.run();
  std::vector<std::uint64_t> active, sent;
  for (const SuperstepReport& row : report.per_superstep) {
    active.push_back(row.active);
    sent.push_back(row.sent);
    modes.insert(row.mode);
  }
  EXPECT_EQ(active, wanted.active);
  EXPECT_EQ(sent, wanted.sent);
  EXPECT_EQ(report.wakeups(), wanted.wakeups);
  for (std::uint32_t v = 0; v < graph.local_count; ++v) {
    const std::uint64_t id = number(graph.id_of(LocalId{v}));
    EXPECT_EQ(engine.values()[v], wanted.values[oracle::position(plain, id)]) << "vertex " << id;
  }
}

class FoldModes : public testing::TestWithParam<PartitionKind> {
 protected:
  template <Folding kFolding>
  static void check() {
    std::set<FoldMode> pulled, pushed, listed, listed_without_rows;
    for (const auto& [name, plain] : cases()) {
      SCOPED_TRACE(name);
      const Simulation wanted = simulate<kFolding>(plain);
      for (const bool with_push : {false, true}) {
        BuildOptions build_options;
        build_options.partition = GetParam();
        build_options.needs.weights = !plain.weights.empty();
        build_options.needs.push = with_push;
        const DistributedGraph graph = build(plain, build_options);
        RunOptions options;
        expect_as_simulated<kFolding>(graph, plain, wanted, options, with_push ? pushed : pulled);
        options.use_combiner = false;
        expect_as_simulated<kFolding>(graph, plain, wanted, options, with_push ? listed : listed_without_rows);
      }
    }
    using enum FoldMode;
    EXPECT_EQ(pulled, (std::set{none, pull}));
    EXPECT_EQ(pushed, (std::set{none, pull, push}));
    EXPECT_EQ(listed, (std::set{none, pull, list}));
    EXPECT_EQ(listed_without_rows, (std::set{none, pull}));
  }
};

INSTANTIATE_TEST_SUITE_P(All, FoldModes, testing::ValuesIn(testing_support::kAllPartitions),
                         [](const auto& instance) { return std::string(partition_name(instance.param)); });

TEST_P(FoldModes, SumsInAscendingOrderAreBitIdentical) {
  check<Folding::sum>();
}

TEST_P(FoldModes, MinimaAreIdentical) {
  check<Folding::min>();
}

TEST_P(FoldModes, MinimaWithANeutralMessageAreIdentical) {
  check<Folding::min_with_neutral>();
}

/// --trace counts deliveries and must not change anything.
TEST_P(FoldModes, DeliveriesAreTheSameInAllModes) {
  const test::TemporaryDirectory directory(world());
  const oracle::Graph plain = oracle::random_graph(800, 5000, true, 42);
  core::ThreadTeam team(1);
  for (const bool use_combiner : {true, false}) {
    std::vector<std::vector<std::optional<std::uint64_t>>> delivered;
    for (const bool with_push : {false, true}) {
      BuildOptions build_options;
      build_options.partition = GetParam();
      build_options.needs.push = with_push;
      const DistributedGraph graph = build(plain, build_options);
      RunOptions options;
      options.use_combiner = use_combiner;
      options.trace_file = directory.file("trace.csv");
      const RunReport report = Engine<Diffuse<Folding::sum>>(graph, {}, team, options).run();
      delivered.emplace_back();
      for (const SuperstepReport& row : report.per_superstep) {
        delivered.back().push_back(row.delivered);
        if (!use_combiner) {
          EXPECT_EQ(row.delivered, row.sent);
        }
        EXPECT_LE(row.delivered, row.sent);
      }
    }
    EXPECT_EQ(delivered[0], delivered[1]);
  }
}

/// Everybody sends once, and the program has no combiner: what is delivered is known without --trace.
struct SendOnce {
  using Value = double;
  using Message = double;
  void compute(Vertex<SendOnce>& vertex, std::span<const Message>, Context& context) const {
    if (context.superstep() == 0) vertex.send_to_neighbors(1.0);
    vertex.vote_to_halt();
  }
};

TEST_P(FoldModes, WithoutACombinerEveryMessageIsDelivered) {
  BuildOptions build_options;
  build_options.partition = GetParam();
  const DistributedGraph graph = build(oracle::random_graph(60, 400, true, 7), build_options);
  core::ThreadTeam team(1);
  const RunReport report = Engine<SendOnce>(graph, {}, team, {}).run();
  EXPECT_EQ(report.per_superstep.at(0).sent, graph.arc_count);
  EXPECT_EQ(report.per_superstep.at(0).delivered, graph.arc_count);
}

// ---- settled vertices ---------------------------------------------------------------------------------------------

/// A search that stops listening once it has been reached: the hints must not change who is reached when and by whom.
template <bool kHints>
struct Search {
  using Value = std::uint64_t; // sender that reached it, or kNobody
  using Message = std::uint64_t;
  static constexpr std::uint64_t kNobody = ~0ULL;
  static constexpr bool combine_in_any_order = true;
  static constexpr bool one_is_enough = kHints;
  static Message combine(Message a, Message b) { return std::min(a, b); }
  static bool needs_messages(const Value& value) requires kHints { return value == kNobody; }

  void compute(Vertex<Search>& vertex, std::span<const Message> messages, Context& context) const {
    const std::uint64_t id = number(vertex.id());
    if (context.superstep() == 0) vertex.value() = kNobody;
    const bool starts = context.superstep() == 0 && id % 97 == 5;
    if (vertex.value() == kNobody && (starts || !messages.empty())) {
      vertex.value() = starts ? id : *std::ranges::min_element(messages);
      vertex.send_to_neighbors(id);
    }
    vertex.vote_to_halt();
  }
};

TEST_P(FoldModes, HintsChangeNoResult) {
  core::ThreadTeam team(1);
  for (const auto& [name, plain] : cases()) {
    SCOPED_TRACE(name);
    std::vector<std::map<std::uint64_t, std::uint64_t>> results;
    for (const bool with_push : {false, true}) {
      BuildOptions build_options;
      build_options.partition = GetParam();
      build_options.needs.push = with_push;
      const DistributedGraph graph = build(plain, build_options);
      for (const bool use_combiner : {true, false}) {
        RunOptions options;
        options.use_combiner = use_combiner;
        Engine<Search<true>> hinted(graph, {}, team, options);
        hinted.run();
        results.push_back(testing_support::gather(graph, hinted.values()));
        Engine<Search<false>> plain_search(graph, {}, team, options);
        plain_search.run();
        results.push_back(testing_support::gather(graph, plain_search.values()));
      }
    }
    for (const auto& result : results) EXPECT_EQ(result, results[0]);
  }
}

} // namespace
} // namespace pregel
