// What every rank holds after build_graph(), against the naive graph: on all awkward graphs, for all partitioners, with
// MPI's counts as they are and so low that every exchange is cut into pieces.
#include "pregel/graph/graph_builder.hpp"

#include <algorithm>
#include <climits>
#include <map>
#include <set>
#include <tuple>

#include <gtest/gtest.h>

#include "reference_graph.hpp"

namespace pregel {
namespace {

using testing_support::build;
using testing_support::gather;
using testing_support::gather_in_arcs;
using testing_support::gather_lists;
using testing_support::gather_out_edges;
using testing_support::reference_of;
using testing_support::ReferenceGraph;
using testing_support::test_graphs;
using testing_support::world;

class GraphBuilder : public testing::TestWithParam<std::tuple<PartitionKind, std::size_t>> {
 protected:
  void SetUp() override { core::set_count_limit(std::get<1>(GetParam())); }
  void TearDown() override { core::set_count_limit(INT_MAX); }

  [[nodiscard]] static BuildOptions options_for(const oracle::Graph& graph) {
    BuildOptions options;
    options.partition = std::get<0>(GetParam());
    options.needs.weights = !graph.weights.empty();
    options.needs.out_edges = true;
    return options;
  }

  struct Built {
    std::string name;
    DistributedGraph graph;
    ReferenceGraph reference;
  };

  /// Built once for each parameter.
  static const std::vector<Built>& built_graphs() {
    static std::map<ParamType, std::vector<Built>> known;
    std::vector<Built>& built = known[GetParam()];
    if (built.empty()) {
      for (const auto& [name, graph] : test_graphs()) {
        const BuildOptions options = options_for(graph);
        built.push_back({name, build(graph, options), reference_of(graph, options)});
      }
    }
    return built;
  }

  /// Calls check(distributed, reference) for each graph.
  template <class Check>
  static void for_each_graph(Check&& check) {
    for (const Built& each : built_graphs()) {
      SCOPED_TRACE(each.name);
      check(each.graph, each.reference);
    }
  }
};

INSTANTIATE_TEST_SUITE_P(All, GraphBuilder,
                         testing::Combine(testing::ValuesIn(testing_support::kAllPartitions),
                                          testing::Values(std::size_t{INT_MAX}, std::size_t{3})),
                         [](const auto& instance) {
                           return std::string(partition_name(std::get<0>(instance.param))) +
                                  (std::get<1>(instance.param) == INT_MAX ? "" : "InPieces");
                         });

TEST_P(GraphBuilder, EachVertexIsOnItsOwnersRank) {
  for_each_graph([](const DistributedGraph& graph, const ReferenceGraph& reference) {
    EXPECT_EQ(graph.vertex_count, reference.vertices.size());
    std::vector<std::uint64_t> ids;
    for (std::uint32_t v = 0; v < graph.local_count; ++v) {
      ids.push_back(number(graph.id_of(LocalId{v})));
      EXPECT_EQ(graph.owner(graph.id_of(LocalId{v})), world().rank());
    }
    std::vector<std::uint64_t> all = gather_lists(ids);
    std::ranges::sort(all);
    EXPECT_EQ(all, reference.vertices);

    std::ranges::sort(ids);
    std::vector<std::uint64_t> ascending;
    for (const LocalId v : graph.ascending) ascending.push_back(number(graph.id_of(v)));
    EXPECT_EQ(ascending, ids);
  });
}

TEST_P(GraphBuilder, VerticesAreFoundWhereTheyLive) {
  for_each_graph([](const DistributedGraph& graph, const ReferenceGraph& reference) {
    for (const std::uint64_t id : reference.vertices) {
      const std::optional<LocalId> v = graph.find(GlobalId{id});
      EXPECT_EQ(v.has_value(), graph.owner(GlobalId{id}) == world().rank()) << id;
      if (v) {
        EXPECT_EQ(graph.id_of(*v), GlobalId{id});
      }
      EXPECT_TRUE(graph.exists(GlobalId{id})) << id;
    }
    for (const std::uint64_t id : {13ULL, 5000000000ULL, ~0ULL}) {
      const bool wanted = std::ranges::binary_search(reference.vertices, id);
      EXPECT_EQ(graph.exists(GlobalId{id}), wanted) << id;
      if (!wanted) {
        EXPECT_EQ(graph.find(GlobalId{id}), std::nullopt) << id;
      }
    }
  });
}

TEST_P(GraphBuilder, ArcsAscendBySender) {
  for_each_graph([](const DistributedGraph& graph, const ReferenceGraph& reference) {
    EXPECT_EQ(gather_in_arcs(graph), reference.arcs);
    EXPECT_EQ(graph.arc_count, reference.arcs.size());
    EXPECT_EQ(graph.edge_count, reference.edge_count);
    EXPECT_EQ(graph.in_arcs.offsets.size(), graph.local_count + std::size_t{1});
  });
}

TEST_P(GraphBuilder, OutDegreesCountArcsOfAllRanks) {
  for_each_graph([](const DistributedGraph& graph, const ReferenceGraph& reference) {
    ASSERT_EQ(graph.out_degrees.size(), graph.local_count);
    EXPECT_EQ(gather(graph, graph.out_degrees), reference.out_degrees());
  });
}

TEST_P(GraphBuilder, OutEdgesAscendByTarget) {
  for_each_graph([](const DistributedGraph& graph, const ReferenceGraph& reference) {
    std::vector<testing_support::Arc> wanted = reference.arcs;
    std::ranges::sort(wanted, {}, [](const auto& arc) { return std::tuple(arc.source, arc.target, arc.weight); });
    EXPECT_EQ(gather_out_edges(graph), wanted);
  });
}

/// The rows for PUSH are the in-arcs turned round, each row ascending by local id.
TEST_P(GraphBuilder, PushRowsAreTheTransposedArcs) {
  for_each_graph([](const DistributedGraph& graph, const ReferenceGraph&) {
    using LocalArc = std::tuple<std::uint32_t, std::uint32_t, double>; // slot, vertex, weight
    const auto weight = [](const auto& rows, std::uint64_t a) { return rows.weights.empty() ? 1.0 : rows.weights[a]; };
    std::vector<LocalArc> in, from;
    for (std::uint32_t v = 0; v < graph.local_count; ++v) {
      for (std::uint64_t a = graph.in_arcs.offsets[v]; a < graph.in_arcs.offsets[v + 1]; ++a)
        in.emplace_back(index(graph.in_arcs.entries[a]), v, weight(graph.in_arcs, a));
    }
    const Rows<LocalId>& rows = graph.arcs_from_slot;
    ASSERT_EQ(rows.offsets.size(), graph.slot_count() + std::size_t{1});
    for (std::uint32_t s = 0; s < graph.slot_count(); ++s) {
      EXPECT_TRUE(std::ranges::is_sorted(rows.row(s)));
      for (std::uint64_t a = rows.offsets[s]; a < rows.offsets[s + 1]; ++a)
        from.emplace_back(s, index(rows.entries[a]), weight(rows, a));
    }
    std::ranges::sort(in);
    std::ranges::sort(from);
    EXPECT_EQ(in, from);
  });
}

/// Sent in the agreed order, ids must arrive exactly as the receiver's mirror slots name them.
TEST_P(GraphBuilder, WhatOneSendsTheOtherMirrors) {
  for_each_graph([](const DistributedGraph& graph, const ReferenceGraph&) {
    const ExchangePlan& plan = graph.plan;
    const auto ranks = static_cast<std::size_t>(world().size());
    ASSERT_EQ(plan.send_offsets.size(), ranks + 1);
    ASSERT_EQ(plan.receive_offsets.size(), ranks + 1);
    std::vector<std::uint64_t> sent;
    for (const LocalId v : plan.send_vertices) sent.push_back(number(graph.id_of(v)));
    std::vector<std::size_t> counts;
    for (std::size_t p = 0; p < ranks; ++p) counts.push_back(plan.send_offsets[p + 1] - plan.send_offsets[p]);
    core::ExchangeCounts exchange;
    exchange.update(world(), counts);
    ASSERT_EQ(exchange.receive_total, plan.receive_offsets.back());
    EXPECT_EQ(exchange.fits_int, plan.fits_int);
    std::vector<std::uint64_t> received(exchange.receive_total);
    core::all_to_all_varying(world(), sent.data(), received.data(), exchange);

    ASSERT_EQ(graph.local_count + received.size(), graph.slot_count());
    for (std::size_t p = 0; p < ranks; ++p) {
      EXPECT_EQ(exchange.receive_counts[p], plan.receive_offsets[p + 1] - plan.receive_offsets[p]);
      for (std::size_t i = plan.receive_offsets[p]; i < plan.receive_offsets[p + 1]; ++i) {
        const Slot slot{static_cast<std::uint32_t>(graph.local_count + i)};
        EXPECT_EQ(number(graph.slot_ids[index(slot)]), received[i]);
        EXPECT_EQ(graph.owner_of(slot), static_cast<int>(p));
        EXPECT_EQ(graph.owner(graph.slot_ids[index(slot)]), static_cast<int>(p));
      }
    }
    EXPECT_EQ(counts[static_cast<std::size_t>(world().rank())], 0U) << "a rank does not mirror its own vertices";
  });
}

/// `mirrors_of` says the same as `send_vertices`, from the vertex's side; and no mirror is without an arc.
TEST_P(GraphBuilder, MirrorsAreNeededAndKnown) {
  for_each_graph([](const DistributedGraph& graph, const ReferenceGraph&) {
    const ExchangePlan& plan = graph.plan;
    std::set<std::tuple<std::uint32_t, int, std::uint32_t>> by_vertex, by_peer;
    for (std::uint32_t v = 0; v < graph.local_count; ++v) {
      for (const MirrorReference& mirror : plan.mirrors_of.row(v))
        by_vertex.emplace(v, number(mirror.peer), mirror.position);
    }
    for (std::size_t p = 0; p + 1 < plan.send_offsets.size(); ++p) {
      for (std::size_t i = plan.send_offsets[p]; i < plan.send_offsets[p + 1]; ++i) {
        by_peer.emplace(index(plan.send_vertices[i]), static_cast<int>(p),
                        static_cast<std::uint32_t>(i - plan.send_offsets[p]));
      }
    }
    EXPECT_EQ(by_vertex, by_peer);
    EXPECT_EQ(by_vertex.size(), plan.send_vertices.size());
    for (std::uint32_t s = graph.local_count; s < graph.slot_count(); ++s)
      EXPECT_GT(graph.arcs_from_slot.length(s), 0U);
  });
}

/// What a program does not ask for is not built.
TEST(GraphNeedsTest, OnlyWhatIsAskedFor) {
  BuildOptions options;
  options.needs = {.push = false};
  const DistributedGraph graph = build(oracle::with_weights(oracle::random_graph(50, 200, true, 9), 1), options);
  EXPECT_FALSE(graph.arcs_from_slot.built());
  EXPECT_FALSE(graph.out_edges.built());
  EXPECT_TRUE(graph.in_arcs.weights.empty());
  EXPECT_FALSE(graph.weighted);
  EXPECT_GT(graph.bytes(), 200 / static_cast<unsigned>(world().size()));
}

/// Weights asked for, but the input has none.
TEST(GraphNeedsTest, WeightsAreOneWhereTheInputHasNone) {
  BuildOptions options;
  options.needs.weights = true;
  options.needs.out_edges = true;
  const DistributedGraph graph = build(oracle::random_graph(50, 200, true, 9), options);
  EXPECT_TRUE(graph.weighted);
  ASSERT_EQ(graph.in_arcs.weights.size(), graph.in_arcs.entries.size());
  for (std::size_t a = 0; a < graph.in_arcs.entries.size(); ++a) EXPECT_EQ(graph.in_arcs.weights[a], 1.0);
  ASSERT_EQ(graph.out_edges.weights.size(), graph.out_edges.entries.size());
  for (std::size_t e = 0; e < graph.out_edges.entries.size(); ++e) EXPECT_EQ(graph.out_edges.weights[e], 1.0);
}

/// Generators say "ids 0 .. n-1" instead of listing them.
TEST(GraphNeedsTest, ContiguousVerticesExist) {
  for (const PartitionKind partition : testing_support::kAllPartitions) {
    for (const std::uint64_t n : {0ULL, 1ULL, 2ULL, 10ULL, 20000ULL}) {
      SCOPED_TRACE(n);
      GraphInput input;
      input.contiguous_vertices = n;
      if (world().rank() == 0) input.edges.append({GlobalId{30000}, GlobalId{0}});
      BuildOptions options;
      options.partition = partition;
      const DistributedGraph graph = build_graph(world(), std::move(input), options);
      EXPECT_EQ(graph.vertex_count, std::max<std::uint64_t>(n, 1) + 1);
      if (n > 0) {
        EXPECT_TRUE(graph.exists(GlobalId{n - 1}));
      }
      EXPECT_FALSE(graph.exists(GlobalId{std::max<std::uint64_t>(n, 1)}));
      EXPECT_EQ(graph.edge_count, 1U);
    }
  }
}

/// All edges on one rank: the others hold vertices they never saw in a file.
TEST(GraphNeedsTest, EdgesMayAllComeFromOneRank) {
  const oracle::Graph graph = oracle::random_graph(200, 1000, false, 12);
  GraphInput input;
  if (world().rank() == world().size() - 1) {
    for (const oracle::Edge& edge : graph.edges) input.edges.append({GlobalId{edge.source}, GlobalId{edge.target}});
  }
  BuildOptions options;
  options.directed = false;
  EXPECT_EQ(gather_in_arcs(build_graph(world(), std::move(input), options)), reference_of(graph, options).arcs);
}

} // namespace
} // namespace pregel
