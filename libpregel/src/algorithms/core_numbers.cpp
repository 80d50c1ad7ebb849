// Core numbers: the largest k such that the vertex belongs to a subgraph in which everybody has k neighbours or more
// (Seidman, "Network structure and minimum degree", 1983). Found by peeling (Matula, Beck, "Smallest-last ordering and
// clustering and graph coloring algorithms", JACM 1983), all vertices of a level at a time: at level k those with at
// most k neighbours left leave with core number k, and tell their neighbours, who may now have to leave too. When
// nobody leaves any more, the level rises, at once to the smallest number of neighbours that is left.
//
// Neighbours are a set: direction, loops and repeated edges do not count (GraphNeeds::simple). Those who have left do
// not look at messages any more, so a superstep costs the vertices that remain and the arcs of those that leave.
#include <limits>
#include <numeric>

#include "registry.hpp"
#include "run_program.hpp"

namespace pregel {
namespace {

struct CoreNumbers {
  static constexpr std::uint32_t kStays = std::numeric_limits<std::uint32_t>::max();
  struct Value {
    std::uint32_t neighbours = 0; ///< that have not left
    std::uint32_t core = kStays;
  };
  using Message = std::uint32_t; // how many neighbours have left
  static constexpr bool combine_in_any_order = true;
  static Message combine(Message a, Message b) { return a + b; }
  static Message neutral() { return 0; }
  static bool needs_messages(const Value& value) { return value.core == kStays; }
  static std::string describe(const Value& value) {
    return value.core == kStays ? "stays" : trace_text(std::uint64_t{value.core});
  }
  static std::string describe(Message gone) { return trace_text(std::uint64_t{gone}); }

  std::uint64_t level = 0;
  CountAggregator leaving{};
  MinAggregator<std::uint64_t> fewest{};

  void declare(AggregatorRegistry& registry) {
    leaving = registry.count("leaving");
    fewest = registry.min<std::uint64_t>("fewest");
  }
  /// Of uncombined messages. Apart from compute(), where GCC 12 vectorises it for the one combined message too.
  [[gnu::noinline]] static Message sum(std::span<const Message> messages) {
    return std::accumulate(messages.begin(), messages.end(), Message{0});
  }
  void compute(Vertex<CoreNumbers>& vertex, std::span<const Message> messages, Context& context) const {
    Value& value = vertex.value();
    if (context.superstep() == 0) value = {vertex.degree(), kStays};
    if (!messages.empty()) value.neighbours -= messages.size() == 1 ? messages.front() : sum(messages);
    if (value.neighbours > level) {
      context.aggregate(fewest, value.neighbours);
      return;
    }
    value.core = static_cast<std::uint32_t>(level);
    context.aggregate(leaving, 1);
    if (vertex.degree() != 0) vertex.send_to_neighbors(1);
    vertex.vote_to_halt();
  }
  void master(MasterContext& context) {
    if (context.aggregated(leaving)) return; // their neighbours do not know yet
    if (const auto smallest = context.aggregated(fewest)) level = *smallest;
  }
  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    archive& level;
  }
};

AlgorithmRun run(const DistributedGraph& graph, core::ThreadTeam& team, const AlgorithmOptions&,
                 const RunOptions& run_options) {
  return run_program(graph, team, CoreNumbers{}, run_options, [&](const auto& values) {
    return std::vector<NamedColumn>{
        column(graph, "core", values, [](const CoreNumbers::Value& value) { return std::uint64_t{value.core}; })};
  });
}

} // namespace

Algorithm core_numbers_algorithm() {
  return {.name = "kcore",
          .summary = "core number: largest k of a subgraph where all have k neighbours",
          .needs = [](const AlgorithmOptions&) { return GraphNeeds{.path = MessagePath::both_ways, .simple = true}; },
          .run = run};
}

} // namespace pregel
