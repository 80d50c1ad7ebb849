// Messages that are not trivially copyable travel as archives, and messages without content as bits.
#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "pregel/engine/engine.hpp"
#include "scripted_messages.hpp"

namespace pregel {
namespace {

using testing_support::build;
using testing_support::deliveries;
using testing_support::Script;
using testing_support::scripts;
using testing_support::world;

/// Texts of very different lengths, some empty.
std::string text_of(std::uint64_t id) {
  return id % 5 == 0 ? "" : std::string(id % 90, static_cast<char>('a' + id % 26)) + std::to_string(id);
}
std::vector<std::uint64_t> list_of(std::uint64_t id) {
  return std::vector<std::uint64_t>(id % 7, id);
}

/// Collects messages; M is made from the sender's id by Make.
template <class M, M (*kMake)(std::uint64_t)>
struct Collect {
  using Message = M;
  using Value = std::vector<M>;
  const Script* script;

  void compute(Vertex<Collect>& vertex, std::span<const Message> messages, Context& context) const {
    const std::uint64_t id = number(vertex.id());
    if (context.superstep() == 0) {
      for (const std::uint64_t target : script->targets(id)) vertex.send(GlobalId{target}, kMake(id));
      if (script->publishes(id)) vertex.send_to_neighbors(kMake(id));
    } else {
      vertex.value().assign(messages.begin(), messages.end());
    }
    vertex.vote_to_halt();
  }
};

template <class M, M (*kMake)(std::uint64_t)>
void check_collections() {
  core::ThreadTeam team(1);
  for (const PartitionKind partition : {PartitionKind::hash, PartitionKind::range}) {
    for (const auto& [name, graph] : testing_support::selected_graphs()) {
      if (graph.vertices.empty()) continue;
      BuildOptions build_options;
      build_options.partition = partition;
      const DistributedGraph built = build(graph, build_options);
      for (const auto& [script_name, script] : scripts(graph)) {
        SCOPED_TRACE(name + ": " + script_name);
        Engine<Collect<M, kMake>> engine(built, {&script}, team, {});
        engine.run();
        const auto senders = deliveries(graph, script);
        for (std::uint32_t v = 0; v < built.local_count; ++v) {
          std::vector<M> wanted;
          if (const auto found = senders.find(number(built.id_of(LocalId{v}))); found != senders.end())
            std::ranges::transform(found->second, std::back_inserter(wanted), kMake);
          EXPECT_EQ(engine.values()[v], wanted) << "vertex " << number(built.id_of(LocalId{v}));
        }
      }
    }
  }
}

TEST(SerializedMessages, Strings) {
  check_collections<std::string, text_of>();
}

TEST(SerializedMessages, Vectors) {
  check_collections<std::vector<std::uint64_t>, list_of>();
}

TEST(SerializedMessages, UnknownTargetIsAnErrorOnEveryRank) {
  const DistributedGraph graph = build(oracle::random_graph(50, 100, true, 4));
  core::ThreadTeam team(1);
  const Script script{.targets = [](std::uint64_t id) {
    return id == 17 ? std::vector<std::uint64_t>{3, 51} : std::vector<std::uint64_t>();
  }};
  try {
    Engine<Collect<std::string, text_of>>(graph, {&script}, team, {}).run();
    ADD_FAILURE() << "no error";
  } catch (const core::Error& error) {
    EXPECT_NE(std::string(error.what()).find("vertex 17 sent a message to vertex 51"), std::string::npos)
        << error.what();
  }
}

/// A combiner of strings: the lexicographically least.
struct LeastText {
  using Message = std::string;
  using Value = std::string;
  static constexpr bool combine_in_any_order = true;
  static Message combine(const Message& a, const Message& b) { return std::min(a, b); }
  const Script* script;

  void compute(Vertex<LeastText>& vertex, std::span<const Message> messages, Context& context) const {
    const std::uint64_t id = number(vertex.id());
    if (context.superstep() == 0) {
      for (const std::uint64_t target : script->targets(id)) vertex.send(GlobalId{target}, "x" + text_of(id));
      if (script->publishes(id)) vertex.send_to_neighbors("x" + text_of(id));
    } else {
      EXPECT_EQ(messages.size(), 1U);
      vertex.value() = messages[0];
    }
    vertex.vote_to_halt();
  }
};

TEST(SerializedMessages, AreCombined) {
  core::ThreadTeam team(1);
  const oracle::Graph graph = oracle::random_graph(100, 400, true, 8);
  const DistributedGraph built = build(graph);
  for (const auto& [name, script] : scripts(graph)) {
    SCOPED_TRACE(name);
    Engine<LeastText> engine(built, {&script}, team, {});
    engine.run();
    const auto senders = deliveries(graph, script);
    for (std::uint32_t v = 0; v < built.local_count; ++v) {
      std::string wanted;
      if (const auto found = senders.find(number(built.id_of(LocalId{v}))); found != senders.end()) {
        for (const std::uint64_t sender : found->second)
          wanted = wanted.empty() ? "x" + text_of(sender) : std::min(wanted, "x" + text_of(sender));
      }
      EXPECT_EQ(engine.values()[v], wanted);
    }
  }
}

/// Messages without content: how many arrive is all there is to know.
struct CountKnocks {
  struct Message {};
  using Value = std::uint64_t;
  const Script* script;

  void compute(Vertex<CountKnocks>& vertex, std::span<const Message> messages, Context& context) const {
    const std::uint64_t id = number(vertex.id());
    if (context.superstep() == 0) {
      for (const std::uint64_t target : script->targets(id)) vertex.send(GlobalId{target}, {});
      if (script->publishes(id)) vertex.send_to_neighbors({});
    }
    vertex.value() = messages.size();
    vertex.vote_to_halt();
  }
};

TEST(EmptyMessages, AreCounted) {
  core::ThreadTeam team(1);
  for (const auto& [name, graph] : testing_support::selected_graphs()) {
    if (graph.vertices.empty()) continue;
    const DistributedGraph built = build(graph);
    for (const auto& [script_name, script] : scripts(graph)) {
      SCOPED_TRACE(name + ": " + script_name);
      Engine<CountKnocks> engine(built, {&script}, team, {});
      engine.run();
      const auto senders = deliveries(graph, script);
      for (std::uint32_t v = 0; v < built.local_count; ++v) {
        const auto found = senders.find(number(built.id_of(LocalId{v})));
        EXPECT_EQ(engine.values()[v], found == senders.end() ? 0U : found->second.size());
      }
    }
  }
}

} // namespace
} // namespace pregel
