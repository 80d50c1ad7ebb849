// A maximal independent set and a colouring against greedy walks by descending priority, and against what the words
// mean.
#include "core/random.hpp"
#include "structure_testing.hpp"

namespace pregel::testing_support {
namespace {

constexpr std::uint64_t kSeed = 1; // the default of RunOptions

std::vector<oracle::Id> by_descending_priority(const oracle::Graph& graph) {
  std::vector<oracle::Id> order = graph.vertices;
  std::ranges::sort(order, std::ranges::greater{}, [](oracle::Id id) { return core::CounterRandom(kSeed, id).next(); });
  return order;
}

class IndependentSetTest : public AlgorithmTest {};
INSTANTIATE_TEST_SUITE_P(All, IndependentSetTest, testing::ValuesIn(settings()), setting_name);

TEST_P(IndependentSetTest, IsTheGreedyOne) {
  for_structure_graphs(GetParam(), [](const oracle::Graph& graph) {
    const AlgorithmOutcome outcome = run_algorithm("mis", graph, GetParam(), {});
    EXPECT_EQ(outcome.columns, std::vector<std::string>{"in_set"});
    const auto found = column_of<std::uint64_t>(outcome);
    const auto neighbours = neighbour_sets(graph);
    std::map<std::uint64_t, std::uint64_t> greedy;
    for (const oracle::Id id : by_descending_priority(graph))
      greedy[id] =
          std::ranges::none_of(neighbours.at(id), [&](oracle::Id n) { return greedy.contains(n) && greedy[n]; });
    EXPECT_EQ(found, greedy);
    for (const auto& [id, around] : neighbours) {
      const auto members = std::ranges::count_if(around, [&, &f = found](oracle::Id n) { return f.at(n) == 1; });
      EXPECT_EQ(found.at(id) == 1, members == 0) << id;
    }
  });
}

class ColoringTest : public AlgorithmTest {};
INSTANTIATE_TEST_SUITE_P(All, ColoringTest, testing::ValuesIn(settings()), setting_name);

TEST_P(ColoringTest, IsTheGreedyOne) {
  for_structure_graphs(GetParam(), [](const oracle::Graph& graph) {
    const AlgorithmOutcome outcome = run_algorithm("coloring", graph, GetParam(), {});
    EXPECT_EQ(outcome.columns, std::vector<std::string>{"color"});
    const auto found = column_of<std::uint64_t>(outcome);
    const auto neighbours = neighbour_sets(graph);
    std::map<std::uint64_t, std::uint64_t> greedy;
    for (const oracle::Id id : by_descending_priority(graph)) {
      std::set<std::uint64_t> taken;
      for (const oracle::Id n : neighbours.at(id))
        if (greedy.contains(n)) taken.insert(greedy[n]);
      std::uint64_t color = 0;
      while (taken.contains(color)) ++color;
      greedy[id] = color;
    }
    EXPECT_EQ(found, greedy);
    for (const auto& [id, around] : neighbours)
      for (const oracle::Id n : around) EXPECT_NE(found.at(id), found.at(n)) << id << " and " << n;
  });
}

TEST_P(ColoringTest, NeedsMoreThanAWordOfColors) {
  oracle::Graph complete;
  complete.directed = false;
  for (oracle::Id u = 0; u < 70; ++u)
    for (oracle::Id v = 0; v < u; ++v) complete.edges.push_back({u, v});
  oracle::normalise(complete);
  std::set<std::uint64_t> colors;
  for (const auto& [id, color] : column_of<std::uint64_t>(run_algorithm("coloring", complete, GetParam(), {})))
    colors.insert(color);
  EXPECT_EQ(colors.size(), 70U);
  EXPECT_EQ(*colors.rbegin(), 69U);
}

} // namespace
} // namespace pregel::testing_support
