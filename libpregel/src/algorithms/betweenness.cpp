// Betweenness centrality: over all pairs of other vertices, the share of their shortest paths that lead through the
// vertex (Freeman, 1977), by Brandes, "A faster algorithm for betweenness centrality", Journal of Mathematical
// Sociology, 2001. For each source a wave counts shortest paths level by level on the way out, and on the way back
// every vertex v gathers, from those one level further,
//   delta(v) = sigma(v) * sum over w of (1 + delta(w)) / sigma(w)
// for sigma shortest paths from the source; deltas are added over the sources in ascending order of their ids.
//
// Unnormalised. In an undirected graph each pair counts once, whatever the sources: a path's end that is a source
// itself brings 1/2 instead of 1, because the pair comes up a second time from that end. Neighbours are a set: loops
// and repeated edges do not count.
//
// A wave reads messages only where they matter: outwards who has no depth, backwards who is at the level at hand. On
// the way back vertices without anybody behind them get no message at their level; they stay active until their turn.
// Few levels: everybody does, which costs a look a level. Many: who has nobody behind is found out first, by one
// message along each arc, or on a chain every superstep would cost the whole chain.
//
// Sums are folded in ascending order of ids and so have the same bits everywhere; they are not exact, but have the
// rounding of a sequential program that adds in this order.
#include <algorithm>
#include <cmath>
#include <limits>

#include "pregel/error.hpp"
#include "registry.hpp"
#include "run_program.hpp"

namespace pregel {
namespace {

struct Betweenness {
  /// By what is read in the superstep: nothing in begin, start and announce.
  enum class Phase : std::uint8_t { begin, start, outwards, announce, find_ends, backwards };
  static constexpr std::uint32_t kFar = std::numeric_limits<std::uint32_t>::max();
  static constexpr std::uint32_t kFewLevels = 16;
  struct Value {
    double centrality = 0;
    double paths = 0;
    double delta = 0;
    std::uint32_t depth = kFar;
    bool is_source = false;
  };
  using Message = double; // never negative; outwards paths, backwards (1 + delta) / paths
  static Message neutral() { return 0; }
  Message combine(Message a, Message b) const { return phase == Phase::find_ends ? std::max(a, b) : a + b; }
  Message along(Message m, double direction) const {
    if (!directed) return m;
    const bool fits = phase == Phase::outwards ? ArcDirection::in(direction) : ArcDirection::out(direction);
    return fits ? m : 0;
  }
  bool needs_messages(const Value& value) const {
    switch (phase) {
      case Phase::outwards: return value.depth == kFar;
      case Phase::find_ends: return value.depth != kFar;
      case Phase::backwards: return value.depth == level;
      default: return false;
    }
  }
  static std::string describe(const Value& value) { return trace_text(value.centrality); }

  bool directed;
  const std::vector<GlobalId>* chosen; ///< ascending; none: every vertex is a source
  Phase phase = Phase::begin;
  std::uint64_t source = number(kNoVertex); ///< of the wave at hand; none yet
  std::uint32_t level = 0;
  bool few_levels = true;
  MinAggregator<std::uint64_t> next_source{};

  void declare(AggregatorRegistry& registry) { next_source = registry.min<std::uint64_t>("next_source"); }

  void compute(Vertex<Betweenness>& vertex, std::span<const Message> messages, Context& context) const {
    Value& value = vertex.value();
    double sum = 0;
    for (const Message m : messages) sum = combine(sum, m);
    switch (phase) {
      case Phase::begin: return begin(vertex, context);
      case Phase::start:
        if (number(vertex.id()) == source) settle(vertex, 0, 1);
        return vertex.vote_to_halt();
      case Phase::outwards:
        if (sum > 0 && value.depth == kFar) settle(vertex, level, sum);
        return vertex.vote_to_halt();
      case Phase::announce:
        if (value.depth == kFar) return vertex.vote_to_halt();
        return vertex.send_to_neighbors(value.depth + 1.0);
      case Phase::find_ends:
        if (sum == value.depth + 2.0) vertex.vote_to_halt(); // somebody is behind it and will wake it
        return;
      case Phase::backwards:
        if (value.depth == level) gather(vertex, sum);
        if (value.depth >= level) vertex.vote_to_halt();
        return;
    }
  }

  void master(MasterContext& context) {
    switch (phase) {
      case Phase::begin:
        if (const auto next = context.aggregated(next_source)) {
          source = *next;
          phase = Phase::start;
        } else {
          context.halt();
        }
        return;
      case Phase::start:
      case Phase::outwards:
        if (context.messages_sent() != 0) {
          level = phase == Phase::start ? 1 : level + 1;
          phase = Phase::outwards;
        } else if (phase == Phase::start || level == 1) {
          wake(Phase::begin, context); // the source reaches nobody
        } else {
          few_levels = --level <= kFewLevels;
          wake(few_levels ? Phase::backwards : Phase::announce, context);
        }
        return;
      case Phase::announce: phase = Phase::find_ends; return;
      case Phase::find_ends: phase = Phase::backwards; return; // those at the last level are ends, and active
      case Phase::backwards:
        if (level == 1) return wake(Phase::begin, context);
        --level;
        return;
    }
  }
  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    archive& phase& source& level& few_levels;
  }

 private:
  void wake(Phase next, MasterContext& context) {
    phase = next;
    context.wake_all();
  }
  /// Closes a wave and readies the vertex for the next; sources to come stay active.
  void begin(Vertex<Betweenness>& vertex, Context& context) const {
    Value& value = vertex.value();
    const std::uint64_t id = number(vertex.id());
    if (context.superstep() == 0) {
      value = {};
      value.is_source = chosen->empty() || std::ranges::binary_search(*chosen, vertex.id());
    } else {
      value.centrality += id == source ? 0 : value.delta;
    }
    value.paths = value.delta = 0;
    value.depth = kFar;
    if (value.is_source && (context.superstep() == 0 || id > source))
      context.aggregate(next_source, id);
    else
      vertex.vote_to_halt();
  }
  static void settle(Vertex<Betweenness>& vertex, std::uint32_t depth, double paths) {
    if (std::isinf(paths))
      throw GraphError("betweenness: vertex " + std::to_string(number(vertex.id())) +
                       " has more shortest paths from a source than a double can count");
    vertex.value().depth = depth;
    vertex.value().paths = paths;
    vertex.send_to_neighbors(paths);
  }
  void gather(Vertex<Betweenness>& vertex, double sum) const {
    Value& value = vertex.value();
    value.delta = value.paths * sum;
    const double as_end = !directed && value.is_source ? 0.5 : 1.0;
    vertex.send_to_neighbors((as_end + value.delta) / value.paths);
  }
};

AlgorithmRun run(const DistributedGraph& graph, core::ThreadTeam& team, const AlgorithmOptions& options,
                 const RunOptions& run_options) {
  std::vector<GlobalId> chosen = options.sources;
  std::ranges::sort(chosen);
  return run_program(graph, team, Betweenness{graph.directed, &chosen}, run_options, [&](const auto& values) {
    return std::vector<NamedColumn>{
        column(graph, "centrality", values, [](const Betweenness::Value& value) { return value.centrality; })};
  });
}

} // namespace

Algorithm betweenness_algorithm() {
  return {.name = "bc",
          .summary = "betweenness centrality, unnormalised: of all vertices as sources, or of --source or --sources",
          .takes_sources = true,
          .needs =
              [](const AlgorithmOptions&) {
                return GraphNeeds{.path = MessagePath::both_ways, .directions = true, .simple = true};
              },
          .run = run};
}

} // namespace pregel
