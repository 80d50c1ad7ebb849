// Messages to all neighbours and to given ids, alone and in one superstep: who gets them, in which order, how they are
// combined and counted.
#include <algorithm>
#include <tuple>

#include <gtest/gtest.h>

#include "core/temporary_directory.hpp"
#include "pregel/engine/engine.hpp"
#include "scripted_messages.hpp"

namespace pregel {
namespace {

using testing_support::build;
using testing_support::count_sent;
using testing_support::deliveries;
using testing_support::Script;
using testing_support::scripts;
using testing_support::world;

const std::vector<oracle::NamedGraph>& graphs() {
  static const std::vector<oracle::NamedGraph> all = [] {
    std::vector<oracle::NamedGraph> some;
    for (const oracle::NamedGraph& graph : testing_support::selected_graphs()) {
      if (!graph.graph.vertices.empty()) some.push_back(graph);
    }
    some.push_back({"larger", oracle::random_graph(700, 6000, true, 30)});
    return some;
  }();
  return all;
}

/// Sends by the script in superstep 0 and lists in superstep 1 who has written.
struct ListSenders {
  struct Message {
    std::uint64_t sender;
  };
  using Value = std::vector<std::uint64_t>;
  const Script* script;

  void compute(Vertex<ListSenders>& vertex, std::span<const Message> messages, Context& context) const {
    const std::uint64_t id = number(vertex.id());
    if (context.superstep() == 0) {
      EXPECT_TRUE(messages.empty());
      for (const std::uint64_t target : script->targets(id)) vertex.send(GlobalId{target}, {id});
      if (script->publishes(id)) vertex.send_to_neighbors({id});
    } else {
      EXPECT_EQ(context.superstep(), 1U);
      EXPECT_TRUE(vertex.value().empty()) << "computed twice";
      for (const Message& m : messages) vertex.value().push_back(m.sender);
    }
    vertex.vote_to_halt();
  }
};

/// Folds real numbers by adding (order matters) or by taking the least (it does not).
template <bool kAnyOrder>
struct Fold {
  using Message = double;
  using Value = double;
  static constexpr bool combine_in_any_order = kAnyOrder;
  static Message combine(Message a, Message b) { return kAnyOrder ? std::min(a, b) : a + b; }
  static double message_of(std::uint64_t id) { return 1.0 / (3.0 + static_cast<double>(id % 1000)); }
  static constexpr double kNothing = -1;
  const Script* script;
  bool combined;

  void compute(Vertex<Fold>& vertex, std::span<const Message> messages, Context& context) const {
    const std::uint64_t id = number(vertex.id());
    if (context.superstep() == 0) {
      vertex.value() = kNothing;
      for (const std::uint64_t target : script->targets(id)) vertex.send(GlobalId{target}, message_of(id));
      if (script->publishes(id)) vertex.send_to_neighbors(message_of(id));
    } else {
      if (combined) {
        EXPECT_EQ(messages.size(), 1U);
      }
      vertex.value() = messages[0];
      for (const Message m : messages.subspan(1)) vertex.value() = combine(vertex.value(), m);
    }
    vertex.vote_to_halt();
  }
};

class Messages : public testing::TestWithParam<std::tuple<PartitionKind, bool>> {
 protected:
  static DistributedGraph graph_of(const oracle::Graph& graph) {
    BuildOptions options;
    options.partition = std::get<0>(GetParam());
    options.needs.push = std::get<1>(GetParam());
    return build(graph, options);
  }

  /// Calls check(oracle graph, distributed graph, script) for all of them. `traced`: for a few graphs, because every
  /// trace is a file that is synchronised to the disk.
  template <class Check>
  static void for_each_case(Check&& check, bool traced = false) {
    for (const auto& [graph_name, graph] : graphs()) {
      if (traced && graph_name != "repeated_edges" && graph_name != "star" && graph_name != "larger") continue;
      const DistributedGraph built = graph_of(graph);
      for (const auto& [script_name, script] : scripts(graph)) {
        SCOPED_TRACE(graph_name + ": " + script_name);
        check(graph, built, script);
      }
    }
  }

  template <bool kAnyOrder>
  static void check_folds() {
    core::ThreadTeam team(1);
    for (const bool use_combiner : {true, false}) {
      for_each_case([&](const oracle::Graph& graph, const DistributedGraph& built, const Script& script) {
        RunOptions options;
        options.use_combiner = use_combiner;
        Engine<Fold<kAnyOrder>> engine(built, {&script, use_combiner}, team, options);
        const RunReport report = engine.run();
        EXPECT_EQ(report.messages_sent(), count_sent(graph, script));
        const auto senders = deliveries(graph, script);
        for (std::uint32_t v = 0; v < built.local_count; ++v) {
          double wanted = Fold<kAnyOrder>::kNothing;
          if (const auto found = senders.find(number(built.id_of(LocalId{v}))); found != senders.end()) {
            wanted = Fold<kAnyOrder>::message_of(found->second[0]);
            for (std::size_t i = 1; i < found->second.size(); ++i)
              wanted = Fold<kAnyOrder>::combine(wanted, Fold<kAnyOrder>::message_of(found->second[i]));
          }
          EXPECT_EQ(engine.values()[v], wanted) << "vertex " << number(built.id_of(LocalId{v}));
        }
      });
    }
  }
};

INSTANTIATE_TEST_SUITE_P(All, Messages,
                         testing::Combine(testing::ValuesIn(testing_support::kAllPartitions), testing::Bool()),
                         [](const auto& instance) {
                           return std::string(partition_name(std::get<0>(instance.param))) +
                                  (std::get<1>(instance.param) ? "WithPush" : "WithoutPush");
                         });

TEST_P(Messages, AreListedInAscendingOrderOfSenders) {
  core::ThreadTeam team(1);
  for_each_case([&](const oracle::Graph& graph, const DistributedGraph& built, const Script& script) {
    Engine<ListSenders> engine(built, {&script}, team, {});
    const RunReport report = engine.run();
    EXPECT_EQ(report.messages_sent(), count_sent(graph, script));
    const auto senders = deliveries(graph, script);
    EXPECT_EQ(report.vertex_computations(), graph.vertices.size() + senders.size());
    EXPECT_EQ(report.supersteps(), senders.empty() ? 1U : 2U);
    for (std::uint32_t v = 0; v < built.local_count; ++v) {
      const std::uint64_t id = number(built.id_of(LocalId{v}));
      const auto found = senders.find(id);
      EXPECT_EQ(engine.values()[v], found == senders.end() ? ListSenders::Value() : found->second) << "vertex " << id;
    }
  });
}

TEST_P(Messages, SumsAreFoldedInAscendingOrderOfSenders) {
  check_folds<false>();
}

TEST_P(Messages, MinimaAreFolded) {
  check_folds<true>();
}

/// With a combiner, what one rank sends to one target counts as one delivery; without, each message does.
TEST_P(Messages, DeliveriesAreCountedPerSendingRank) {
  const test::TemporaryDirectory directory(world());
  core::ThreadTeam team(1);
  for_each_case(
      [&](const oracle::Graph& graph, const DistributedGraph& built, const Script& script) {
        std::uint64_t combined = 0;
        for (const auto& [target, senders] : deliveries(graph, script)) {
          std::set<int> ranks;
          for (const std::uint64_t sender : senders) ranks.insert(built.owner(GlobalId{sender}));
          combined += ranks.size();
        }
        for (const bool use_combiner : {true, false}) {
          RunOptions options;
          options.use_combiner = use_combiner;
          options.trace_file = directory.file("trace.csv");
          const std::uint64_t wanted = use_combiner ? combined : count_sent(graph, script);
          EXPECT_EQ((Engine<Fold<true>>(built, {&script, use_combiner}, team, options).run().messages_delivered()),
                    wanted);
          EXPECT_EQ((Engine<Fold<false>>(built, {&script, use_combiner}, team, options).run().messages_delivered()),
                    wanted);
        }
      },
      true);
}

/// What is known without a trace agrees with what the trace counts.
TEST_P(Messages, DeliveriesKnownWithoutATrace) {
  const test::TemporaryDirectory directory(world());
  core::ThreadTeam team(1);
  for_each_case(
      [&](const oracle::Graph&, const DistributedGraph& built, const Script& script) {
        for (const bool use_combiner : {true, false}) {
          RunOptions options;
          options.use_combiner = use_combiner;
          const RunReport plain = Engine<Fold<false>>(built, {&script, use_combiner}, team, options).run();
          options.trace_file = directory.file("trace.csv");
          const RunReport traced = Engine<Fold<false>>(built, {&script, use_combiner}, team, options).run();
          ASSERT_EQ(plain.supersteps(), traced.supersteps());
          for (std::size_t k = 0; k < plain.supersteps(); ++k) {
            if (plain.per_superstep[k].delivered) {
              EXPECT_EQ(plain.per_superstep[k].delivered, traced.per_superstep[k].delivered);
            }
          }
        }
      },
      true);
}

// ---- unknown targets --------------------------------------------------------------------------------------------

/// A vertex sends to ids that do not exist, on another rank or on its own.
TEST(UnknownTargets, AreAnErrorThatNamesBothVerticesOnEveryRank) {
  const DistributedGraph graph = build(oracle::random_graph(50, 100, true, 4));
  core::ThreadTeam team(1);
  for (const std::uint64_t missing : {50ULL, 51ULL, 52ULL, 1000000ULL, ~0ULL - 1}) {
    const Script script{.targets = [&](std::uint64_t id) {
      return id == 17 ? std::vector<std::uint64_t>{3, missing, 4} : std::vector<std::uint64_t>();
    }};
    const std::string wanted =
        "superstep 0: vertex 17 sent a message to vertex " + std::to_string(missing) + ", which does not exist";
    try {
      Engine<ListSenders>(graph, {&script}, team, {}).run();
      ADD_FAILURE() << "no error on rank " << world().rank();
    } catch (const core::Error& error) {
      EXPECT_EQ(std::string(error.what()).substr(0, wanted.size()), wanted);
      EXPECT_EQ(error.rank(), graph.owner(GlobalId{missing}));
    }
  }
}

TEST(UnknownTargets, AreDroppedIfAskedFor) {
  const DistributedGraph graph = build(oracle::random_graph(50, 100, true, 4));
  core::ThreadTeam team(1);
  const Script script{.targets = [](std::uint64_t id) { return std::vector<std::uint64_t>{id + 45, 7, id + 4000}; }};
  RunOptions options;
  options.unknown_target = UnknownTarget::drop;
  Engine<ListSenders> engine(graph, {&script}, team, options);
  const RunReport report = engine.run();
  EXPECT_EQ(report.messages_sent(), 150U);
  for (std::uint32_t v = 0; v < graph.local_count; ++v) {
    const std::uint64_t id = number(graph.id_of(LocalId{v}));
    std::vector<std::uint64_t> wanted;
    if (id >= 45) wanted.push_back(id - 45);
    if (id == 7) {
      for (std::uint64_t sender = 0; sender < 50; ++sender) wanted.push_back(sender);
    }
    EXPECT_EQ(engine.values()[v], wanted) << id;
  }
}

// ---- sending twice ----------------------------------------------------------------------------------------------

template <bool kCombines>
struct Twice {
  using Value = double;
  using Message = double;
  static Message combine(Message a, Message b) requires kCombines { return a + b; }
  void compute(Vertex<Twice>& vertex, std::span<const Message> messages, Context& context) const {
    if (context.superstep() == 0) {
      vertex.send_to_neighbors(1);
      vertex.send_to_neighbors(10);
    }
    vertex.value() = 0;
    for (const double m : messages) vertex.value() += m;
    vertex.vote_to_halt();
  }
};

TEST(SendingTwice, IsCombinedByTheSender) {
  const oracle::Graph graph = oracle::random_graph(50, 100, false, 4);
  const DistributedGraph built = build(graph);
  core::ThreadTeam team(1);
  Engine<Twice<true>> engine(built, {}, team, {});
  const RunReport report = engine.run();
  EXPECT_EQ(report.messages_sent(), 2 * built.arc_count);
  for (std::uint32_t v = 0; v < built.local_count; ++v)
    EXPECT_EQ(engine.values()[v], 11.0 * static_cast<double>(built.in_arcs.length(v)));
}

TEST(SendingTwice, IsRefusedWithoutACombiner) {
  const DistributedGraph built = build(oracle::random_graph(50, 100, false, 4));
  core::ThreadTeam team(1);
  try {
    Engine<Twice<false>>(built, {}, team, {}).run();
    ADD_FAILURE() << "no error";
  } catch (const core::Error& error) {
    EXPECT_NE(std::string(error.what()).find("called send_to_neighbors() twice"), std::string::npos) << error.what();
  }
}

} // namespace
} // namespace pregel
