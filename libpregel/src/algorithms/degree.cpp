// Degrees: how many edges enter and leave each vertex, and how they are distributed over the graph. The engine knows
// how many leave (out_degrees, agreed at load); the others are counted by messages, one along each edge. Everything is
// counted as it is listed: loops (once each way) and repeats too.
//
// The histogram is kept in aggregators whose bounds double, the usual way to look at degrees that follow a power law:
// degree_0, degree_1, degree_2_to_3, degree_4_to_7, and so on.
#include <bit>

#include "registry.hpp"
#include "run_program.hpp"

namespace pregel {
namespace {

struct CountDegrees {
  struct Value {
    std::uint64_t in = 0, out = 0;
  };
  using Message = std::uint64_t;
  static constexpr bool combine_in_any_order = true;
  static Message combine(Message a, Message b) { return a + b; }
  static std::string describe(Message edges) { return trace_text(edges); }
  static std::string describe(const Value& value) { return trace_text(value.in + value.out); }

  bool directed;
  MaxAggregator<std::uint64_t> largest{}, largest_in{}, largest_out{};
  MinAggregator<std::uint64_t> smallest{};
  SumAggregator<double> mean{};
  std::vector<CountAggregator> histogram = {}; // by the number of binary digits

  void declare(AggregatorRegistry& registry) {
    constexpr int kDigits = 35; // in- and out-degree are below 2^32 each
    largest = registry.max<std::uint64_t>("max_degree");
    largest_in = registry.max<std::uint64_t>("max_in_degree");
    largest_out = registry.max<std::uint64_t>("max_out_degree");
    smallest = registry.min<std::uint64_t>("min_degree");
    mean = registry.sum<double>("mean_degree");
    for (int digits = 0; digits < kDigits; ++digits) {
      const std::uint64_t first = digits == 0 ? 0 : std::uint64_t{1} << (digits - 1);
      const std::string bounds =
          digits < 2 ? std::to_string(first) : std::to_string(first) + "_to_" + std::to_string(2 * first - 1);
      histogram.push_back(registry.count("degree_" + bounds));
    }
  }

  void compute(Vertex<CountDegrees>& vertex, std::span<const Message> messages, Context& context) const {
    if (context.superstep() == 0) {
      vertex.value() = {0, vertex.degree()};
      vertex.send_to_neighbors(1);
      return;
    }
    for (const Message m : messages) vertex.value().in += m;
    aggregate(vertex.value(), context);
    vertex.vote_to_halt();
  }
  [[nodiscard]] std::uint64_t degree(const Value& value) const { return directed ? value.in + value.out : value.out; }
  void aggregate(const Value& value, Context& context) const {
    const std::uint64_t d = degree(value);
    context.aggregate(largest, d);
    context.aggregate(largest_in, value.in);
    context.aggregate(largest_out, value.out);
    context.aggregate(smallest, d);
    context.aggregate(mean, static_cast<double>(d) / static_cast<double>(context.vertex_count()));
    context.aggregate(histogram[static_cast<std::size_t>(std::bit_width(d))], 1);
  }
};

AlgorithmRun run(const DistributedGraph& graph, core::ThreadTeam& team, const AlgorithmOptions&,
                 const RunOptions& run_options) {
  using Value = CountDegrees::Value;
  const CountDegrees program{graph.directed};
  return run_program(graph, team, program, run_options, [&](const auto& values) {
    return std::vector<NamedColumn>{column(graph, "degree", values, [&](const Value& v) { return program.degree(v); }),
                                    column(graph, "in_degree", values, [](const Value& v) { return v.in; }),
                                    column(graph, "out_degree", values, [](const Value& v) { return v.out; })};
  });
}

} // namespace

Algorithm degree_algorithm() {
  return {.name = "degree",
          .summary = "in, out and total degrees; their extremes, mean and histogram are aggregates",
          .needs = [](const AlgorithmOptions&) { return GraphNeeds{.push = false}; },
          .run = run};
}

} // namespace pregel
