// Core numbers against their definition: for each k, what is left when vertices with fewer than k neighbours are taken
// away until none is left to take.
#include "structure_testing.hpp"

namespace pregel::testing_support {
namespace {

std::map<std::uint64_t, std::uint64_t> core_numbers(const oracle::Graph& graph) {
  std::map<std::uint64_t, std::uint64_t> cores;
  for (const oracle::Id id : graph.vertices) cores[id] = 0;
  auto left = neighbour_sets(graph);
  for (std::uint64_t k = 1; !left.empty(); ++k) {
    const auto has_few = [&](const auto& entry) { return entry.second.size() < k; };
    for (auto few = std::ranges::find_if(left, has_few); few != left.end(); few = std::ranges::find_if(left, has_few)) {
      for (const oracle::Id neighbour : few->second) left.at(neighbour).erase(few->first);
      left.erase(few);
    }
    for (const auto& entry : left) cores[entry.first] = k;
  }
  return cores;
}

class CoreNumbersTest : public AlgorithmTest {};
INSTANTIATE_TEST_SUITE_P(All, CoreNumbersTest, testing::ValuesIn(settings()), setting_name);

TEST_P(CoreNumbersTest, AreWhatPeelingLeaves) {
  for_structure_graphs(GetParam(), [](const oracle::Graph& graph) {
    const AlgorithmOutcome outcome = run_algorithm("kcore", graph, GetParam(), {});
    EXPECT_EQ(outcome.columns, std::vector<std::string>{"core"});
    EXPECT_EQ(column_of<std::uint64_t>(outcome), core_numbers(graph));
  });
}

} // namespace
} // namespace pregel::testing_support
