// Several threads of a rank must give the bits of one, on graphs large enough that the engine really uses them (it
// keeps to one thread below 16,384 vertices or arcs of work).
#include <algorithm>
#include <stdexcept>

#include <gtest/gtest.h>

#include "core/temporary_directory.hpp"
#include "pregel/engine/engine.hpp"
#include "pregel/support/pregel_testing.hpp"

namespace pregel {
namespace {

using testing_support::build;
using testing_support::world;

constexpr std::uint64_t kVertices = 60000;
constexpr std::uint64_t kEdges = 300000;

const oracle::Graph& large_graph() {
  static const oracle::Graph graph = oracle::random_graph(kVertices, kEdges, true, 77);
  return graph;
}

bool sends(std::uint64_t id, std::uint64_t superstep) {
  static constexpr std::uint64_t kPercent[] = {100, 20, 70, 25, 1, 30};
  return superstep < 6 && core::mix64(id * 8 + superstep) % 100 < kPercent[superstep];
}

/// All the ways of sending, and aggregators.
template <bool kAnyOrder, bool kDirect>
struct Mixture {
  using Value = double;
  using Message = double;
  static constexpr bool combine_in_any_order = kAnyOrder;
  static Message combine(Message a, Message b) { return kAnyOrder ? std::min(a, b) : a + b; }
  SumAggregator<double> sum{};
  MaxAggregator<double> largest{};
  CountAggregator count{};

  void declare(AggregatorRegistry& registry) {
    sum = registry.sum<double>("sum");
    largest = registry.max<double>("largest");
    count = registry.count("count");
  }
  void compute(Vertex<Mixture>& vertex, std::span<const Message> messages, Context& context) const {
    const std::uint64_t id = number(vertex.id()), k = context.superstep();
    if (k == 0) vertex.value() = 1.0 / (1.0 + static_cast<double>(id));
    if (!messages.empty()) {
      double folded = messages[0];
      for (const Message m : messages.subspan(1)) folded = combine(folded, m);
      vertex.value() += folded / 7;
    }
    core::CounterRandom random = context.random(vertex.id());
    vertex.value() += random.uniform() * 1e-3;
    if (sends(id, k)) vertex.send_to_neighbors(vertex.value());
    if (kDirect && k < 4 && id % 3 != 0) vertex.send(GlobalId{random.below(kVertices)}, vertex.value());
    if (id % 1000 == 0 || k % 2 == 0) {
      context.aggregate(sum, vertex.value());
      context.aggregate(largest, vertex.value());
      context.aggregate(count, 1);
    }
    if (k >= 6 || id % 2 == 0) vertex.vote_to_halt();
  }
};

struct Outcome {
  std::vector<double> values;
  std::vector<std::vector<std::uint64_t>> counts;
  std::vector<std::pair<std::string, double>> aggregates;
  friend bool operator==(const Outcome&, const Outcome&) = default;
};

template <class Program>
Outcome run(const DistributedGraph& graph, int threads, const RunOptions& options, std::vector<FoldMode>& modes) {
  core::ThreadTeam team(threads);
  Engine<Program> engine(graph, {}, team, options);
  const RunReport report = engine.run();
  Outcome outcome{{engine.values().begin(), engine.values().end()}, {}, report.aggregates};
  modes.clear();
  for (const SuperstepReport& row : report.per_superstep) {
    outcome.counts.push_back({row.active, row.sent, row.wakeups});
    modes.push_back(row.mode);
  }
  return outcome;
}

template <class Program>
class EngineThreads : public testing::Test {};
using Mixtures = testing::Types<Mixture<false, false>, Mixture<true, false>, Mixture<false, true>, Mixture<true, true>>;
TYPED_TEST_SUITE(EngineThreads, Mixtures);

TYPED_TEST(EngineThreads, GiveTheSameBits) {
  const DistributedGraph graph = build(large_graph());
  for (const bool use_combiner : {true, false}) {
    RunOptions options;
    options.use_combiner = use_combiner;
    std::vector<FoldMode> modes, modes_of_one;
    const Outcome wanted = run<TypeParam>(graph, 1, options, modes_of_one);
    for (const int threads : {2, 3}) {
      EXPECT_TRUE(run<TypeParam>(graph, threads, options, modes) == wanted)
          << threads << " threads, combiner " << use_combiner;
      EXPECT_EQ(modes, modes_of_one);
    }
  }
}

/// More threads than there are ranges of 64 vertices on a rank, and ranks without vertices.
TEST(EngineThreadsOnSmallGraphs, GiveTheSameBits) {
  for (const auto& [name, plain] : oracle::awkward_graphs()) {
    SCOPED_TRACE(name);
    const DistributedGraph graph = build(plain);
    std::vector<FoldMode> modes;
    using Program = Mixture<false, false>;
    const Outcome wanted = run<Program>(graph, 1, {}, modes);
    EXPECT_TRUE(run<Program>(graph, 3, {}, modes) == wanted);
  }
}

/// One vertex in the middle throws, on whichever thread it is.
struct ThrowsOnce {
  using Value = std::uint64_t;
  using Message = std::uint64_t;
  static Message combine(Message a, Message b) { return a + b; }
  void compute(Vertex<ThrowsOnce>& vertex, std::span<const Message>, Context& context) const {
    if (context.superstep() == 1 && number(vertex.id()) == kVertices / 2) throw std::runtime_error("no more luck");
    vertex.send_to_neighbors(1);
  }
};

TEST(EngineThreadsThatThrow, EndTheJobOnAllRanks) {
  const DistributedGraph graph = build(large_graph());
  for (const int threads : {1, 2, 3}) {
    core::ThreadTeam team(threads);
    try {
      Engine<ThrowsOnce>(graph, {}, team, {}).run();
      ADD_FAILURE() << "no error";
    } catch (const core::Error& error) {
      EXPECT_NE(std::string(error.what()).find("no more luck"), std::string::npos) << error.what();
      EXPECT_EQ(error.rank(), graph.owner(GlobalId{kVertices / 2}));
    }
  }
}

} // namespace
} // namespace pregel
