// A random walk from every vertex with the bias of node2vec (Grover, Leskovec, "node2vec: Scalable feature learning for
// networks", KDD 2016): a walker that came from t to v goes on to an out-neighbour x of v with a weight of
//   1/p   if x is t (back),
//   1     if there is an edge from t to x (near),
//   1/q   otherwise (away).
// A repeated edge counts as often as it is listed. A walk ends early where no edge leads out.
//
// Walkers are messages. Weights are not summed up; instead a candidate is drawn uniformly and taken with a probability
// proportional to its weight, else drawn again (rejection, as in Yang et al., "KnightKing", SOSP 2019): no list of
// neighbours ever travels. Only where near or away matters for the draw at hand, v asks t whether it has an edge to x.
// With p = q = 1 nobody ever asks.
//
// Draws are a function of (seed, start, step, trial), so that walks depend on neither ranks nor threads. Every arrival
// is reported to the start, which keeps its walk.
#include <algorithm>

#include <boost/serialization/vector.hpp>

#include "core/random.hpp"
#include "registry.hpp"
#include "run_program.hpp"

namespace pregel {
namespace {

constexpr std::uint64_t kDefaultSteps = 10;

struct RandomWalk {
  using Value = std::vector<std::uint64_t>; // the vertices after steps 1, 2, ...
  enum class Kind : std::uint32_t { arrival, question, near, away, report };
  struct Message {
    std::uint64_t start = 0; ///< of the walk
    std::uint64_t from = 0;  ///< arrival, answer: where the walker was before; question: who asks; report: where it is
    std::uint64_t candidate = 0; ///< question and answer
    std::uint32_t step = 0;      ///< how many have been made
    std::uint32_t trial = 0;
    Kind kind = Kind::arrival;
  };
  static constexpr std::uint64_t kNowhere = number(kNoVertex);

  std::uint64_t seed, steps;
  double back, away; ///< 1/p and 1/q

  void compute(Vertex<RandomWalk>& vertex, std::span<const Message> messages, Context& context) const {
    vertex.vote_to_halt();
    if (context.superstep() == 0) {
      vertex.value().assign(steps, kNowhere);
      return step_on(vertex, {number(vertex.id()), kNowhere, 0, 0, 0, Kind::arrival});
    }
    for (const Message& m : messages) receive(vertex, m);
  }

 private:
  void receive(Vertex<RandomWalk>& vertex, const Message& m) const {
    const std::uint64_t here = number(vertex.id());
    switch (m.kind) {
      case Kind::arrival:
        vertex.send(GlobalId{m.start}, {m.start, here, 0, m.step, 0, Kind::report});
        return step_on(vertex, m);
      case Kind::question: {
        const Kind kind = vertex.edges().contains(GlobalId{m.candidate}) ? Kind::near : Kind::away;
        return vertex.send(GlobalId{m.from}, {m.start, here, m.candidate, m.step, m.trial, kind});
      }
      case Kind::near:
      case Kind::away: {
        Message walker = m;
        if (level_of(draws(m)) < (m.kind == Kind::near ? 1.0 : away)) return move(vertex, walker, m.candidate);
        ++walker.trial;
        return step_on(vertex, walker);
      }
      case Kind::report: vertex.value()[m.step - 1] = m.from; return;
    }
  }
  /// The random numbers of a trial: the candidate first, then the level.
  [[nodiscard]] core::CounterRandom draws(const Message& walker) const noexcept {
    return core::CounterRandom(core::mix64(seed) ^ walker.start, walker.step, walker.trial);
  }
  /// What the weight of the candidate must exceed.
  [[nodiscard]] double level_of(core::CounterRandom random) const noexcept {
    (void)random.next(); // the candidate's
    return random.uniform() * std::max({1.0, back, away});
  }
  /// Draws until a candidate is taken or another vertex must be asked.
  void step_on(Vertex<RandomWalk>& vertex, Message walker) const {
    const auto edges = vertex.edges();
    if (walker.step == steps || edges.size() == 0) return;
    for (;; ++walker.trial) {
      core::CounterRandom random = draws(walker);
      const std::uint64_t candidate = number(edges[random.below(edges.size())].target);
      if (walker.from == kNowhere) return move(vertex, walker, candidate); // nothing to be near to
      const double level = level_of(draws(walker));
      if (candidate == walker.from) {
        if (level < back) return move(vertex, walker, candidate);
        continue;
      }
      if (level < std::min(1.0, away)) return move(vertex, walker, candidate);
      if (level >= std::max(1.0, away)) continue;
      return vertex.send(GlobalId{walker.from},
                         {walker.start, number(vertex.id()), candidate, walker.step, walker.trial, Kind::question});
    }
  }
  static void move(Vertex<RandomWalk>& vertex, const Message& walker, std::uint64_t to) {
    vertex.send(GlobalId{to}, {walker.start, number(vertex.id()), 0, walker.step + 1, 0, Kind::arrival});
  }
};

AlgorithmRun run(const DistributedGraph& graph, core::ThreadTeam& team, const AlgorithmOptions& options,
                 const RunOptions& run_options) {
  const std::uint64_t steps = options.iterations.value_or(kDefaultSteps);
  const RandomWalk program{run_options.seed, steps, 1 / options.walk_p, 1 / options.walk_q};
  return run_program(graph, team, program, run_options, [&](const auto& walks) {
    std::vector<NamedColumn> columns;
    for (std::uint64_t step = 0; step < steps; ++step)
      columns.push_back(column(graph, "step_" + std::to_string(step + 1), walks,
                               [&](const RandomWalk::Value& walk) { return GlobalId{walk[step]}; }));
    return columns;
  });
}

} // namespace

Algorithm random_walk_algorithm() {
  return {.name = "random-walk",
          .summary = "a walk of --iterations steps (10) from every vertex, biased by --p and --q as in node2vec",
          .options = {"--iterations", "--p", "--q"},
          .result = ResultKind::walks,
          .needs = [](const AlgorithmOptions&) { return GraphNeeds{.push = false, .out_edges = true}; },
          .run = run};
}

} // namespace pregel
