// Graphs from a formula: who makes which edges, and the formulas of all families but kron (kronecker.hpp).
//
// A family numbers its work items 0, 1, 2, ... (edges, or vertices with the edges that begin there). Rank r of P makes
// the r-th of P equal ranges of items, thread t of T the t-th part of that range, and an item's edges depend on its
// number and the seed alone: so the union is the same for all P and T.
#include "pregel/io/generators.hpp"

#include <algorithm>
#include <deque>
#include <utility>

#include "core/random.hpp"
#include "kronecker.hpp"

namespace pregel {
namespace {

/// Keeps the weights apart from the edges' random numbers, which have the same seed.
constexpr std::uint64_t kWeightStream = 0x7765696768747321ULL;

/// A half-open range of item numbers.
struct Items {
  std::uint64_t first, last;

  /// Part number `index` of `parts` whose lengths differ by one at most.
  [[nodiscard]] Items part(int index, int parts) const {
    const auto p = static_cast<std::uint64_t>(parts), i = static_cast<std::uint64_t>(index);
    const std::uint64_t length = (last - first) / p, longer = (last - first) % p;
    const std::uint64_t begin = first + i * length + std::min(i, longer);
    return {begin, begin + length + (i < longer ? 1 : 0)};
  }
};

/// Where the formulas put their edges; adds the weights. A weight belongs to the unordered pair of endpoints, so that
/// an edge drawn twice, in whatever direction, has one weight.
class Sink {
 public:
  Sink(const GeneratorSpec& spec, EdgeBlocks& edges)
      : edges_(edges), kind_(spec.weights), seed_(spec.seed ^ kWeightStream) {}

  void operator()(std::uint64_t source, std::uint64_t target) {
    edges_.append({GlobalId{source}, GlobalId{target}}, weight(source, target));
  }

 private:
  [[nodiscard]] double weight(std::uint64_t u, std::uint64_t v) const {
    if (kind_ == WeightKind::none) return 1.0;
    core::CounterRandom random(seed_, std::min(u, v), std::max(u, v));
    if (kind_ == WeightKind::integers) return static_cast<double>(1 + random.below(255));
    return static_cast<double>((random.next() >> 11) + 1) * 0x1p-53;
  }

  EdgeBlocks& edges_;
  WeightKind kind_;
  std::uint64_t seed_;
};

void make_kronecker(const KroneckerSampler& sampler, Items items, Sink sink) {
  for (std::uint64_t item = items.first; item < items.last; ++item) {
    const Edge edge = sampler(item);
    sink(number(edge.source), number(edge.target));
  }
}

/// G(n, m): both endpoints of every edge are drawn independently and uniformly.
void make_erdos_renyi(const GeneratorSpec& spec, Items items, Sink sink) {
  for (std::uint64_t item = items.first; item < items.last; ++item) {
    core::CounterRandom random(spec.seed, item);
    const std::uint64_t source = random.below(spec.vertices);
    sink(source, random.below(spec.vertices));
  }
}

/// Vertex r * columns + c, joined to its right and lower neighbours. An item is a vertex.
void make_grid(const GeneratorSpec& spec, Items items, Sink sink) {
  for (std::uint64_t vertex = items.first; vertex < items.last; ++vertex) {
    if ((vertex + 1) % spec.columns != 0) sink(vertex, vertex + 1);
    if (spec.vertices - vertex > spec.columns) sink(vertex, vertex + spec.columns);
  }
}

/// chain, star and binary tree: item i is the edge from the parent of vertex i + 1 to that vertex.
template <class Parent>
void make_from_parents(Items items, Sink sink, Parent parent_of) {
  for (std::uint64_t item = items.first; item < items.last; ++item) sink(parent_of(item + 1), item + 1);
}

/// Watts and Strogatz, "Collective dynamics of small-world networks", 1998: a ring in which each vertex is joined to
/// its k nearest; edge (i, i+j) then keeps i and gets a new other end with probability p. The original forbids an edge
/// that exists already, which makes every edge depend on all before it; here the new end is any vertex but i, and the
/// rare repeats are dropped in clean-up. Item number = i * k/2 + (j - 1).
void make_small_world(const GeneratorSpec& spec, Items items, Sink sink) {
  const std::uint64_t reach = spec.neighbours / 2, n = spec.vertices;
  for (std::uint64_t item = items.first; item < items.last; ++item) {
    const std::uint64_t source = item / reach, step = item % reach + 1;
    const std::uint64_t beyond = n - source; // steps from `source` to vertex 0
    std::uint64_t target = step < beyond ? source + step : step - beyond;
    core::CounterRandom random(spec.seed, item);
    if (random.uniform() < spec.rewire) {
      target = random.below(n - 1);
      if (target >= source) ++target;
    }
    sink(source, target);
  }
}

void make(const GeneratorSpec& spec, const KroneckerSampler& sampler, Items items, Sink sink) {
  switch (spec.kind) {
    case GeneratorKind::kronecker: return make_kronecker(sampler, items, sink);
    case GeneratorKind::erdos_renyi: return make_erdos_renyi(spec, items, sink);
    case GeneratorKind::grid: return make_grid(spec, items, sink);
    case GeneratorKind::chain: return make_from_parents(items, sink, [](std::uint64_t v) { return v - 1; });
    case GeneratorKind::star: return make_from_parents(items, sink, [](std::uint64_t) { return std::uint64_t{0}; });
    case GeneratorKind::binary_tree: return make_from_parents(items, sink, [](std::uint64_t v) { return (v - 1) / 2; });
    case GeneratorKind::small_world: return make_small_world(spec, items, sink);
  }
}

} // namespace

GraphInput generate(const core::Communicator& comm, const GeneratorSpec& spec, core::ThreadTeam& team) {
  const KroneckerSampler sampler(spec.scale, spec.a, spec.b, spec.c, spec.seed);
  const std::uint64_t items = spec.kind == GeneratorKind::grid ? spec.vertices : spec.edges;
  const Items mine = Items{0, items}.part(comm.rank(), comm.size());

  const bool weighted = spec.weights != WeightKind::none;
  std::deque<EdgeBlocks> parts; // not a vector: blocks cannot be copied
  for (int thread = 0; thread < team.size(); ++thread) parts.emplace_back(weighted);
  team.run([&](int thread) {
    EdgeBlocks& part = parts[static_cast<std::size_t>(thread)];
    make(spec, sampler, mine.part(thread, team.size()), Sink(spec, part));
  });

  GraphInput input;
  input.edges = EdgeBlocks(weighted);
  for (EdgeBlocks& part : parts) input.edges.splice(std::move(part));
  input.contiguous_vertices = spec.vertices;
  input.description = spec.text;
  return input;
}

} // namespace pregel
