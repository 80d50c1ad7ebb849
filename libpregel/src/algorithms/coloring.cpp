// Greedy colouring by priorities: a vertex takes the smallest colour that no neighbour of higher priority has (Jones,
// Plassmann, "A parallel graph coloring heuristic", SIAM J. Scientific Computing, 1993). The colours are those of a
// greedy walk through the vertices by descending priority, at most largest degree + 1 of them.
//
// Superstep 0 tells the neighbours all priorities, and from then on everybody knows how many it has to wait for.
// Whoever waits for nobody takes its colour and says so once: a superstep costs the arcs of those that took theirs in
// the one before. A vertex that waits for w neighbours ends with a colour up to w, so a set of w+1 bits remembers what
// is taken. Sets cannot be combined in a message of fixed size: there is no combiner.
//
// Neighbours are a set: direction, loops and repeated edges do not count.
#include <bit>
#include <limits>

#include <boost/serialization/vector.hpp>

#include "priorities.hpp"
#include "registry.hpp"
#include "run_program.hpp"

namespace pregel {
namespace {

struct Coloring {
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
  struct Value {
    std::uint32_t color = kNone;
    std::uint32_t waits_for = 0;      ///< neighbours of higher priority without a colour
    std::vector<std::uint64_t> taken; ///< bits: their colours

    template <class Archive>
    void serialize(Archive& archive, unsigned /*version*/) {
      archive& color& waits_for& taken;
    }
  };
  struct Message {
    std::uint64_t priority = 0; ///< of the sender
    std::uint32_t color = kNone;
  };
  static bool needs_messages(const Value& value) { return value.color == kNone; }
  static std::string describe(const Value& value) {
    return value.color == kNone ? "none" : trace_text(std::uint64_t{value.color});
  }

  std::uint64_t seed;

  void compute(Vertex<Coloring>& vertex, std::span<const Message> messages, Context& context) const {
    vertex.vote_to_halt();
    Value& value = vertex.value();
    const std::uint64_t priority = priority_of(seed, vertex.id());
    if (context.superstep() == 0) {
      value = {};
      if (vertex.degree() == 0) value.color = 0; // nobody will write to it
      return vertex.send_to_neighbors({priority, kNone});
    }
    for (const Message& m : messages) {
      if (m.priority < priority) continue;
      if (context.superstep() == 1) {
        ++value.waits_for;
      } else {
        --value.waits_for;
        take(value.taken, m.color);
      }
    }
    if (context.superstep() == 1) value.taken.assign(value.waits_for / 64 + 1, 0);
    if (value.waits_for != 0) return;
    value.color = smallest_free(value.taken);
    value.taken = {};
    vertex.send_to_neighbors({priority, value.color});
  }

 private:
  static void take(std::vector<std::uint64_t>& taken, std::uint32_t color) {
    if (color / 64 < taken.size()) taken[color / 64] |= std::uint64_t{1} << color % 64; // larger ones are out of reach
  }
  [[nodiscard]] static std::uint32_t smallest_free(const std::vector<std::uint64_t>& taken) {
    std::uint32_t word = 0;
    while (word < taken.size() && ~taken[word] == 0) ++word;
    return word * 64 + (word < taken.size() ? static_cast<std::uint32_t>(std::countr_one(taken[word])) : 0U);
  }
};

AlgorithmRun run(const DistributedGraph& graph, core::ThreadTeam& team, const AlgorithmOptions&,
                 const RunOptions& run_options) {
  return run_program(graph, team, Coloring{run_options.seed}, run_options, [&](const auto& values) {
    return std::vector<NamedColumn>{
        column(graph, "color", values, [](const Coloring::Value& value) { return std::uint64_t{value.color}; })};
  });
}

} // namespace

Algorithm coloring_algorithm() {
  return {.name = "coloring",
          .summary = "greedy colouring: neighbours have different colours, from 0 (--seed)",
          .needs = [](const AlgorithmOptions&) { return GraphNeeds{.path = MessagePath::both_ways, .simple = true}; },
          .run = run};
}

} // namespace pregel
