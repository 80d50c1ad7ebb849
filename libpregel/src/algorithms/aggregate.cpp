// A job of aggregators only, no messages: superstep 0 sums the vertices' values (--values), superstep 1 counts those
// above the mean. It shows that an aggregate of superstep k is read in k+1.
#include "collectives/routed_exchange.hpp"
#include "registry.hpp"
#include "run_program.hpp"

namespace pregel {
namespace {

struct AboveMean {
  using Value = double;
  using Message = double;

  const std::vector<double>* start; // by LocalId of the vertex, looked up through its id
  const DistributedGraph* graph;
  SumAggregator<double> sum{};
  CountAggregator above_mean{};

  void declare(AggregatorRegistry& registry) {
    sum = registry.sum<double>("sum");
    above_mean = registry.count("above_mean");
  }
  void compute(Vertex<AboveMean>& vertex, std::span<const Message>, Context& context) const {
    if (context.superstep() == 0) {
      vertex.value() = (*start)[index(*graph->find(vertex.id()))];
      context.aggregate(sum, vertex.value());
      return;
    }
    const double mean = context.aggregated(sum).value_or(0.0) / static_cast<double>(context.vertex_count());
    if (vertex.value() > mean) context.aggregate(above_mean, 1);
    vertex.vote_to_halt();
  }
};

/// The start values of this rank's vertices; zero where none was given. InputError for vertices that do not exist.
/// Collective.
std::vector<double> route_start_values(const DistributedGraph& graph,
                                       const std::vector<std::pair<GlobalId, double>>& given) {
  struct Item {
    std::uint64_t id;
    double value;
  };
  std::vector<double> values(graph.local_count, 0.0);
  auto produce = collectives::produce_each(given, [&](auto& push, const std::pair<GlobalId, double>& start) {
    push(graph.owner(start.first), Item{number(start.first), start.second});
  });
  collectives::routed_exchange<Item>(*graph.comm, produce, [&](int, std::span<const Item> items) {
    for (const Item& item : items) {
      const std::optional<LocalId> v = graph.find(GlobalId{item.id});
      if (!v)
        throw core::InputError("--values names vertex " + std::to_string(item.id) + ", which the graph does not have");
      values[index(*v)] = item.value;
    }
  });
  return values;
}

AlgorithmRun run(const DistributedGraph& graph, core::ThreadTeam& team, const AlgorithmOptions& options,
                 const RunOptions& run_options) {
  const std::vector<double> start = route_start_values(graph, options.start_values);
  return run_program(graph, team, AboveMean{&start, &graph}, run_options, [&](const auto& values) {
    return std::vector<NamedColumn>{column(graph, "value", values, [](double x) { return x; })};
  });
}

} // namespace

Algorithm aggregate_algorithm() {
  return {.name = "aggregate",
          .summary = "sum of the vertices' --values, and how many are above the mean (aggregators only)",
          .options = {"--values"},
          .needs = [](const AlgorithmOptions&) { return GraphNeeds{.push = false}; },
          .run = run};
}

} // namespace pregel
