// Maximal matchings: sets of edges without common ends to which no edge can be added.
//
// - standard: of any graph; direction is ignored. Every edge has a random priority, a function of (seed, its ends). In
//   even supersteps free vertices tell their neighbours that they are free; in odd ones each picks the free neighbour
//   behind its edge of highest priority and tells it; who picked each other are matched. The matching is the one that a
//   greedy walk through the edges by descending priority finds (Preis, "Linear time 1/2-approximation algorithm for
//   maximum weighted matching", STACS 1999, for such locally heaviest edges), and is at least half as large as the
//   largest one.
// - textbook: of a bipartite graph whose edges lead from left to right, in rounds of four supersteps (Malewicz et al.,
//   "Pregel", SIGMOD 2010, section 5.4): left vertices ask all their neighbours; right ones grant one request, chosen
//   at random, and deny the others; left ones accept one grant; right ones note who accepted. A left vertex that gets
//   no answer has no free neighbour and is done; one that was only denied tries again.
#include <algorithm>

#include "core/random.hpp"
#include "pregel/error.hpp"
#include "registry.hpp"
#include "run_program.hpp"

namespace pregel {
namespace {

struct GreedyMatching {
  struct Value {
    GlobalId partner = kNoVertex;
    GlobalId pick = kNoVertex;
  };
  using Message = GlobalId; // of the sender
  static bool needs_messages(const Value& value) { return value.partner == kNoVertex; }
  static std::string describe(const Value& value) {
    return value.partner == kNoVertex ? "free" : trace_text(value.partner);
  }

  std::uint64_t seed;

  void compute(Vertex<GreedyMatching>& vertex, std::span<const Message> messages, Context& context) const {
    Value& value = vertex.value();
    if (context.superstep() == 0) value = {};
    if (context.superstep() % 2 == 1) {
      if (messages.empty()) return vertex.vote_to_halt(); // no free neighbour, now or later
      value.pick =
          *std::ranges::max_element(messages, {}, [&](GlobalId other) { return priority(vertex.id(), other); });
      return vertex.send(value.pick, vertex.id());
    }
    if (std::ranges::find(messages, value.pick) != messages.end()) {
      value.partner = value.pick;
      return vertex.vote_to_halt();
    }
    vertex.send_to_neighbors(vertex.id());
  }

 private:
  /// Of the edge between a and b; distinct edges differ at the latest in their ends.
  [[nodiscard]] std::tuple<std::uint64_t, GlobalId, GlobalId> priority(GlobalId a, GlobalId b) const noexcept {
    const auto [low, high] = std::minmax(a, b);
    return {core::CounterRandom(seed, number(low), number(high)).next(), low, high};
  }
};

struct FourPhaseMatching {
  using Value = GlobalId; // the partner
  struct Message {
    GlobalId from = kNoVertex;
    std::uint64_t granted = 0;
  };
  static bool needs_messages(GlobalId partner) { return partner == kNoVertex; }
  static std::string describe(GlobalId partner) { return partner == kNoVertex ? "free" : trace_text(partner); }

  void compute(Vertex<FourPhaseMatching>& vertex, std::span<const Message> messages, Context& context) const {
    if (context.superstep() == 0) vertex.value() = kNoVertex;
    const bool is_left = vertex.degree() != 0;
    switch (context.superstep() % 4) {
      case 0:
        if (is_left) vertex.send_to_neighbors({vertex.id(), 0});
        return vertex.vote_to_halt();
      case 1:
        if (is_left && !messages.empty())
          throw GraphError("vertex " + std::to_string(number(vertex.id())) +
                           " has edges in and out: --variant textbook needs edges from left to right");
        if (!messages.empty()) answer(vertex, messages, context);
        if (!is_left) vertex.vote_to_halt();
        return;
      case 2: return accept(vertex, messages, context);
      default:
        if (!is_left && !messages.empty()) vertex.value() = messages.front().from;
        if (!is_left) vertex.vote_to_halt();
        return;
    }
  }

 private:
  static void answer(Vertex<FourPhaseMatching>& vertex, std::span<const Message> requests, const Context& context) {
    const std::uint64_t chosen = context.random(vertex.id()).below(requests.size());
    for (std::size_t i = 0; i < requests.size(); ++i)
      vertex.send(requests[i].from, {vertex.id(), i == chosen ? 1U : 0U});
  }
  static void accept(Vertex<FourPhaseMatching>& vertex, std::span<const Message> answers, const Context& context) {
    std::vector<GlobalId> grants;
    for (const Message& m : answers)
      if (m.granted != 0) grants.push_back(m.from);
    if (grants.empty()) return; // denied: stays active, to ask again
    vertex.value() = grants[context.random(vertex.id()).below(grants.size())];
    vertex.send(vertex.value(), {vertex.id(), 0});
    vertex.vote_to_halt();
  }
};

AlgorithmRun run(const DistributedGraph& graph, core::ThreadTeam& team, const AlgorithmOptions& options,
                 const RunOptions& run_options) {
  if (options.variant == "textbook") {
    if (!graph.directed)
      throw core::InputError("matching --variant textbook needs a directed graph, with edges from left to right");
    return run_program(graph, team, FourPhaseMatching{}, run_options, [&](const auto& partners) {
      return std::vector<NamedColumn>{column(graph, "partner", partners, [](GlobalId id) { return id; })};
    });
  }
  return run_program(graph, team, GreedyMatching{run_options.seed}, run_options, [&](const auto& values) {
    return std::vector<NamedColumn>{
        column(graph, "partner", values, [](const GreedyMatching::Value& value) { return value.partner; })};
  });
}

} // namespace

Algorithm matching_algorithm() {
  return {.name = "matching",
          .summary = "a maximal matching: each vertex's partner, -1 if it has none",
          .variants = {"standard", "textbook"},
          .result = ResultKind::matching,
          .needs =
              [](const AlgorithmOptions& options) {
                GraphNeeds needs{.simple = true};
                if (options.variant != "textbook") needs.path = MessagePath::both_ways;
                return needs;
              },
          .run = run};
}

} // namespace pregel
