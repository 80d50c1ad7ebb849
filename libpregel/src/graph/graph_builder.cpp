// The loader's second half, in the order of build():
//   1. route      arcs to the owners of their targets                                  (arc_routing.hpp)
//   2. index      which ids occur here; owners learn of vertices that have no arcs in  (id_index.hpp)
//   3. sort       arcs by (target, source), as ordinals packed into 64-bit keys; clean repeats
//   4. renumber   hubs first, mirrors behind, grouped by owner
//   5. rows       arcs as slots, and the transposed rows for PUSH
//   6. plan       peers tell each other which vertices they mirror, and how many arcs leave them there
// Out-edges, which few programs ask for, are a side path (out_edges.hpp).
#include "pregel/graph/graph_builder.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <concepts>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <malloc.h>

#include "arc_routing.hpp"
#include "core/agreement.hpp"
#include "core/collectives.hpp"
#include "core/first_touch.hpp"
#include "out_edges.hpp"
#include "pregel/error.hpp"
#include "pregel/graph/thread_ranges.hpp"

namespace pregel {
namespace {

constexpr std::uint64_t kLargestDegree = std::numeric_limits<std::uint32_t>::max();

[[noreturn]] void throw_degree_too_large(std::uint64_t id) {
  throw GraphError("vertex " + std::to_string(id) + " has more than 2^32-1 edges, which is the largest degree");
}

constexpr std::uint64_t kCompactIds = std::uint64_t{1} << 32;

/// What all ranks know of the input before anything is sent.
struct InputSummary {
  std::uint64_t largest_id = 0;
  std::uint64_t edges = 0;
};

InputSummary summarise(const core::Communicator& comm, const GraphInput& input) {
  std::uint64_t largest = input.contiguous_vertices > 0 ? input.contiguous_first + input.contiguous_vertices - 1 : 0;
  for (std::size_t block = 0; block < input.edges.block_count(); ++block) {
    for (const Edge& edge : input.edges.edges(block))
      largest = std::max({largest, number(edge.source), number(edge.target)});
  }
  for (const GlobalId id : input.vertices) largest = std::max(largest, number(id));
  InputSummary summary;
  summary.largest_id = core::all_reduce_value(comm, largest, core::Reduce::max);
  summary.edges = core::all_reduce_value(comm, std::uint64_t{input.edges.size()}, core::Reduce::sum);
  return summary;
}

/// Sends every listed vertex, and this rank's share of the contiguous ones, to its owner.
void route_vertices(const core::Communicator& comm, const GraphInput& input, const Partitioner& partitioner,
                    IdIndex& index) {
  const auto ranks = static_cast<std::uint64_t>(comm.size());
  const auto rank = static_cast<std::uint64_t>(comm.rank());
  const std::uint64_t n = input.contiguous_vertices;
  std::uint64_t next = n / ranks * rank + std::min(n % ranks, rank);
  next += input.contiguous_first;
  const std::uint64_t end = next + n / ranks + (rank < n % ranks ? 1 : 0);
  std::size_t listed = 0;
  const auto produce = [&](auto&& push) {
    constexpr std::uint64_t kAtATime = 4096;
    const std::size_t listed_end = std::min<std::size_t>(input.vertices.size(), listed + kAtATime);
    for (; listed < listed_end; ++listed)
      push(partitioner.owner(input.vertices[listed]), number(input.vertices[listed]));
    const std::uint64_t some_end = std::min(end, next + kAtATime);
    for (; next < some_end; ++next) push(partitioner.owner(GlobalId{next}), next);
    return listed < input.vertices.size() || next < end;
  };
  collectives::routed_exchange<std::uint64_t>(comm, produce, [&](int, std::span<const std::uint64_t> ids) {
    for (const std::uint64_t id : ids) index.insert(id);
  });
}

/// Owners learn the ids that other ranks know only as sources.
void announce_sources(const core::Communicator& comm, const Partitioner& partitioner, IdIndex& index) {
  std::vector<std::vector<std::uint64_t>> by_owner(static_cast<std::size_t>(comm.size()));
  index.for_each([&](std::uint64_t id) {
    const int owner = partitioner.owner(GlobalId{id});
    if (owner != comm.rank()) by_owner[static_cast<std::size_t>(owner)].push_back(id);
  });
  std::vector<std::size_t> counts;
  std::vector<std::uint64_t> send;
  for (std::vector<std::uint64_t>& ids : by_owner) {
    counts.push_back(ids.size());
    send.insert(send.end(), ids.begin(), ids.end());
    std::vector<std::uint64_t>().swap(ids);
  }
  core::ExchangeCounts exchange;
  exchange.update(comm, counts);
  std::vector<std::uint64_t> received(exchange.receive_total);
  core::all_to_all_varying(comm, send.data(), received.data(), exchange);
  for (const std::uint64_t id : received) index.insert(id);
}

template <class Routed>
concept Weighted = requires(const Routed& arc) {
  arc.weight;
};
template <class Routed>
using SortableArc = std::conditional_t<Weighted<Routed>, WeightedArc, PlainArc>;

/// Arcs as packed ordinals; compact arcs are rewritten in place.
template <class Routed>
core::HugeVector<SortableArc<Routed>> to_ordinals(core::HugeVector<Routed>&& arcs, const IdIndex& index,
                                                  unsigned bits) {
  const auto pack = [&](const Routed& arc) {
    return std::uint64_t{index.ordinal(target_of(arc))} << bits | index.ordinal(source_of(arc));
  };
  if constexpr (Compact<Routed>) {
    for (Routed& arc : arcs) arc.key = pack(arc);
    return std::move(arcs);
  } else {
    core::HugeVector<SortableArc<Routed>> packed;
    packed.reserve(arcs.size());
    for (const Routed& arc : arcs) {
      if constexpr (Weighted<Routed>)
        packed.push_back({pack(arc), arc.weight});
      else
        packed.push_back({pack(arc)});
    }
    return packed;
  }
}

/// Repeated arcs in ascending order of weight, so that their order is a property of the graph; with `drop` only the
/// first stays. Arcs of `directions` are repeats only if their edges point the same way.
template <class Arc>
void order_repeats(core::HugeVector<Arc>& arcs, MultiEdges policy, bool directions) {
  if constexpr (std::same_as<Arc, WeightedArc>) {
    for (std::size_t begin = 0, end = 0; begin < arcs.size(); begin = end) {
      for (end = begin + 1; end < arcs.size() && arcs[end].key == arcs[begin].key;) ++end;
      if (end - begin > 1) {
        std::sort(arcs.begin() + static_cast<std::ptrdiff_t>(begin), arcs.begin() + static_cast<std::ptrdiff_t>(end),
                  [](const Arc& a, const Arc& b) { return a.weight < b.weight; });
      }
    }
  }
  if (policy == MultiEdges::drop) {
    const auto repeats = [&](const Arc& a, const Arc& b) {
      if constexpr (std::same_as<Arc, WeightedArc>) {
        if (directions && a.weight != b.weight) return false;
      }
      return a.key == b.key;
    };
    arcs.erase(std::unique(arcs.begin(), arcs.end(), repeats), arcs.end());
  }
}

/// `items` in descending order of weight[item], ties ascending.
std::vector<std::uint32_t> by_descending(const std::vector<std::uint32_t>& items,
                                         const std::vector<std::uint32_t>& weight) {
  std::vector<PlainArc> keys;
  keys.reserve(items.size());
  for (const std::uint32_t item : items) keys.push_back({std::uint64_t{~weight[item]} << 32 | item});
  radix_sort(keys, 64);
  std::vector<std::uint32_t> order;
  order.reserve(items.size());
  for (const PlainArc& key : keys) order.push_back(static_cast<std::uint32_t>(key.key));
  return order;
}

/// State shared by the steps that follow the sort. Ordinals number the ids that occur on this rank, ascending.
class PartBuilder {
 public:
  PartBuilder(const core::Communicator& comm, DistributedGraph& graph, std::vector<std::uint64_t> ids,
              core::ThreadTeam& team)
      : comm_(comm), graph_(graph), team_(team), ids_(std::move(ids)) {}

  template <class Arc>
  void build(core::HugeVector<Arc>&& arcs, unsigned bits, const BuildOptions& options) {
    core::agree(comm_, [&] { count(arcs, bits); });
    renumber();
    fill_in_arcs(std::move(arcs), bits);
    agree_on_mirrors();
    if (options.needs.push) fill_arcs_from_slots();
  }

  [[nodiscard]] std::uint64_t loops() const noexcept { return loops_; }

 private:
  [[nodiscard]] std::size_t ordinals() const noexcept { return ids_.size(); }

  template <class Arc>
  void count(const core::HugeVector<Arc>& arcs, unsigned bits) {
    const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
    uses_.assign(ordinals(), 0);
    row_start_.assign(ordinals() + 1, 0);
    for (const Arc& arc : arcs) {
      if (++uses_[arc.key & mask] == 0) throw_degree_too_large(ids_[arc.key & mask]);
      ++row_start_[(arc.key >> bits) + 1];
      loops_ += (arc.key >> bits) == (arc.key & mask);
    }
    for (std::size_t o = 0; o < ordinals(); ++o) row_start_[o + 1] += row_start_[o];
  }

  /// Local vertices by descending number of arcs in (or of uses as a sender, whichever is larger); mirrors behind them,
  /// grouped by owner, by descending number of uses.
  void renumber() {
    std::vector<std::vector<std::uint32_t>> groups(static_cast<std::size_t>(comm_.size()));
    for (std::size_t o = 0; o < ordinals(); ++o) {
      groups[static_cast<std::size_t>(graph_.partitioner.owner(GlobalId{ids_[o]}))].push_back(
          static_cast<std::uint32_t>(o));
    }
    std::vector<std::uint32_t>& owned = groups[static_cast<std::size_t>(comm_.rank())];
    graph_.local_count = static_cast<std::uint32_t>(owned.size());
    std::vector<std::uint32_t> weight = uses_;
    for (const std::uint32_t o : owned) {
      weight[o] = std::max(uses_[o],
                           static_cast<std::uint32_t>(std::min<std::uint64_t>(row_start_[o + 1] - row_start_[o], ~0U)));
    }
    ordinal_of_slot_ = by_descending(owned, weight);
    const std::vector<std::uint32_t> owned_ascending = std::exchange(owned, {});

    graph_.plan.receive_offsets.assign(1, 0);
    for (const std::vector<std::uint32_t>& group : groups) {
      const std::vector<std::uint32_t> order = by_descending(group, weight);
      ordinal_of_slot_.insert(ordinal_of_slot_.end(), order.begin(), order.end());
      graph_.plan.receive_offsets.push_back(ordinal_of_slot_.size() - graph_.local_count);
    }
    graph_.slot_of_ordinal.resize(ordinals());
    graph_.slot_ids.reserve(ordinals());
    for (std::size_t s = 0; s < ordinals(); ++s) {
      graph_.slot_of_ordinal[ordinal_of_slot_[s]] = static_cast<std::uint32_t>(s);
      graph_.slot_ids.push_back(GlobalId{ids_[ordinal_of_slot_[s]]});
    }
    graph_.ascending.reserve(owned_ascending.size());
    for (const std::uint32_t o : owned_ascending) graph_.ascending.push_back(LocalId{graph_.slot_of_ordinal[o]});
  }

  template <class Arc>
  void fill_in_arcs(core::HugeVector<Arc>&& arcs, unsigned bits) {
    Rows<Slot>& rows = graph_.in_arcs;
    std::vector<std::uint64_t> offsets{0};
    offsets.reserve(graph_.local_count + std::size_t{1});
    for (std::uint32_t v = 0; v < graph_.local_count; ++v) {
      const std::uint32_t o = ordinal_of_slot_[v];
      offsets.push_back(offsets.back() + (row_start_[o + std::size_t{1}] - row_start_[o]));
    }
    ranges_.emplace(offsets, team_.size());
    rows.offsets.resize(offsets.size());
    rows.offsets[0] = 0;
    rows.entries.resize(arcs.size());
    if constexpr (std::same_as<Arc, WeightedArc>) {
      rows.weights.choose(
          std::all_of(arcs.begin(), arcs.end(), [](const Arc& arc) { return ArcWeights::fits_float(arc.weight); }));
      rows.weights.resize(arcs.size());
    }
    std::atomic<std::uint64_t> hash{0};
    ranges_->fixed(team_, [&](int, std::uint32_t begin, std::uint32_t end) {
      std::copy(offsets.begin() + begin + 1, offsets.begin() + end + 1, rows.offsets.begin() + begin + 1);
      hash += fill_rows(arcs, bits, begin, end, offsets[begin]);
    });
    graph_.fingerprint = hash;
    core::HugeVector<Arc>().swap(arcs);
    std::vector<std::uint64_t>().swap(row_start_);
  }

  /// The arcs into vertices begin .. end-1, from `entry` on; returns what they add to the fingerprint.
  template <class Arc>
  std::uint64_t fill_rows(const core::HugeVector<Arc>& arcs, unsigned bits, std::uint32_t begin, std::uint32_t end,
                          std::uint64_t entry) {
    constexpr bool kWeighted = std::same_as<Arc, WeightedArc>;
    const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
    Rows<Slot>& rows = graph_.in_arcs;
    std::uint64_t hash = 0;
    for (std::uint32_t v = begin; v < end; ++v) {
      const std::uint32_t o = ordinal_of_slot_[v];
      const std::uint64_t target_hash = core::mix64(ids_[o]);
      hash += target_hash;
      for (std::uint64_t a = row_start_[o]; a < row_start_[o + std::size_t{1}]; ++a, ++entry) {
        const std::uint64_t source = arcs[a].key & mask;
        std::uint64_t arc_hash = (target_hash ^ ids_[source]) * 0x9e3779b97f4a7c15ULL;
        if constexpr (kWeighted) {
          rows.weights.set(entry, arcs[a].weight);
          arc_hash ^= std::bit_cast<std::uint64_t>(arcs[a].weight);
        }
        rows.entries[entry] = Slot{graph_.slot_of_ordinal[source]};
        hash += (arc_hash ^ (arc_hash >> 29)) * 0xbf58476d1ce4e5b9ULL;
      }
    }
    return hash;
  }

  void agree_on_mirrors() {
    struct MirrorRequest {
      std::uint64_t id;
      std::uint64_t uses;
    };
    const auto ranks = static_cast<std::size_t>(comm_.size());
    ExchangePlan& plan = graph_.plan;
    std::vector<MirrorRequest> requests;
    requests.reserve(ordinals() - graph_.local_count);
    for (std::size_t s = graph_.local_count; s < ordinals(); ++s) {
      requests.push_back({number(graph_.slot_ids[s]), uses_[ordinal_of_slot_[s]]});
    }
    std::vector<std::size_t> counts;
    for (std::size_t p = 0; p < ranks; ++p) counts.push_back(plan.receive_offsets[p + 1] - plan.receive_offsets[p]);
    core::ExchangeCounts exchange;
    exchange.update(comm_, counts);
    std::vector<MirrorRequest> wanted(exchange.receive_total);
    core::all_to_all_varying(comm_, requests.data(), wanted.data(), exchange);

    graph_.out_degrees.resize(graph_.local_count);
    ranges_->fixed(team_, [&](int, std::uint32_t begin, std::uint32_t end) {
      for (std::uint32_t v = begin; v < end; ++v) graph_.out_degrees[v] = uses_[ordinal_of_slot_[v]];
    });
    plan.send_offsets = exchange.receive_offsets;
    plan.send_offsets.push_back(exchange.receive_total);
    plan.fits_int = exchange.fits_int;
    plan.mirrors_everywhere = exchange.grand_total;
    plan.send_vertices.reserve(wanted.size());
    core::UntouchedVector<std::uint64_t>& offsets = plan.mirrors_of.offsets;
    offsets.assign(graph_.local_count + std::size_t{1}, 0);
    std::optional<GlobalId> too_large;
    for (const MirrorRequest& request : wanted) {
      const LocalId v{graph_.slot_of_ordinal[graph_.index.ordinal(request.id)]};
      plan.send_vertices.push_back(v);
      const std::uint64_t degree = graph_.out_degrees[index(v)] + request.uses;
      if (degree > kLargestDegree) too_large = graph_.id_of(v);
      graph_.out_degrees[index(v)] = static_cast<std::uint32_t>(degree);
      ++offsets[index(v) + std::size_t{1}];
    }
    core::agree(comm_, [&] {
      if (too_large) throw_degree_too_large(number(*too_large));
    });
    for (std::size_t v = 0; v < graph_.local_count; ++v) offsets[v + 1] += offsets[v];
    plan.mirrors_of.entries.resize(wanted.size());
    std::vector<std::uint64_t> next(offsets.begin(), offsets.end() - 1);
    for (std::size_t p = 0; p < ranks; ++p) {
      for (std::size_t i = plan.send_offsets[p]; i < plan.send_offsets[p + 1]; ++i) {
        plan.mirrors_of.entries[next[index(plan.send_vertices[i])]++] = {
            Rank{static_cast<std::int32_t>(p)}, static_cast<std::uint32_t>(i - plan.send_offsets[p])};
      }
    }
  }

  void fill_arcs_from_slots() {
    const Rows<Slot>& in = graph_.in_arcs;
    Rows<LocalId>& rows = graph_.arcs_from_slot;
    rows.offsets.assign(ordinals() + 1, 0);
    for (std::size_t s = 0; s < ordinals(); ++s) rows.offsets[s + 1] = rows.offsets[s] + uses_[ordinal_of_slot_[s]];
    rows.entries.resize(in.entries.size());
    rows.weights.choose(in.weights.narrow());
    rows.weights.resize(in.weights.size());
    // Every thread walks every row: no page has an owner, so all domains get some.
    const std::vector<std::size_t> shares = core::even_bounds(in.entries.size(), team_.size());
    core::first_touch(team_, rows.entries.data(), std::span<const std::size_t>(shares));
    std::vector<std::uint64_t> next(rows.offsets.begin(), rows.offsets.end() - 1);
    for (std::uint32_t v = 0; v < graph_.local_count; ++v) {
      for (std::uint64_t a = in.offsets[v]; a < in.offsets[v + std::size_t{1}]; ++a) {
        const std::uint64_t position = next[index(in.entries[a])]++;
        rows.entries[position] = LocalId{v};
        if (!in.weights.empty()) rows.weights.set(position, in.weights[a]);
      }
    }
  }

  const core::Communicator& comm_;
  DistributedGraph& graph_;
  core::ThreadTeam& team_;
  std::optional<ThreadRanges> ranges_;
  std::vector<std::uint64_t> ids_;       // by ordinal
  std::vector<std::uint32_t> uses_;      // by ordinal: local arcs that read it
  std::vector<std::uint64_t> row_start_; // by ordinal of the target: its arcs among the sorted ones
  std::vector<std::uint32_t> ordinal_of_slot_;
  std::uint64_t loops_ = 0;
};

std::uint64_t count_edges(const BuildOptions& options, bool symmetric, std::uint64_t kept_input_edges,
                          std::uint64_t arcs, std::uint64_t loops) {
  if (options.multi_edges == MultiEdges::keep) return kept_input_edges;
  return symmetric ? (arcs - loops) / 2 + loops : arcs;
}

/// Undirected edges count both ways, so their arcs need no marks.
bool marks_directions(const BuildOptions& options) {
  return options.needs.directions && options.directed && options.needs.path == MessagePath::both_ways;
}

template <class Routed>
DistributedGraph build(const core::Communicator& comm, GraphInput&& input, const BuildOptions& options,
                       core::ThreadTeam& team, Partitioner partitioner, const InputSummary& summary) {
  const bool symmetric = !options.directed || options.needs.path == MessagePath::both_ways;
  const bool directions = marks_directions(options);
  DistributedGraph graph;
  graph.comm = &comm;
  graph.partitioner = std::move(partitioner);
  graph.directed = options.directed;
  graph.weighted = options.needs.weights || directions;
  graph.largest_id = summary.largest_id;

  std::vector<OutEdge> out_edges;
  if (options.needs.out_edges && !symmetric) out_edges = route_out_edges(comm, input, graph.partitioner, options);

  const std::uint64_t all_arcs = summary.edges * (symmetric ? 2 : 1);
  const std::uint64_t fair_share = all_arcs / static_cast<std::uint64_t>(comm.size());
  const std::size_t listed_before = input.vertices.size();
  core::HugeVector<Routed> routed = route_arcs<Routed>(comm, input, graph.partitioner, symmetric, directions,
                                                       options.self_loops, fair_share + fair_share / 16 + 64);
  const std::uint64_t dropped_loops =
      core::all_reduce_value(comm, std::uint64_t{input.vertices.size() - listed_before}, core::Reduce::sum);

  graph.index = IdIndex(summary.largest_id, 2 * routed.size() + input.vertices.size() +
                                                input.contiguous_vertices / static_cast<std::uint64_t>(comm.size()));
  for (const Routed& arc : routed) {
    graph.index.insert(target_of(arc));
    graph.index.insert(source_of(arc));
  }
  announce_sources(comm, graph.partitioner, graph.index);
  route_vertices(comm, input, graph.partitioner, graph.index);

  std::vector<std::uint64_t> ids = core::agree(comm, [&] { return graph.index.finish(); });
  const unsigned bits = std::max(1, static_cast<int>(std::bit_width(ids.size())));
  core::HugeVector<SortableArc<Routed>> arcs = to_ordinals(std::move(routed), graph.index, bits);
  core::HugeVector<Routed>().swap(routed);
  radix_sort(arcs, 2 * bits);
  order_repeats(arcs, options.multi_edges, directions);

  const std::uint64_t local_arcs = arcs.size();
  PartBuilder part(comm, graph, std::move(ids), team);
  part.build(std::move(arcs), bits, options);
  if (options.needs.out_edges) fill_out_edges(graph, out_edges, symmetric);

  std::array<std::uint64_t, 4> totals{graph.local_count, local_arcs, part.loops(), graph.fingerprint};
  core::all_reduce(comm, std::span<std::uint64_t>(totals), core::Reduce::sum);
  graph.vertex_count = totals[0];
  graph.arc_count = totals[1];
  graph.fingerprint = totals[3];
  graph.edge_count = count_edges(options, symmetric, summary.edges - dropped_loops, totals[1], totals[2]);
  malloc_trim(0); // give the loader's buffers back: the run needs a fraction of them
  return graph;
}

} // namespace

DistributedGraph build_graph(const core::Communicator& comm, GraphInput&& input, const BuildOptions& wanted) {
  core::ThreadTeam team(1);
  return build_graph(comm, std::move(input), wanted, team);
}

DistributedGraph build_graph(const core::Communicator& comm, GraphInput&& input, const BuildOptions& wanted,
                             core::ThreadTeam& team) {
  BuildOptions options = wanted;
  if (options.needs.simple) {
    options.self_loops = SelfLoops::drop;
    options.multi_edges = MultiEdges::drop;
  }
  const InputSummary summary = summarise(comm, input);
  const auto make_partitioner = [&] {
    if (options.partitioner) return *options.partitioner;
    switch (options.partition) {
      case PartitionKind::hash: return Partitioner::hash(comm.size());
      case PartitionKind::modulo: return Partitioner::modulo(comm.size());
      case PartitionKind::range: break;
    }
    return Partitioner::sampled_range(comm, input.edges, input.vertices, input.contiguous_vertices,
                                      input.contiguous_first);
  };
  Partitioner partitioner = make_partitioner();
  const bool compact = summary.largest_id < kCompactIds;
  if (options.needs.weights && options.needs.directions)
    throw GraphError("a graph keeps either weights or directions: the marks take the weights' place");
  if (options.needs.weights || marks_directions(options)) {
    return compact ? build<WeightedArc>(comm, std::move(input), options, team, std::move(partitioner), summary)
                   : build<WideWeightedArc>(comm, std::move(input), options, team, std::move(partitioner), summary);
  }
  return compact ? build<PlainArc>(comm, std::move(input), options, team, std::move(partitioner), summary)
                 : build<WideArc>(comm, std::move(input), options, team, std::move(partitioner), summary);
}

} // namespace pregel
