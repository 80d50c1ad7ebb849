// The job of aggregators only, with start values that come from any rank.
#include "algorithm_testing.hpp"
#include "core/error.hpp"

namespace pregel::testing_support {
namespace {

class AggregateTest : public AlgorithmTest {};
INSTANTIATE_TEST_SUITE_P(All, AggregateTest, testing::ValuesIn(settings()), setting_name);

/// A value for each vertex whose turn it is on this rank.
std::vector<std::pair<GlobalId, double>> values_for(const oracle::Graph& graph) {
  std::vector<std::pair<GlobalId, double>> values;
  for (std::size_t i = 0; i < graph.vertices.size(); ++i) {
    if (i % static_cast<std::size_t>(world().size()) == static_cast<std::size_t>(world().rank()))
      values.emplace_back(GlobalId{graph.vertices[i]}, static_cast<double>(i * i % 17));
  }
  return values;
}

double number_of(const RunReport& report, const std::string& name) {
  for (const auto& [known, value] : report.aggregates) {
    if (known == name) return value;
  }
  return 0; // nobody fed it
}

TEST_P(AggregateTest, SumAndVerticesAboveTheMean) {
  for (const auto& [name, graph] : graphs_for(GetParam())) {
    SCOPED_TRACE(name);
    AlgorithmOptions options;
    options.start_values = values_for(graph);
    double sum = 0;
    std::vector<double> values;
    for (std::size_t i = 0; i < graph.vertices.size(); ++i) values.push_back(static_cast<double>(i * i % 17));
    for (const double value : values) sum += value;
    const double mean = sum / static_cast<double>(values.size());
    const AlgorithmOutcome outcome = run_algorithm("aggregate", graph, GetParam(), options);
    EXPECT_EQ(column_of<double>(outcome), by_id(graph, values));
    EXPECT_EQ(number_of(outcome.report, "sum"), sum);
    EXPECT_EQ(number_of(outcome.report, "above_mean"),
              static_cast<double>(std::ranges::count_if(values, [&](double x) { return x > mean; })));
    EXPECT_EQ(outcome.report.messages_sent(), 0U);
    EXPECT_EQ(outcome.report.supersteps(), graph.vertices.empty() ? 1U : 2U);
  }
}

TEST(AggregateErrors, ValuesOfUnknownVerticesAreRefused) {
  AlgorithmOptions options;
  if (world().rank() == world().size() - 1) options.start_values.emplace_back(GlobalId{4711}, 1.0);
  try {
    (void)run_algorithm("aggregate", oracle::random_graph(20, 30, true, 1), {}, options);
    ADD_FAILURE() << "not refused";
  } catch (const core::InputError& error) {
    EXPECT_NE(std::string(error.what()).find("4711"), std::string::npos) << error.what();
  }
}

TEST(Registry, FindsWhatItLists) {
  for (const Algorithm& algorithm : algorithms()) {
    EXPECT_EQ(find_algorithm(algorithm.name).name, algorithm.name);
    EXPECT_FALSE(algorithm.summary.empty());
  }
  try {
    (void)find_algorithm("pagerang");
    ADD_FAILURE() << "found";
  } catch (const core::InputError& error) {
    EXPECT_NE(std::string(error.what()).find("pagerank"), std::string::npos) << "does not list the known ones";
  }
}

} // namespace
} // namespace pregel::testing_support
