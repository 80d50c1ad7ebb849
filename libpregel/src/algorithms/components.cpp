// Weakly connected components: every vertex keeps the smallest id it has heard of and passes on improvements, ignoring
// the direction of edges; at the end each component carries its smallest id (label propagation with min, the "HCC" of
// Kang, Tsourakakis, Faloutsos, "PEGASUS", ICDM 2009).
//
// - standard: votes to halt in every superstep; messages wake
// - textbook: nobody votes in superstep 0; later whoever improved stays active
#include "registry.hpp"
#include "run_program.hpp"

namespace pregel {
namespace {

struct Components {
  using Value = GlobalId;
  using Message = GlobalId;
  static constexpr bool combine_in_any_order = true;
  static Message combine(Message a, Message b) { return std::min(a, b); }
  static Message neutral() { return kNoVertex; }

  bool textbook;

  void compute(Vertex<Components>& vertex, std::span<const Message> messages, Context& context) const {
    if (context.superstep() == 0) {
      vertex.value() = vertex.id();
      vertex.send_to_neighbors(vertex.id());
      if (!textbook) vertex.vote_to_halt();
      return;
    }
    GlobalId smallest = vertex.value();
    for (const Message m : messages) smallest = std::min(smallest, m);
    const bool improved = smallest < vertex.value();
    if (improved) {
      vertex.value() = smallest;
      vertex.send_to_neighbors(smallest);
    }
    if (!improved || !textbook) vertex.vote_to_halt();
  }
};

AlgorithmRun run(const DistributedGraph& graph, core::ThreadTeam& team, const AlgorithmOptions& options,
                 const RunOptions& run_options) {
  return run_program(graph, team, Components{options.variant == "textbook"}, run_options, [&](const auto& labels) {
    return std::vector<NamedColumn>{column(graph, "component", labels, [](GlobalId id) { return id; })};
  });
}

} // namespace

Algorithm components_algorithm() {
  return {.name = "wcc",
          .summary = "weakly connected components, named by their smallest id",
          .variants = {"standard", "textbook"},
          .result = ResultKind::groups,
          .needs = [](const AlgorithmOptions&) { return GraphNeeds{.path = MessagePath::both_ways}; },
          .run = run};
}

} // namespace pregel
