// An estimate of the diameter from below: sweeps of breadth-first search, each from the vertex that was farthest from
// the source of the one before, until the depth does not grow any more (the double sweep of Magnien, Latapy, Habib,
// "Fast computation of empirically tight bounds for the diameter of massive graphs", JEA 2009, repeated). The first
// source is the vertex with most neighbours; ties go to the smallest id. Exact on trees, and rarely off by more than
// one or two in networks.
//
// Direction is ignored, and only the component of the first source is looked at. A vertex's value is the largest of its
// distances to the sources of the sweeps: its eccentricity from below.
#include <limits>

#include "registry.hpp"
#include "run_program.hpp"

namespace pregel {
namespace {

constexpr std::int64_t kUnreachable = std::numeric_limits<std::int64_t>::max();

struct Diameter {
  enum class Phase : std::uint8_t { rank, choose, start, sweep, collect };
  static constexpr std::uint32_t kFar = std::numeric_limits<std::uint32_t>::max();
  struct Value {
    std::uint32_t depth = kFar;
    std::uint32_t eccentricity = 0;
    bool reached = false; ///< in any sweep: then in all of them
  };
  struct Message {};
  static constexpr bool combine_in_any_order = true;
  static constexpr bool one_is_enough = true;
  static Message combine(Message a, Message) { return a; }
  bool needs_messages(const Value& value) const { return phase == Phase::sweep && value.depth == kFar; }
  static std::string describe(Message) { return "visited"; }
  static std::string describe(const Value& value) { return trace_text(std::uint64_t{value.eccentricity}); }

  Phase phase = Phase::rank;
  std::uint64_t largest_degree = 0, source = 0, best = 0;
  std::uint32_t level = 0;
  MaxAggregator<std::uint64_t> degree{};
  MinAggregator<std::uint64_t> next_source{};
  MaxAggregator<std::uint64_t> diameter{};

  void declare(AggregatorRegistry& registry) {
    degree = registry.max<std::uint64_t>("largest_degree");
    next_source = registry.min<std::uint64_t>("source");
    diameter = registry.max<std::uint64_t>("diameter");
  }
  void compute(Vertex<Diameter>& vertex, std::span<const Message> messages, Context& context) const {
    Value& value = vertex.value();
    const std::uint64_t id = number(vertex.id());
    switch (phase) {
      case Phase::rank:
        value = {};
        context.aggregate(degree, vertex.degree());
        return;
      case Phase::choose:
        if (vertex.degree() == largest_degree) context.aggregate(next_source, id);
        return;
      case Phase::start:
        value.depth = kFar;
        if (id == source) settle(vertex, 0);
        return vertex.vote_to_halt();
      case Phase::sweep:
        if (!messages.empty() && value.depth == kFar) settle(vertex, level);
        return vertex.vote_to_halt();
      case Phase::collect:
        if (value.depth == kFar) return;
        value.eccentricity = std::max(value.eccentricity, value.depth);
        value.reached = true;
        context.aggregate(diameter, value.depth);
        if (value.depth == level) context.aggregate(next_source, id);
        return;
    }
  }
  void master(MasterContext& context) {
    switch (phase) {
      case Phase::rank:
        largest_degree = context.aggregated(degree).value_or(0);
        phase = Phase::choose;
        return;
      case Phase::choose: begin_sweep(context); return;
      case Phase::start:
      case Phase::sweep:
        if (context.messages_sent() != 0) {
          level = phase == Phase::start ? 1 : level + 1;
          phase = Phase::sweep;
          return;
        }
        level = phase == Phase::start ? 0 : level - 1;
        phase = Phase::collect;
        context.wake_all();
        return;
      case Phase::collect:
        if (level <= best) return context.halt();
        best = level;
        begin_sweep(context);
        return;
    }
  }
  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    archive& phase& largest_degree& source& best& level;
  }

 private:
  void begin_sweep(const MasterContext& context) {
    source = context.aggregated(next_source).value_or(0);
    phase = Phase::start;
  }
  static void settle(Vertex<Diameter>& vertex, std::uint32_t depth) {
    vertex.value().depth = depth;
    vertex.send_to_neighbors({});
  }
};

AlgorithmRun run(const DistributedGraph& graph, core::ThreadTeam& team, const AlgorithmOptions&,
                 const RunOptions& run_options) {
  return run_program(graph, team, Diameter{}, run_options, [&](const auto& values) {
    return std::vector<NamedColumn>{column(graph, "eccentricity", values, [](const Diameter::Value& value) {
      return value.reached ? std::int64_t{value.eccentricity} : kUnreachable;
    })};
  });
}

} // namespace

Algorithm diameter_algorithm() {
  return {.name = "diameter",
          .summary = "a lower bound of the diameter by repeated sweeps; each vertex's largest distance seen",
          .needs = [](const AlgorithmOptions&) { return GraphNeeds{.path = MessagePath::both_ways}; },
          .run = run};
}

} // namespace pregel
