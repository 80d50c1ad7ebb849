// HITS: a good hub points to good authorities, a good authority is pointed to by good hubs (Kleinberg, "Authoritative
// sources in a hyperlinked environment", J. ACM 46, 1999). From 1/sqrt(n) everywhere, an update replaces each authority
// by the sum of the hubs that point to it, then each hub by the sum of the authorities it points to, and scales both to
// length 1.
//
// An update takes two supersteps: hubs travel along the edges, authorities against them. Both go to all neighbours, and
// the mark of an arc (ArcDirection) says whether this message is one that the receiver should hear.
//
// The length of a vector is known one superstep after its numbers, so numbers travel as summed and the receiver
// divides. Lengths are roots of exact sums: the bits do not depend on the partition. Ends after --iterations updates,
// or when the largest change of any authority falls below --tolerance.
#include <cmath>

#include "pregel/error.hpp"
#include "registry.hpp"
#include "run_program.hpp"

namespace pregel {
namespace {

struct Hits {
  struct Value {
    double hub = 0, authority = 0; ///< of length 1; the one that `sum` is about is an update behind
    double sum = 0;                ///< of the superstep's vector, not scaled yet
  };
  using Message = double;
  static constexpr bool always_active = true;
  static Message combine(Message a, Message b) { return a + b; }
  static std::string describe(Message m) { return trace_text(m); }
  static std::string describe(const Value& value) { return trace_text(value.authority); }

  bool directed;
  std::optional<std::uint64_t> iterations;
  double tolerance;

  SumAggregator<double> squares{};
  MaxAggregator<double> max_delta{};
  double length = 1;           // of the last superstep's sums
  bool to_authorities = false; // what this superstep's messages are for

  [[nodiscard]] static bool makes_authorities(std::uint64_t superstep) { return superstep % 2 == 1; }
  [[nodiscard]] double scaled(double sum) const { return length > 0 ? sum / length : 0.0; }

  void declare(AggregatorRegistry& registry) {
    squares = registry.sum<double>("squares");
    max_delta = registry.max<double>("max_delta");
  }
  void begin_superstep(const Context& context) { to_authorities = makes_authorities(context.superstep()); }
  [[nodiscard]] Message along(Message m, double mark) const {
    const bool heard = !directed || (to_authorities ? ArcDirection::in(mark) : ArcDirection::out(mark));
    return heard ? m : 0.0;
  }

  void compute(Vertex<Hits>& vertex, std::span<const Message> messages, Context& context) const {
    Value& value = vertex.value();
    if (context.superstep() == 0) {
      value.sum = 1.0 / std::sqrt(static_cast<double>(context.vertex_count()));
      value.hub = value.authority = value.sum;
    } else {
      settle(value, context);
      double sum = 0;
      for (const Message m : messages) sum += m;
      value.sum = scaled(sum);
      context.aggregate(squares, value.sum * value.sum);
    }
    if (!iterations || context.superstep() < 2 * *iterations) vertex.send_to_neighbors(value.sum);
  }
  /// Takes over the vector of the superstep before, now that its length is known.
  void settle(Value& value, Context& context) const {
    if (makes_authorities(context.superstep())) {
      value.hub = scaled(value.sum);
      return;
    }
    const double updated = scaled(value.sum);
    if (!iterations) context.aggregate(max_delta, std::abs(updated - value.authority));
    value.authority = updated;
  }
  void master(MasterContext& context) {
    length = std::sqrt(context.aggregated(squares).value_or(1.0));
    const bool whole_update = !makes_authorities(context.superstep());
    const bool enough =
        iterations ? context.superstep() >= 2 * *iterations
                   : whole_update && context.superstep() > 0 && context.aggregated(max_delta).value_or(0) < tolerance;
    if (enough) context.halt();
  }
  template <class Archive>
  void serialize(Archive& archive, unsigned) {
    archive& length;
  }
};

AlgorithmRun run(const DistributedGraph& graph, core::ThreadTeam& team, const AlgorithmOptions& options,
                 const RunOptions& run_options) {
  Engine<Hits> engine(graph, Hits{graph.directed, options.iterations, options.tolerance}, team, run_options);
  AlgorithmRun run;
  run.report = engine.run();
  run.report.reduce(*graph.comm);
  // The last superstep's vector is still as summed.
  const Hits& program = engine.program();
  const bool authorities_last = Hits::makes_authorities(run.report.supersteps() - 1);
  const std::span<const Hits::Value> values = std::as_const(engine).values();
  const auto hub = [&](const Hits::Value& v) { return authorities_last ? v.hub : program.scaled(v.sum); };
  const auto authority = [&](const Hits::Value& v) { return authorities_last ? program.scaled(v.sum) : v.authority; };
  run.result = {ids_ascending(graph),
                {column(graph, "authority", values, authority), column(graph, "hub", values, hub)}};
  return run;
}

} // namespace

Algorithm hits_algorithm() {
  return {.name = "hits",
          .summary = "hubs and authorities (--tolerance or --iterations)",
          .options = {"--tolerance", "--iterations"},
          .needs =
              [](const AlgorithmOptions&) {
                return GraphNeeds{.path = MessagePath::both_ways, .directions = true, .push = false};
              },
          .run = run};
}

} // namespace pregel
