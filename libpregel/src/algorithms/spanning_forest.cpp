// The minimum spanning forest: of all sets of edges that connect what is connected, the one of least weight. Borůvka's
// method (1926; as rounds on a distributed graph: Chung, Condon, "Parallel implementation of Boruvka's minimum spanning
// tree algorithm", IPPS 1996). Every vertex names the root of its tree. In each round every tree finds the lightest
// edge that leaves it, and its root hangs itself under the root at the other end; at least half of the roots vanish.
//   announce   all tell their neighbours which tree they are in
//   choose     each vertex sends the lightest of its edges that leave the tree to its root
//   hook       a root takes the lightest of those, and tells the other root
//   settle     two roots that chose each other chose the same edge: the smaller one stays a root; all others hang
//   ask        everybody asks the one it names as root whom that one names, until it names itself,
//   answer     so that all pointers lead to roots again, in a number of steps logarithmic in the depth
//
// Edges are ordered by (weight, smaller end, larger end): no two are equal, so the forest is unique and no round can
// close a cycle. A root that hangs itself keeps the edge and never chooses again: each vertex has at most one.
//
// Direction is ignored; of repeated edges the lightest counts; loops never do. Without weights every edge weighs 1.
#include <algorithm>
#include <tuple>

#include "collectives/routed_exchange.hpp"
#include "registry.hpp"
#include "run_program.hpp"

namespace pregel {
namespace {

struct ForestEdge {
  double weight = 0;
  std::uint64_t u = 0, v = 0; ///< u < v
  friend bool operator<(const ForestEdge& a, const ForestEdge& b) noexcept {
    return std::tie(a.weight, a.u, a.v) < std::tie(b.weight, b.u, b.v);
  }
};

struct SpanningForest {
  enum class Phase : std::uint8_t { announce, choose, hook, settle, ask, answer };
  static constexpr std::uint64_t kNobody = number(kNoVertex);
  struct Value {
    std::uint64_t root = 0;         ///< who names itself, or leads there
    std::uint64_t target = kNobody; ///< a root: the other end's root, in hook and settle
    ForestEdge edge;                ///< chosen, in hook and settle; kept when `has_edge`
    bool has_edge = false;
    bool asks = false;
  };
  /// Announcement: who, and its root; `weight` comes along the arc. Edge: all four. Else only `from`.
  struct Message {
    double weight = 0;
    std::uint64_t from = 0, to = 0;
    std::uint64_t root = 0;
  };
  static constexpr bool always_active = true;
  static Message along(Message m, double weight) {
    m.weight = weight;
    return m;
  }
  static std::string describe(const Value& value) { return trace_text(value.root); }

  Phase phase = Phase::announce;
  CountAggregator edges{};
  SumAggregator<double> total{};

  void declare(AggregatorRegistry& registry) {
    edges = registry.count("forest_edges");
    total = registry.sum<double>("forest_weight");
  }
  void compute(Vertex<SpanningForest>& vertex, std::span<const Message> messages, Context& context) const {
    Value& value = vertex.value();
    const std::uint64_t id = number(vertex.id());
    switch (phase) {
      case Phase::announce:
        if (context.superstep() == 0) {
          value = {};
          value.root = id;
        }
        return vertex.send_to_neighbors({0, id, 0, value.root});
      case Phase::choose: return choose(vertex, messages, context);
      case Phase::hook:
        value.target = kNobody;
        for (const Message& m : messages) {
          const ForestEdge edge{m.weight, m.from, m.to};
          if (value.target != kNobody && !(edge < value.edge)) continue;
          value.edge = edge;
          value.target = m.root;
        }
        if (value.target != kNobody) vertex.send(GlobalId{value.target}, {0, id, 0, 0});
        return;
      case Phase::settle: return settle(value, id, messages);
      case Phase::ask:
        if (value.asks && !messages.empty()) { // the answer
          value.asks = messages.front().from != value.root;
          value.root = messages.front().from;
        }
        if (value.asks) vertex.send(GlobalId{value.root}, {0, id, 0, 0});
        return;
      case Phase::answer:
        for (const Message& m : messages) vertex.send(GlobalId{m.from}, {0, value.root, 0, 0});
        return;
    }
  }
  void master(MasterContext& context) {
    const bool silent = context.messages_sent() == 0;
    switch (phase) {
      case Phase::announce: phase = Phase::choose; return;
      case Phase::choose:
        if (silent) context.halt(); // no edge leaves a tree
        phase = Phase::hook;
        return;
      case Phase::hook: phase = Phase::settle; return;
      case Phase::settle: phase = Phase::ask; return;
      case Phase::ask: phase = silent ? Phase::announce : Phase::answer; return;
      case Phase::answer: phase = Phase::ask; return;
    }
  }
  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    archive& phase;
  }

 private:
  void choose(Vertex<SpanningForest>& vertex, std::span<const Message> messages, Context& context) const {
    const Value& value = vertex.value();
    if (value.has_edge) { // in the last round these are all
      context.aggregate(edges, 1);
      context.aggregate(total, value.edge.weight);
    }
    const std::uint64_t id = number(vertex.id());
    bool found = false;
    ForestEdge best;
    std::uint64_t other_root = 0;
    for (const Message& m : messages) {
      if (m.root == value.root) continue;
      const ForestEdge edge{m.weight, std::min(id, m.from), std::max(id, m.from)};
      if (found && !(edge < best)) continue;
      found = true;
      best = edge;
      other_root = m.root;
    }
    if (found) vertex.send(GlobalId{value.root}, {best.weight, best.u, best.v, other_root});
  }
  static void settle(Value& value, std::uint64_t id, std::span<const Message> messages) {
    if (value.target != kNobody) {
      const bool mutual = std::ranges::any_of(messages, [&](const Message& m) { return m.from == value.target; });
      if (!mutual || value.target < id) {
        value.has_edge = true;
        value.root = value.target;
      }
    }
    value.target = kNobody;
    value.asks = value.root != id;
  }
};

/// The edges of all ranks, each on the owner of its smaller end, ascending. Collective.
std::vector<ForestEdge> by_owner(const DistributedGraph& graph, std::span<const SpanningForest::Value> values) {
  std::vector<ForestEdge> kept, mine;
  for (const SpanningForest::Value& value : values)
    if (value.has_edge) kept.push_back(value.edge);
  collectives::routed_exchange<ForestEdge>(
      *graph.comm,
      collectives::produce_each(kept,
                                [&](auto& push, const ForestEdge& edge) { push(graph.owner(GlobalId{edge.u}), edge); }),
      [&](int, std::span<const ForestEdge> items) { mine.insert(mine.end(), items.begin(), items.end()); });
  std::ranges::sort(mine, {}, [](const ForestEdge& edge) { return std::pair(edge.u, edge.v); });
  return mine;
}

AlgorithmRun run(const DistributedGraph& graph, core::ThreadTeam& team, const AlgorithmOptions&,
                 const RunOptions& run_options) {
  std::vector<ForestEdge> edges;
  AlgorithmRun run = run_program(graph, team, SpanningForest{}, run_options, [&](const auto& values) {
    edges = by_owner(graph, values);
    return std::vector<NamedColumn>{};
  });
  std::vector<GlobalId> larger_ends;
  std::vector<double> weights;
  run.result.ids.clear();
  for (const ForestEdge& edge : edges) {
    run.result.ids.push_back(GlobalId{edge.u});
    larger_ends.push_back(GlobalId{edge.v});
    weights.push_back(edge.weight);
  }
  run.result.columns = {{"to", std::move(larger_ends)}, {"weight", std::move(weights)}};
  return run;
}

} // namespace

Algorithm spanning_forest_algorithm() {
  return {.name = "msf",
          .summary = "minimum spanning forest; a line \"u v weight\" for each of its edges",
          .reads_weights = true,
          .result = ResultKind::edges,
          .needs =
              [](const AlgorithmOptions&) {
                return GraphNeeds{.path = MessagePath::both_ways, .push = false, .simple = true};
              },
          .run = run};
}

} // namespace pregel
