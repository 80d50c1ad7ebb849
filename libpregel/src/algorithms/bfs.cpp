// Breadth-first search: the number of edges on a shortest path from the source, level by level. A vertex is settled by
// its first message, and the superstep is its depth, so depths travel as mere bits. Levels with many frontier arcs run
// as PULL with early exit, which is the bottom-up step of Beamer, Asanovic, Patterson, "Direction-optimizing
// breadth-first search", SC 2012.
//
// With --parents the message is the sender's id; of all neighbours one level nearer the parent is the one with the
// smallest id.
#include <limits>

#include "registry.hpp"
#include "run_program.hpp"

namespace pregel {
namespace {

constexpr std::int64_t kUnreachable = std::numeric_limits<std::int64_t>::max(); // as Graphalytics prints it

struct Bfs {
  using Value = std::int64_t;
  struct Message {};
  static constexpr bool combine_in_any_order = true;
  static constexpr bool one_is_enough = true;
  static Message combine(Message a, Message) { return a; }
  static bool needs_messages(const Value& depth) { return depth == kUnreachable; }
  static std::string describe(Message) { return "visited"; }
  static std::string describe(Value depth) { return trace_text(depth); }

  GlobalId source;

  void compute(Vertex<Bfs>& vertex, std::span<const Message> messages, Context& context) const {
    if (context.superstep() == 0) vertex.value() = kUnreachable;
    if (!messages.empty() || (context.superstep() == 0 && vertex.id() == source)) {
      vertex.value() = static_cast<std::int64_t>(context.superstep());
      vertex.send_to_neighbors({});
    }
    vertex.vote_to_halt();
  }
};

struct BfsWithParents {
  struct Value {
    std::int64_t depth = kUnreachable;
    GlobalId parent = kNoVertex;
  };
  using Message = GlobalId;
  static constexpr bool combine_in_any_order = true;
  static constexpr bool one_is_enough = true; // in ascending order of senders the first is the smallest
  static Message combine(Message a, Message b) { return std::min(a, b); }
  static bool needs_messages(const Value& value) { return value.depth == kUnreachable; }
  static std::string describe(Message parent) { return trace_text(parent); }
  static std::string describe(const Value& value) { return trace_text(value.depth); }

  GlobalId source;

  void compute(Vertex<BfsWithParents>& vertex, std::span<const Message> messages, Context& context) const {
    if (context.superstep() == 0) vertex.value() = {};
    const bool is_source = context.superstep() == 0 && vertex.id() == source;
    if (is_source || !messages.empty()) {
      vertex.value() = {static_cast<std::int64_t>(context.superstep()),
                        is_source ? source : *std::ranges::min_element(messages)};
      vertex.send_to_neighbors(vertex.id());
    }
    vertex.vote_to_halt();
  }
};

AlgorithmRun run(const DistributedGraph& graph, core::ThreadTeam& team, const AlgorithmOptions& options,
                 const RunOptions& run_options) {
  if (options.parents) {
    return run_program(graph, team, BfsWithParents{*options.source}, run_options, [&](const auto& values) {
      return std::vector<NamedColumn>{
          column(graph, "depth", values, [](const BfsWithParents::Value& v) { return v.depth; }),
          column(graph, "parent", values, [](const BfsWithParents::Value& v) { return v.parent; })};
    });
  }
  return run_program(graph, team, Bfs{*options.source}, run_options, [&](const auto& depths) {
    return std::vector<NamedColumn>{column(graph, "depth", depths, [](std::int64_t d) { return d; })};
  });
}

} // namespace

Algorithm bfs_algorithm() {
  return {.name = "bfs",
          .summary = "edges on a shortest path from --source (--parents adds the tree)",
          .options = {"--parents"},
          .needs_source = true,
          .needs = [](const AlgorithmOptions&) { return GraphNeeds{}; },
          .run = run};
}

} // namespace pregel
