// A maximal independent set: no two of its vertices are neighbours, and everybody else has a neighbour in it. Luby's
// method ("A simple parallel algorithm for the maximal independent set problem", STOC 1985) with priorities that are
// drawn once, from (seed, id): in each round the undecided tell their priorities, those that hear of none above their
// own join, and the neighbours of those that joined stay out. The set is the one that a greedy walk through the
// vertices by descending priority would find (Blelloch, Fineman, Shun, "Greedy sequential maximal independent set and
// matching are parallel on average", SPAA 2012), whatever the rounds; they are O(log^2 n) with high probability.
//
// A round is two supersteps. In even ones a message says "I joined", in odd ones it is a priority; the decided send
// none and look at none. Direction and repeated edges do not count; a loop tells a vertex its own priority, which is
// not above it.
#include "priorities.hpp"
#include "registry.hpp"
#include "run_program.hpp"

namespace pregel {
namespace {

struct IndependentSet {
  enum class State : std::uint8_t { undecided, in, out };
  using Value = State;
  using Message = std::uint64_t;
  static constexpr bool combine_in_any_order = true;
  static Message combine(Message a, Message b) { return std::max(a, b); }
  static Message neutral() { return 0; } // as a priority it is below all others: as good as not sent
  static bool needs_messages(State state) { return state == State::undecided; }
  static std::string describe(State state) {
    return state == State::undecided ? "undecided" : state == State::in ? "in" : "out";
  }
  static std::string describe(Message m) { return trace_text(m); }

  std::uint64_t seed;

  void compute(Vertex<IndependentSet>& vertex, std::span<const Message> messages, Context& context) const {
    const std::uint64_t priority = priority_of(seed, vertex.id());
    if (context.superstep() == 0) vertex.value() = State::undecided;
    if (context.superstep() % 2 == 0) {
      if (!messages.empty()) {
        vertex.value() = State::out;
        return vertex.vote_to_halt();
      }
      return vertex.send_to_neighbors(priority);
    }
    if (std::ranges::any_of(messages, [&](Message other) { return other > priority; })) return;
    vertex.value() = State::in;
    vertex.send_to_neighbors(1);
    vertex.vote_to_halt();
  }
};

AlgorithmRun run(const DistributedGraph& graph, core::ThreadTeam& team, const AlgorithmOptions&,
                 const RunOptions& run_options) {
  return run_program(graph, team, IndependentSet{run_options.seed}, run_options, [&](const auto& states) {
    return std::vector<NamedColumn>{column(graph, "in_set", states, [](IndependentSet::State state) {
      return std::uint64_t{state == IndependentSet::State::in};
    })};
  });
}

} // namespace

Algorithm independent_set_algorithm() {
  return {.name = "mis",
          .summary = "a maximal independent set, 1 for its vertices and 0 for the others (--seed)",
          .needs = [](const AlgorithmOptions&) { return GraphNeeds{.path = MessagePath::both_ways}; },
          .run = run};
}

} // namespace pregel
