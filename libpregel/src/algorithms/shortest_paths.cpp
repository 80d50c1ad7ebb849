// Single-source shortest paths with non-negative weights: every vertex keeps its best known distance and tells its
// neighbours when it improves; an arc adds its weight to what passes along it (Bellman-Ford by messages; Malewicz et
// al., "Pregel", SIGMOD 2010, section 5.3). The result is the smallest sum over all paths, whatever the order of
// relaxations, because min ignores order and each path's sum is added from the source outwards.
//
// - standard: votes to halt in every superstep; messages wake
// - textbook: a vertex that improved stays active for one more superstep; aggregates how many vertices are reachable
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "pregel/error.hpp"
#include "registry.hpp"
#include "run_program.hpp"

namespace pregel {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// What both variants share: distances, and how they travel.
struct Distances {
  using Value = double;
  using Message = double;
  static constexpr bool combine_in_any_order = true;
  static Message combine(Message a, Message b) { return std::min(a, b); }
  static Message along(Message distance, double weight) { return distance + weight; }
  static Message neutral() { return kInfinity; }

  GlobalId source;

  /// Takes the messages in; tells the neighbours and returns true if the distance improved.
  template <class P>
  bool relax(Vertex<P>& vertex, std::span<const Message> messages, const Context& context) const {
    double best = kInfinity;
    if (context.superstep() == 0) {
      vertex.value() = kInfinity;
      if (vertex.id() == source) best = 0;
    }
    for (const Message m : messages) best = std::min(best, m);
    if (best >= vertex.value()) return false;
    vertex.value() = best;
    vertex.send_to_neighbors(best);
    return true;
  }
};

struct ShortestPaths : Distances {
  void compute(Vertex<ShortestPaths>& vertex, std::span<const Message> messages, Context& context) const {
    relax(vertex, messages, context);
    vertex.vote_to_halt();
  }
};

struct TextbookShortestPaths : Distances {
  SumAggregator<std::uint64_t> reachable{};

  void declare(AggregatorRegistry& registry) { reachable = registry.sum<std::uint64_t>("reachable"); }
  void compute(Vertex<TextbookShortestPaths>& vertex, std::span<const Message> messages, Context& context) const {
    if (!relax(vertex, messages, context)) vertex.vote_to_halt();
    if (context.superstep() > 0) context.aggregate(reachable, std::isinf(vertex.value()) ? 0 : 1);
  }
};

struct NegativeArc {
  GlobalId source, target;
  double weight;
};

/// This rank's first arc whose weight is negative or no number, by target. Local.
std::optional<NegativeArc> find_negative_arc(const DistributedGraph& graph) {
  const Rows<Slot>& arcs = graph.in_arcs;
  if (arcs.weights.empty()) return std::nullopt;
  for (const LocalId v : graph.ascending) {
    for (std::uint64_t a = arcs.offsets[index(v)]; a < arcs.offsets[index(v) + std::size_t{1}]; ++a) {
      if (arcs.weights[a] >= 0) continue; // NaN is not, either
      return NegativeArc{graph.slot_ids[index(arcs.entries[a])], graph.id_of(v), arcs.weights[a]};
    }
  }
  return std::nullopt;
}

/// Negative weights have no shortest paths by this method. InputError that names an edge, the same one for every number
/// of ranks. Collective.
void require_non_negative_weights(const DistributedGraph& graph, const NameDirectory* names) {
  const std::optional<NegativeArc> mine = find_negative_arc(graph);
  const std::uint64_t target = mine ? number(mine->target) : number(kNoVertex);
  const std::uint64_t first = core::all_reduce_value(*graph.comm, target, core::Reduce::min);
  if (first == number(kNoVertex)) return;
  // All arcs of a target are on one rank, so one rank has it. The others ask for no names.
  std::vector<GlobalId> ends;
  if (target == first) ends = {mine->source, mine->target};
  if (!graph.directed) std::ranges::sort(ends);
  std::vector<std::string> words;
  for (const GlobalId id : ends) words.push_back(std::to_string(number(id)));
  if (names != nullptr) words = names->names_of(*graph.comm, ends);
  core::agree(*graph.comm, [&] {
    if (words.empty()) return;
    throw core::InputError("shortest paths need weights that are not negative: edge " + words[0] + " " + words[1] +
                           " has weight " + trace_text(mine->weight));
  });
}

AlgorithmRun run(const DistributedGraph& graph, core::ThreadTeam& team, const AlgorithmOptions& options,
                 const RunOptions& run_options) {
  require_non_negative_weights(graph, options.names);
  const auto columns = [&](std::span<const double> distances) {
    return std::vector<NamedColumn>{column(graph, "distance", distances, [](double d) { return d; })};
  };
  if (options.variant == "textbook") {
    return run_program(graph, team, TextbookShortestPaths{{*options.source}}, run_options, columns);
  }
  return run_program(graph, team, ShortestPaths{{*options.source}}, run_options, columns);
}

} // namespace

Algorithm shortest_paths_algorithm() {
  return {.name = "sssp",
          .summary = "shortest paths from --source (weights with --weighted, else each edge counts 1)",
          .variants = {"standard", "textbook"},
          .needs_source = true,
          .reads_weights = true,
          .needs = [](const AlgorithmOptions&) { return GraphNeeds{}; },
          .run = run};
}

} // namespace pregel
