// Generated graphs against what is known of them in closed form.
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "gathered_graph.hpp"

namespace pregel {
namespace {

using testing_support::gather_edges;
using testing_support::WeightedEdge;

std::vector<WeightedEdge> edges_of(const std::string& spec) {
  return gather_edges(core::Communicator::world(), spec);
}

/// How many vertices have which degree, loops counted twice; vertices without edges are left out.
std::map<std::uint64_t, std::uint64_t> degree_histogram(const std::vector<WeightedEdge>& edges) {
  std::map<std::uint64_t, std::uint64_t> degrees, histogram;
  for (const WeightedEdge& edge : edges) ++degrees[edge.source], ++degrees[edge.target];
  for (const auto& [vertex, degree] : degrees) ++histogram[degree];
  return histogram;
}

using Histogram = std::map<std::uint64_t, std::uint64_t>;

TEST(Grid, corners_borders_and_inside_have_two_three_and_four_neighbours) {
  const auto edges = edges_of("grid:rows=4,cols=6");
  EXPECT_EQ(edges.size(), 4U * 5 + 3 * 6);
  EXPECT_EQ(degree_histogram(edges), (Histogram{{2, 4}, {3, 12}, {4, 8}}));
  EXPECT_EQ(edges[0], (WeightedEdge{0, 1, 1}));
  EXPECT_EQ(edges[1], (WeightedEdge{0, 6, 1}));
  EXPECT_EQ(edges_of("grid:rows=1,cols=5"), edges_of("chain:n=5"));
  EXPECT_EQ(edges_of("grid:rows=5,cols=1"), edges_of("chain:n=5"));
}

TEST(Chain, joins_each_vertex_to_the_next) {
  const auto edges = edges_of("chain:n=50");
  ASSERT_EQ(edges.size(), 49U);
  for (std::uint64_t v = 0; v < 49; ++v) EXPECT_EQ(edges[v], (WeightedEdge{v, v + 1, 1}));
}

TEST(Star, joins_vertex_0_to_all_others) {
  const auto edges = edges_of("star:n=50");
  ASSERT_EQ(edges.size(), 49U);
  for (std::uint64_t v = 0; v < 49; ++v) EXPECT_EQ(edges[v], (WeightedEdge{0, v + 1, 1}));
}

TEST(Tree, gives_vertex_i_the_children_2i_plus_1_and_2i_plus_2) {
  const auto edges = edges_of("tree:n=63"); // complete: 32 leaves
  ASSERT_EQ(edges.size(), 62U);
  for (std::uint64_t child = 1; child < 63; ++child)
    EXPECT_EQ(edges[child - 1], (WeightedEdge{(child - 1) / 2, child, 1}));
  EXPECT_EQ(degree_histogram(edges), (Histogram{{1, 32}, {2, 1}, {3, 30}}));
}

TEST(SmallWorld, is_a_ring_lattice_without_rewiring) {
  const auto edges = edges_of("smallworld:n=40,k=6,p=0");
  EXPECT_EQ(edges.size(), 120U);
  EXPECT_EQ(degree_histogram(edges), (Histogram{{6, 40}}));
  for (const WeightedEdge& edge : edges) {
    const std::uint64_t forward = (edge.target + 40 - edge.source) % 40;
    EXPECT_TRUE(forward >= 1 && forward <= 3) << edge.source << " " << edge.target;
  }
}

TEST(SmallWorld, is_complete_with_all_neighbours) {
  std::set<std::pair<std::uint64_t, std::uint64_t>> pairs;
  for (const WeightedEdge& edge : edges_of("smallworld:n=9,k=8"))
    pairs.emplace(std::min(edge.source, edge.target), std::max(edge.source, edge.target));
  EXPECT_EQ(pairs.size(), 36U);
}

TEST(SmallWorld, rewires_the_asked_share_of_edges_and_makes_no_loops) {
  const auto edges = edges_of("smallworld:n=4000,k=4,p=0.25");
  EXPECT_EQ(edges.size(), 8000U);
  std::size_t rewired = 0;
  for (const WeightedEdge& edge : edges) {
    EXPECT_NE(edge.source, edge.target);
    EXPECT_LT(edge.target, 4000U);
    const std::uint64_t forward = (edge.target + 4000 - edge.source) % 4000;
    rewired += forward > 2 ? 1 : 0;
  }
  EXPECT_NEAR(static_cast<double>(rewired), 2000, 5 * 39); // sqrt(8000 * 1/4 * 3/4) = 38.7
}

TEST(ErdosRenyi, draws_both_ends_uniformly) {
  const auto edges = edges_of("er:n=50,edges=20000");
  EXPECT_EQ(edges.size(), 20000U);
  std::vector<double> sources(50), targets(50);
  for (const WeightedEdge& edge : edges) {
    ASSERT_LT(std::max(edge.source, edge.target), 50U);
    ++sources[edge.source];
    ++targets[edge.target];
  }
  // Chi-square with 49 degrees of freedom: mean 49, deviation 10.
  for (const auto& counts : {sources, targets}) {
    double chi_square = 0;
    for (const double count : counts) chi_square += (count - 400) * (count - 400) / 400;
    EXPECT_LT(chi_square, 99);
    EXPECT_GT(chi_square, 15);
  }
}

TEST(Kronecker, is_skewed_and_leaves_vertices_alone) {
  const auto edges = edges_of("kron:scale=12,degree=16");
  EXPECT_EQ(edges.size(), 16U << 12);
  std::map<std::uint64_t, std::uint64_t> degrees;
  for (const WeightedEdge& edge : edges) {
    ASSERT_LT(std::max(edge.source, edge.target), 1U << 12);
    ++degrees[edge.source], ++degrees[edge.target];
  }
  const auto largest = std::ranges::max_element(degrees, {}, [](const auto& entry) { return entry.second; });
  EXPECT_GT(largest->second, 50U * 32) << "a hub has more than fifty times the mean degree of 32";
  EXPECT_LT(degrees.size(), 3500U) << "hundreds of the 4096 vertices have no edge";
  EXPECT_NE(largest->first, 0U) << "the hub would be vertex 0 without scrambling";
}

TEST(Generators, a_seed_chooses_the_graph) {
  for (const std::string spec : {"kron:scale=6", "er:n=64,edges=100", "smallworld:n=64,k=4,p=0.5"}) {
    EXPECT_EQ(edges_of(spec), edges_of(spec + ",seed=1"));
    EXPECT_NE(edges_of(spec), edges_of(spec + ",seed=2"));
  }
}

TEST(Generators, weights_are_in_range_and_agree_for_both_directions) {
  for (const std::string kind : {"int", "real"}) {
    std::map<std::pair<std::uint64_t, std::uint64_t>, double> weight_of;
    double smallest = 1e9, largest = 0;
    for (const WeightedEdge& edge : edges_of("er:n=60,edges=20000,weights=" + kind)) {
      smallest = std::min(smallest, edge.weight);
      largest = std::max(largest, edge.weight);
      const std::pair pair(std::min(edge.source, edge.target), std::max(edge.source, edge.target));
      EXPECT_EQ(weight_of.emplace(pair, edge.weight).first->second, edge.weight);
      if (kind == "int") {
        EXPECT_EQ(edge.weight, static_cast<double>(static_cast<int>(edge.weight)));
      }
    }
    EXPECT_LT(weight_of.size(), 20000U) << "the graph must repeat edges for this test to say something";
    EXPECT_GT(smallest, 0);
    EXPECT_LE(smallest, kind == "int" ? 3 : 0.01);
    EXPECT_LE(largest, kind == "int" ? 255 : 1);
    EXPECT_GE(largest, kind == "int" ? 253 : 0.99);
  }
}

TEST(Generators, weights_do_not_change_the_edges) {
  auto with = edges_of("kron:scale=7,weights=int");
  for (WeightedEdge& edge : with) edge.weight = 1;
  EXPECT_EQ(with, edges_of("kron:scale=7"));
}

TEST(Generators, describe_the_input_the_same_on_every_rank) {
  const auto world = core::Communicator::world();
  core::ThreadTeam team(2);
  for (const char* text : {"chain:n=0", "star:n=1", "grid:rows=0,cols=5", "kron:scale=0", "er:n=3,edges=0",
                           "smallworld:n=1,k=0", "tree:n=10,weights=int"}) {
    const GeneratorSpec spec = parse_generator(text);
    const GraphInput input = generate(world, spec, team);
    EXPECT_EQ(input.contiguous_vertices, spec.vertices) << text;
    EXPECT_EQ(input.description, text);
    EXPECT_EQ(input.edges.weighted(), spec.weights != WeightKind::none);
    EXPECT_TRUE(input.vertices.empty());
    EXPECT_EQ(input.names, nullptr);
    EXPECT_EQ(core::all_reduce_value(world, std::uint64_t{input.edges.size()}, core::Reduce::sum), spec.edges) << text;
  }
}

TEST(Generators, share_the_work_evenly) {
  const auto world = core::Communicator::world();
  core::ThreadTeam team(1);
  const std::uint64_t mine = generate(world, parse_generator("er:n=10,edges=1003"), team).edges.size();
  const std::uint64_t most = core::all_reduce_value(world, mine, core::Reduce::max);
  const std::uint64_t least = core::all_reduce_value(world, mine, core::Reduce::min);
  EXPECT_LE(most - least, 1U);
}

} // namespace
} // namespace pregel
