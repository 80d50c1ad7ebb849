// Shortest paths against Dijkstra's algorithm with a heap. Both add a path's weights from the source outwards, so even
// real weights must give equal bits.
#include "algorithm_testing.hpp"
#include "core/error.hpp"

namespace pregel::testing_support {
namespace {

class ShortestPathsTest : public AlgorithmTest {};
INSTANTIATE_TEST_SUITE_P(All, ShortestPathsTest, testing::ValuesIn(settings()), setting_name);

void check(const oracle::Graph& graph, const Setting& setting, const std::vector<const char*>& variants) {
  for (const oracle::Id source : sources_in(graph)) {
    for (const char* variant : variants) {
      SCOPED_TRACE(std::string(variant) + " from " + std::to_string(source));
      AlgorithmOptions options;
      options.source = GlobalId{source};
      options.variant = variant;
      const AlgorithmOutcome outcome = run_algorithm("sssp", graph, setting, options);
      EXPECT_EQ(outcome.columns, std::vector<std::string>{"distance"});
      EXPECT_EQ(column_of<double>(outcome), by_id(graph, oracle::shortest_paths(graph, source)));
    }
  }
}

TEST_P(ShortestPathsTest, Unweighted) {
  for (const auto& [name, graph] : graphs_for(GetParam())) {
    SCOPED_TRACE(name);
    check(graph, GetParam(), {"standard"});
  }
}

TEST_P(ShortestPathsTest, WholeWeights) {
  for (const auto& [name, graph] : graphs_for(GetParam())) {
    SCOPED_TRACE(name);
    check(oracle::with_weights(graph, 31), GetParam(), {"standard", "textbook"});
  }
}

TEST_P(ShortestPathsTest, RealAndZeroWeights) {
  for (const auto& [name, plain] : graphs_for(GetParam())) {
    SCOPED_TRACE(name);
    oracle::Graph graph = oracle::with_weights(plain, 32, 1000);
    for (double& weight : graph.weights) weight = weight < 100 ? 0.0 : weight / 7;
    check(graph, GetParam(), {"standard"});
  }
}

TEST(ShortestPathsErrors, NegativeWeightsAndNanAreRefusedByName) {
  for (const double bad : {-1.0, -0x1p-1074, std::numeric_limits<double>::quiet_NaN()}) {
    oracle::Graph graph = oracle::with_weights(oracle::random_graph(60, 200, true, 5), 1);
    graph.weights[77] = bad;
    const std::string edge =
        "edge " + std::to_string(graph.edges[77].source) + " " + std::to_string(graph.edges[77].target) + " has weight";
    AlgorithmOptions options;
    options.source = GlobalId{0};
    try {
      (void)run_algorithm("sssp", graph, {}, options);
      ADD_FAILURE() << "not refused";
    } catch (const core::InputError& error) {
      EXPECT_NE(std::string(error.what()).find(edge), std::string::npos) << error.what();
    }
  }
}

} // namespace
} // namespace pregel::testing_support
