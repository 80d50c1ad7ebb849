// Weakly connected components against union-find.
#include "algorithm_testing.hpp"

namespace pregel::testing_support {
namespace {

class ComponentsTest : public AlgorithmTest {};
INSTANTIATE_TEST_SUITE_P(All, ComponentsTest, testing::ValuesIn(settings()), setting_name);

TEST_P(ComponentsTest, SmallestIds) {
  for (const auto& [name, graph] : graphs_for(GetParam())) {
    for (const bool directed : {true, false}) {
      for (const char* variant : {"standard", "textbook"}) {
        SCOPED_TRACE(name + (directed ? " directed " : " undirected ") + variant);
        const oracle::Graph turned = oracle::with_direction(graph, directed);
        AlgorithmOptions options;
        options.variant = variant;
        const AlgorithmOutcome outcome = run_algorithm("wcc", turned, GetParam(), options);
        EXPECT_EQ(outcome.columns, std::vector<std::string>{"component"});
        std::map<std::uint64_t, GlobalId> wanted;
        for (const auto& [id, label] : by_id(turned, oracle::components(turned))) wanted[id] = GlobalId{label};
        EXPECT_EQ(column_of<GlobalId>(outcome), wanted);
      }
    }
  }
}

} // namespace
} // namespace pregel::testing_support
