// PageRank: the stationary distribution of a surfer who follows a random out-edge with probability d and jumps to a
// random vertex otherwise (Page, Brin, Motwani, Winograd, "The PageRank citation ranking", 1999; as a vertex program:
// Malewicz et al., "Pregel", SIGMOD 2010, section 5.1).
//
// - standard: value = (1-d)/n + d (sum of value/outdegree over in-neighbours + mass of dangling vertices / n). The
//   dangling mass is an exact sum, so the bits do not depend on the partition. Ends after --iterations updates, or when
//   the largest change of any vertex falls below --tolerance.
// - textbook: no dangling mass. Superstep 0 sends; a vertex halts in the superstep in which it READS a global largest
//   change below the tolerance; it still updates in that superstep.
// - local-halt: WRONG, kept as a counter-example. A vertex sends only while its OWN change exceeds the tolerance;
//   whoever stops sending takes its rank out of its neighbours' sums, they change, and the sum of all ranks drifts away
//   from 1.
#include <cmath>

#include "pregel/error.hpp"
#include "registry.hpp"
#include "run_program.hpp"

namespace pregel {
namespace {

/// Start value, shared by the variants.
[[nodiscard]] double uniform_rank(const Context& context) {
  return 1.0 / static_cast<double>(context.vertex_count());
}

struct PageRank {
  using Value = double;
  using Message = double;
  static constexpr bool always_active = true;
  static Message combine(Message a, Message b) { return a + b; }

  double damping;
  std::optional<std::uint64_t> iterations;
  double tolerance;

  SumAggregator<double> dangling{};
  MaxAggregator<double> max_delta{};
  double base = 0; // what a vertex gets without any message

  void declare(AggregatorRegistry& registry) {
    dangling = registry.sum<double>("dangling");
    max_delta = registry.max<double>("max_delta");
  }
  void begin_superstep(const Context& context) {
    const auto n = static_cast<double>(context.vertex_count());
    base = (1.0 - damping) / n + damping * (context.aggregated(dangling).value_or(0.0) / n);
  }
  void compute(Vertex<PageRank>& vertex, std::span<const Message> messages, Context& context) const {
    if (context.superstep() == 0) {
      vertex.value() = uniform_rank(context);
    } else {
      double sum = 0;
      for (const Message m : messages) sum += m;
      const double updated = base + damping * sum;
      if (!iterations) context.aggregate(max_delta, std::abs(updated - vertex.value()));
      vertex.value() = updated;
    }
    if (vertex.degree() == 0) context.aggregate(dangling, vertex.value());
    if (!iterations || context.superstep() < *iterations) send_share(vertex);
  }
  static void send_share(Vertex<PageRank>& vertex) {
    vertex.send_to_neighbors(vertex.degree() == 0 ? 0.0 : vertex.value() / vertex.degree());
  }
  void master(MasterContext& context) const {
    const bool enough =
        iterations ? context.superstep() >= *iterations : context.aggregated(max_delta).value_or(1.0) < tolerance;
    if (enough) context.halt();
  }
};

struct TextbookPageRank {
  using Value = double;
  using Message = double;
  static Message combine(Message a, Message b) { return a + b; }

  double damping;
  double tolerance;
  MaxAggregator<double> max_delta{};

  void declare(AggregatorRegistry& registry) { max_delta = registry.max<double>("max_delta"); }
  void compute(Vertex<TextbookPageRank>& vertex, std::span<const Message> messages, Context& context) const {
    if (context.superstep() == 0) {
      vertex.value() = uniform_rank(context);
    } else {
      double sum = 0;
      for (const Message m : messages) sum += m;
      const double updated = (1.0 - damping) / static_cast<double>(context.vertex_count()) + damping * sum;
      context.aggregate(max_delta, std::abs(updated - vertex.value()));
      vertex.value() = updated;
      if (context.aggregated(max_delta).value_or(1.0) < tolerance) return vertex.vote_to_halt();
    }
    if (vertex.degree() != 0) vertex.send_to_neighbors(vertex.value() / vertex.degree());
  }
};

struct LocalHaltPageRank {
  using Value = double;
  using Message = double;
  static Message combine(Message a, Message b) { return a + b; }

  double damping;
  double tolerance;
  SumAggregator<double> rank_sum{};

  void declare(AggregatorRegistry& registry) { rank_sum = registry.sum<double>("rank_sum"); }
  void compute(Vertex<LocalHaltPageRank>& vertex, std::span<const Message> messages, Context& context) const {
    bool changed = true;
    if (context.superstep() == 0) {
      vertex.value() = uniform_rank(context);
    } else {
      double sum = 0;
      for (const Message m : messages) sum += m;
      const double updated = (1.0 - damping) / static_cast<double>(context.vertex_count()) + damping * sum;
      changed = std::abs(updated - vertex.value()) > tolerance;
      vertex.value() = updated;
    }
    context.aggregate(rank_sum, vertex.value());
    if (!changed) return vertex.vote_to_halt();
    if (vertex.degree() != 0) vertex.send_to_neighbors(vertex.value() / vertex.degree());
  }
};

GraphNeeds needs(const AlgorithmOptions& options) {
  GraphNeeds needs;
  needs.push = options.variant != "standard"; // every vertex sends in every superstep: PULL alone will do
  return needs;
}

AlgorithmRun run(const DistributedGraph& graph, core::ThreadTeam& team, const AlgorithmOptions& options,
                 const RunOptions& run_options) {
  const auto columns = [&](std::span<const double> ranks) {
    return std::vector<NamedColumn>{column(graph, "rank", ranks, [](double rank) { return rank; })};
  };
  if (options.variant == "textbook") {
    return run_program(graph, team, TextbookPageRank{options.damping, options.tolerance}, run_options, columns);
  }
  if (options.variant == "local-halt") {
    return run_program(graph, team, LocalHaltPageRank{options.damping, options.tolerance}, run_options, columns);
  }
  return run_program(graph, team, PageRank{options.damping, options.iterations, options.tolerance}, run_options,
                     columns);
}

} // namespace

Algorithm pagerank_algorithm() {
  return {.name = "pagerank",
          .summary = "importance by the links of important vertices (--damping, --tolerance or --iterations)",
          .variants = {"standard", "textbook", "local-halt"},
          .options = {"--damping", "--tolerance", "--iterations"},
          .needs = needs,
          .run = run};
}

} // namespace pregel
