// PageRank against Jacobi rounds in long double.
#include <cmath>
#include <numeric>

#include "algorithm_testing.hpp"

namespace pregel::testing_support {
namespace {

class PageRankTest : public AlgorithmTest {};
INSTANTIATE_TEST_SUITE_P(All, PageRankTest, testing::ValuesIn(settings()), setting_name);

/// Largest difference to the oracle; rounding in a few hundred additions of numbers below one stays far below 1e-14.
void expect_close(const std::map<std::uint64_t, double>& found, const std::map<std::uint64_t, double>& wanted,
                  double tolerance) {
  ASSERT_EQ(found.size(), wanted.size());
  double sum = 0;
  for (const auto& [id, rank] : wanted) {
    ASSERT_TRUE(found.contains(id)) << id;
    EXPECT_NEAR(found.at(id), rank, tolerance) << "vertex " << id;
    sum += found.at(id);
  }
  if (!wanted.empty()) {
    EXPECT_NEAR(sum, 1.0, tolerance * static_cast<double>(wanted.size()));
  }
}

TEST_P(PageRankTest, Iterations) {
  for (const auto& [name, graph] : graphs_for(GetParam())) {
    for (const std::uint64_t iterations : {0ULL, 1ULL, 2ULL, 15ULL}) {
      SCOPED_TRACE(name + ", iterations " + std::to_string(iterations));
      AlgorithmOptions options;
      options.iterations = iterations;
      options.damping = iterations == 2 ? 0.5 : 0.85;
      const AlgorithmOutcome outcome = run_algorithm("pagerank", graph, GetParam(), options);
      EXPECT_EQ(outcome.columns, std::vector<std::string>{"rank"});
      expect_close(column_of<double>(outcome), by_id(graph, oracle::pagerank(graph, iterations, options.damping)),
                   1e-14);
      if (!graph.vertices.empty()) {
        EXPECT_EQ(outcome.report.supersteps(), iterations + 1);
      }
    }
  }
}

TEST_P(PageRankTest, Tolerance) {
  for (const auto& [name, graph] : graphs_for(GetParam())) {
    SCOPED_TRACE(name);
    AlgorithmOptions options;
    options.tolerance = 1e-12;
    const AlgorithmOutcome outcome = run_algorithm("pagerank", graph, GetParam(), options);
    // The last change was below the tolerance; what remains is a geometric series of it.
    expect_close(column_of<double>(outcome), by_id(graph, oracle::converged_pagerank(graph)), 1e-11);
  }
}

/// It ends with the first superstep whose largest change lies below the tolerance.
TEST_P(PageRankTest, EndsWithTheFirstSmallChange) {
  const oracle::Graph graph = oracle::random_graph(100, 400, true, 9);
  for (const double tolerance : {1e-2, 1e-4, 1e-6}) {
    std::uint64_t round = 1;
    const auto change = [&](std::uint64_t r) {
      const std::vector<double> now = oracle::pagerank(graph, r), before = oracle::pagerank(graph, r - 1);
      double largest = 0;
      for (std::size_t v = 0; v < now.size(); ++v) largest = std::max(largest, std::abs(now[v] - before[v]));
      return largest;
    };
    while (change(round) >= tolerance) ++round;
    AlgorithmOptions options;
    options.tolerance = tolerance;
    const AlgorithmOutcome outcome = run_algorithm("pagerank", graph, GetParam(), options);
    EXPECT_EQ(outcome.report.supersteps(), round + 1);
    expect_close(column_of<double>(outcome), by_id(graph, oracle::pagerank(graph, round)), 1e-14);
  }
}

/// Same bits in all settings: by the registry's interface too.
TEST(PageRankBits, DoNotDependOnTheSetting) {
  const oracle::Graph graph = oracle::random_graph(4000, 16000, true, 200);
  AlgorithmOptions options;
  options.iterations = 20;
  std::vector<std::map<std::uint64_t, double>> results;
  for (const Setting& setting : settings())
    results.push_back(column_of<double>(run_algorithm("pagerank", graph, setting, options)));
  for (const auto& result : results) EXPECT_EQ(result, results[0]);
}

} // namespace
} // namespace pregel::testing_support
