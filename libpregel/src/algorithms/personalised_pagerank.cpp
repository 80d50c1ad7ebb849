// Personalised PageRank: how often a surfer is at a vertex who follows a random out-edge with probability d and else
// returns to the source (Page, Brin, Motwani, Winograd, "The PageRank citation ranking", 1999, section 6; Haveliwala,
// "Topic-sensitive PageRank", WWW 2002). From a vertex without out-edges he returns too. All mass starts at the source:
//
//   value = d (sum of value/outdegree over in-neighbours), and at the source also 1-d + d (mass of dangling vertices)
//
// The dangling mass is an exact sum, so the bits do not depend on the partition. Ends after --iterations updates, or
// when the largest change of any vertex falls below --tolerance.
#include <cmath>

#include "registry.hpp"
#include "run_program.hpp"

namespace pregel {
namespace {

struct PersonalisedPageRank {
  using Value = double;
  using Message = double;
  static constexpr bool always_active = true;
  static Message combine(Message a, Message b) { return a + b; }

  GlobalId source;
  double damping;
  std::optional<std::uint64_t> iterations;
  double tolerance;

  SumAggregator<double> dangling{};
  MaxAggregator<double> max_delta{};
  double returning = 0; // what the source gets without any message

  void declare(AggregatorRegistry& registry) {
    dangling = registry.sum<double>("dangling");
    max_delta = registry.max<double>("max_delta");
  }
  void begin_superstep(const Context& context) {
    returning = (1.0 - damping) + damping * context.aggregated(dangling).value_or(0.0);
  }
  void compute(Vertex<PersonalisedPageRank>& vertex, std::span<const Message> messages, Context& context) const {
    const bool at_home = vertex.id() == source;
    if (context.superstep() == 0) {
      vertex.value() = at_home ? 1.0 : 0.0;
    } else {
      double sum = 0;
      for (const Message m : messages) sum += m;
      const double updated = (at_home ? returning : 0.0) + damping * sum;
      if (!iterations) context.aggregate(max_delta, std::abs(updated - vertex.value()));
      vertex.value() = updated;
    }
    if (vertex.degree() == 0) context.aggregate(dangling, vertex.value());
    if (!iterations || context.superstep() < *iterations)
      vertex.send_to_neighbors(vertex.degree() == 0 ? 0.0 : vertex.value() / vertex.degree());
  }
  void master(MasterContext& context) const {
    const bool enough =
        iterations ? context.superstep() >= *iterations : context.aggregated(max_delta).value_or(1.0) < tolerance;
    if (enough) context.halt();
  }
};

AlgorithmRun run(const DistributedGraph& graph, core::ThreadTeam& team, const AlgorithmOptions& options,
                 const RunOptions& run_options) {
  const PersonalisedPageRank program{*options.source, options.damping, options.iterations, options.tolerance};
  return run_program(graph, team, program, run_options, [&](const auto& ranks) {
    return std::vector<NamedColumn>{column(graph, "rank", ranks, [](double rank) { return rank; })};
  });
}

} // namespace

Algorithm personalised_pagerank_algorithm() {
  return {.name = "ppr",
          .summary = "importance for --source (--damping, --tolerance or --iterations)",
          .options = {"--damping", "--tolerance", "--iterations"},
          .needs_source = true,
          .needs = [](const AlgorithmOptions&) { return GraphNeeds{.push = false}; },
          .run = run};
}

} // namespace pregel
