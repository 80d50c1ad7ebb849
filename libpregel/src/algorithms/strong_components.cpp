// Strongly connected components: the largest sets in which every vertex reaches every other. In rounds, each of which
// finds whole components and takes them out (the multistep method: Slota, Rajamanickam, Madduri, "BFS and
// coloring-based parallel algorithms for strongly connected components", IPDPS 2014):
//   trim     a vertex without an arc in, or without one out, is a component of its own; without it others may be, too
//   pivot    once: of the vertex with most arcs both ways, what it reaches and what reaches it; where both meet is its
//            component, which in most graphs is the giant one (Fleischer, Hendrickson, Pinar, 2000)
//   colour   every vertex learns the largest key among those that reach it. One whose own key that is, a root, spreads
//            the colour backwards, and whoever has it and is reached is in the root's component (Orzan, 2004). Keys are
//            mixed ids: with ids, a chain of components in ascending order would lose but one of them a round.
//
// A message has a half that follows the arcs and one that goes against them; along() keeps the half that fits the arc
// (GraphNeeds::directions). Both halves are combined by max, or added while trimming, where they count arcs. A root's
// colour travels backwards as its complement: a vertex can only hear of larger colours than its own from ahead, so its
// own is the smallest, and the complement of it the largest.
//
// Components are named by their roots' keys until the end, then by their smallest ids.
#include <algorithm>

#include "core/random.hpp"
#include "group_names.hpp"
#include "registry.hpp"
#include "run_program.hpp"

namespace pregel {
namespace {

/// The key of a vertex, unlike any other's and never ~0 (which no id has: kNoVertex would).
[[nodiscard]] constexpr std::uint64_t key_of(GlobalId id) noexcept {
  return core::mix64(number(id)) - core::mix64(number(kNoVertex)) - 1;
}

struct StrongComponents {
  enum class Phase : std::uint8_t {
    count,
    trim,
    rank_pivots,
    choose_pivot,
    pivot,
    take_pivot,
    colour,
    root,
    take_root
  };
  // Marks: reached from the pivot, reaches it, both (or reached by a root); out of the graph.
  static constexpr std::uint32_t kReached = 1, kReaches = 2, kFound = 3, kLeft = 4;
  struct Value {
    std::uint64_t key = 0; ///< the colour, at last the root's key
    std::uint32_t in = 0, out = 0;
    std::uint32_t marks = 0;
  };
  struct Message {
    std::uint64_t forward = 0, backward = 0;
    friend bool operator==(const Message&, const Message&) = default;
  };
  static constexpr bool combine_in_any_order = true;
  static Message neutral() { return {}; }
  Message combine(Message a, Message b) const {
    if (phase == Phase::trim) return {a.forward + b.forward, a.backward + b.backward};
    return {std::max(a.forward, b.forward), std::max(a.backward, b.backward)};
  }
  Message along(Message m, double direction) const {
    if (!directed) return m;
    return {ArcDirection::in(direction) ? m.forward : 0, ArcDirection::out(direction) ? m.backward : 0};
  }
  bool needs_messages(const Value& value) const { return (value.marks & kLeft) == 0 && value.marks != kFound; }

  bool directed;
  Phase phase = Phase::count;
  bool begins = false; ///< a phase that starts from chosen vertices: this is its first superstep
  bool giant_taken = false;
  std::uint64_t left = 0; ///< vertices whose component is known
  std::uint64_t most_arcs = 0;
  std::uint64_t pivot = 0;
  CountAggregator leaving{};
  MaxAggregator<std::uint64_t> largest_arcs{};
  MinAggregator<std::uint64_t> smallest_pivot{};

  void declare(AggregatorRegistry& registry) {
    leaving = registry.count("leaving");
    largest_arcs = registry.max<std::uint64_t>("largest_arcs");
    smallest_pivot = registry.min<std::uint64_t>("smallest_pivot");
  }

  void compute(Vertex<StrongComponents>& vertex, std::span<const Message> messages, Context& context) const {
    vertex.vote_to_halt();
    Value& value = vertex.value();
    if (phase == Phase::count) {
      value = {};
      if (vertex.degree() == 0) return leave(vertex, key_of(vertex.id()), context); // nobody will write to it
      return vertex.send_to_neighbors({1, 1});
    }
    if ((value.marks & kLeft) != 0) return;
    Message received;
    for (const Message& m : messages) received = combine(received, m);
    switch (phase) {
      case Phase::count: break;
      case Phase::trim: trim(vertex, received, context); break;
      case Phase::rank_pivots: context.aggregate(largest_arcs, arcs_both_ways(value)); break;
      case Phase::choose_pivot:
        if (arcs_both_ways(value) == most_arcs) context.aggregate(smallest_pivot, number(vertex.id()));
        break;
      case Phase::pivot: spread_marks(vertex, received); break;
      case Phase::take_pivot: take(vertex, value.marks == kFound, key_of(GlobalId{pivot}), context); break;
      case Phase::colour: colour(vertex, received); break;
      case Phase::root: spread_root(vertex, received); break;
      case Phase::take_root: take(vertex, value.marks == kFound, value.key, context); break;
    }
  }

  void master(MasterContext& context) {
    begins = false;
    if (const auto some = context.aggregated(leaving)) {
      left += *some;
      phase = Phase::trim;
      if (left == context.vertex_count()) context.halt();
      return;
    }
    switch (phase) {
      case Phase::count: phase = Phase::trim; return; // all have sent; nothing to wake
      case Phase::trim: begin(giant_taken ? Phase::colour : Phase::rank_pivots, context); return;
      case Phase::rank_pivots:
        most_arcs = context.aggregated(largest_arcs).value_or(0);
        begin(Phase::choose_pivot, context);
        return;
      case Phase::choose_pivot:
        pivot = context.aggregated(smallest_pivot).value_or(0);
        giant_taken = true;
        begin(Phase::pivot, context);
        return;
      case Phase::pivot:
        if (context.messages_sent() == 0) begin(Phase::take_pivot, context);
        return;
      case Phase::colour:
        if (context.messages_sent() == 0) begin(Phase::root, context);
        return;
      case Phase::root:
        if (context.messages_sent() == 0) begin(Phase::take_root, context);
        return;
      case Phase::take_pivot:
      case Phase::take_root: return; // somebody always leaves: the pivot, a root
    }
  }

  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    archive& phase& begins& giant_taken& left& most_arcs& pivot;
  }

 private:
  void begin(Phase next, MasterContext& context) {
    phase = next;
    begins = true;
    context.wake_all();
  }
  [[nodiscard]] static std::uint64_t arcs_both_ways(const Value& value) noexcept {
    return std::min(value.in, value.out);
  }

  /// The vertex's component is known. Those around it have an arc less.
  void leave(Vertex<StrongComponents>& vertex, std::uint64_t key, Context& context) const {
    vertex.value().key = key;
    vertex.value().marks = kLeft;
    context.aggregate(leaving, 1);
    vertex.send_to_neighbors({1, 1});
  }
  void trim(Vertex<StrongComponents>& vertex, const Message& arcs, Context& context) const {
    Value& value = vertex.value();
    const auto in = static_cast<std::uint32_t>(arcs.forward), out = static_cast<std::uint32_t>(arcs.backward);
    if (context.superstep() == 1) {
      value.in = in;
      value.out = out;
    } else {
      value.in -= in;
      value.out -= out;
    }
    if (value.in == 0 || value.out == 0) leave(vertex, key_of(vertex.id()), context);
  }
  void spread_marks(Vertex<StrongComponents>& vertex, const Message& received) const {
    Value& value = vertex.value();
    std::uint32_t marks = (received.forward != 0 ? kReached : 0U) | (received.backward != 0 ? kReaches : 0U);
    if (begins) marks = number(vertex.id()) == pivot ? kFound : 0U;
    marks &= ~value.marks;
    if (marks == 0) return;
    value.marks |= marks;
    vertex.send_to_neighbors({marks & kReached, marks & kReaches});
  }
  void colour(Vertex<StrongComponents>& vertex, const Message& received) const {
    Value& value = vertex.value();
    if (begins) value.key = key_of(vertex.id());
    if (!begins && received.forward <= value.key) return;
    value.key = std::max(value.key, received.forward);
    vertex.send_to_neighbors({value.key, 0});
  }
  void spread_root(Vertex<StrongComponents>& vertex, const Message& received) const {
    Value& value = vertex.value();
    const bool found = begins ? value.key == key_of(vertex.id()) : ~received.backward == value.key;
    if (!found) return;
    value.marks = kFound;
    vertex.send_to_neighbors({0, ~value.key});
  }
  /// Takes found vertices out, and readies the others for the next round.
  void take(Vertex<StrongComponents>& vertex, bool found, std::uint64_t key, Context& context) const {
    if (found) return leave(vertex, key, context);
    vertex.value().marks = 0;
  }
};

AlgorithmRun run(const DistributedGraph& graph, core::ThreadTeam& team, const AlgorithmOptions&,
                 const RunOptions& run_options) {
  return run_program(graph, team, StrongComponents{graph.directed}, run_options, [&](const auto& values) {
    std::vector<std::uint64_t> keys;
    keys.reserve(values.size());
    for (const StrongComponents::Value& value : values) keys.push_back(value.key);
    const std::vector<GlobalId> names = smallest_ids(graph, keys);
    return std::vector<NamedColumn>{
        column(graph, "component", std::span<const GlobalId>(names), [](GlobalId id) { return id; })};
  });
}

} // namespace

Algorithm strong_components_algorithm() {
  return {.name = "scc",
          .summary = "strongly connected components, named by their smallest id",
          .result = ResultKind::groups,
          .needs =
              [](const AlgorithmOptions&) {
                return GraphNeeds{.path = MessagePath::both_ways, .directions = true, .simple = true};
              },
          .run = run};
}

} // namespace pregel
