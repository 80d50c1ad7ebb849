// Matchings against a greedy walk through the edges by descending priority, and against what the word means.
#include <tuple>

#include "core/error.hpp"
#include "core/random.hpp"
#include "structure_testing.hpp"

namespace pregel::testing_support {
namespace {

constexpr std::uint64_t kSeed = 1; // the default of RunOptions

/// Partners agree and are neighbours; no edge has two free ends.
void expect_maximal_matching(const oracle::Graph& graph, const std::map<std::uint64_t, GlobalId>& partners) {
  const auto neighbours = neighbour_sets(graph);
  ASSERT_EQ(partners.size(), neighbours.size());
  for (const auto& [id, partner] : partners) {
    if (partner != kNoVertex) {
      EXPECT_TRUE(neighbours.at(id).contains(number(partner))) << id;
      EXPECT_EQ(partners.at(number(partner)), GlobalId{id});
      continue;
    }
    for (const oracle::Id neighbour : neighbours.at(id)) EXPECT_NE(partners.at(neighbour), kNoVertex) << id;
  }
}

std::map<std::uint64_t, GlobalId> greedy_matching(const oracle::Graph& graph) {
  std::set<std::tuple<std::uint64_t, oracle::Id, oracle::Id>, std::greater<>> edges;
  for (const auto& [u, v] : graph.edges) {
    const auto [low, high] = std::minmax(u, v);
    if (low != high) edges.emplace(core::CounterRandom(kSeed, low, high).next(), low, high);
  }
  std::map<std::uint64_t, GlobalId> partners;
  for (const oracle::Id id : graph.vertices) partners[id] = kNoVertex;
  for (const auto& [priority, u, v] : edges) {
    if (partners[u] != kNoVertex || partners[v] != kNoVertex) continue;
    partners[u] = GlobalId{v};
    partners[v] = GlobalId{u};
  }
  return partners;
}

class MatchingTest : public AlgorithmTest {};
INSTANTIATE_TEST_SUITE_P(All, MatchingTest, testing::ValuesIn(settings()), setting_name);

TEST_P(MatchingTest, IsTheGreedyOne) {
  for_structure_graphs(GetParam(), [](const oracle::Graph& graph) {
    const AlgorithmOutcome outcome = run_algorithm("matching", graph, GetParam(), {});
    EXPECT_EQ(outcome.columns, std::vector<std::string>{"partner"});
    const auto found = column_of<GlobalId>(outcome);
    EXPECT_EQ(found, greedy_matching(graph));
    expect_maximal_matching(graph, found);
  });
}

AlgorithmOptions textbook() {
  AlgorithmOptions options;
  options.variant = "textbook";
  return options;
}

TEST_P(MatchingTest, FourPhasesMatchBipartiteGraphs) {
  for (const auto& [name, graph] : structure_graphs_for(GetParam())) {
    SCOPED_TRACE(name);
    oracle::Graph sides; // v becomes 2v on the left and 2v+1 on the right
    for (const auto& [u, v] : graph.edges) sides.edges.push_back({u % 1000 * 2, v % 1000 * 2 + 1});
    for (const oracle::Id id : graph.vertices) sides.vertices.push_back(id % 1000 * 2);
    oracle::normalise(sides);
    expect_maximal_matching(sides, column_of<GlobalId>(run_algorithm("matching", sides, GetParam(), textbook())));
  }
}

TEST_P(MatchingTest, FourPhasesRefuseOtherGraphs) {
  oracle::Graph path;
  path.edges = {{1, 2}, {2, 3}};
  oracle::normalise(path);
  EXPECT_THROW((void)run_algorithm("matching", path, GetParam(), textbook()), core::Error);
  path.edges = {{1, 2}};
  EXPECT_THROW((void)run_algorithm("matching", oracle::with_direction(path, false), GetParam(), textbook()),
               core::InputError);
}

} // namespace
} // namespace pregel::testing_support
