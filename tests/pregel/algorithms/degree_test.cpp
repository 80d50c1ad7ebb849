// Degrees against counting edge by edge; their statistics against sorting.
#include <bit>

#include "algorithm_testing.hpp"
#include "support/neighbour_oracles.hpp"

namespace pregel::testing_support {
namespace {

class DegreeTest : public AlgorithmTest {};
INSTANTIATE_TEST_SUITE_P(All, DegreeTest, testing::ValuesIn(settings()), setting_name);

/// The name of the aggregate that counts vertices of degree d.
std::string bucket_of(std::uint64_t d) {
  if (d < 2) return "degree_" + std::to_string(d);
  const std::uint64_t first = std::bit_floor(d);
  return "degree_" + std::to_string(first) + "_to_" + std::to_string(2 * first - 1);
}

TEST_P(DegreeTest, CountsAndStatistics) {
  for (const auto& [name, graph] : graphs_for(GetParam())) {
    SCOPED_TRACE(name);
    const std::vector<oracle::Degrees> wanted = oracle::degrees(graph);
    std::vector<std::uint64_t> in, out, all;
    std::map<std::string, double> statistics;
    double sum = 0;
    for (const oracle::Degrees& d : wanted) {
      in.push_back(d.in);
      out.push_back(d.out);
      all.push_back(graph.directed ? d.in + d.out : d.out);
      ++statistics[bucket_of(all.back())];
      sum += static_cast<double>(all.back());
    }
    const AlgorithmOutcome outcome = run_algorithm("degree", graph, GetParam(), {});
    EXPECT_EQ(outcome.columns, (std::vector<std::string>{"degree", "in_degree", "out_degree"}));
    EXPECT_EQ(column_of<std::uint64_t>(outcome, 0), by_id(graph, all));
    EXPECT_EQ(column_of<std::uint64_t>(outcome, 1), by_id(graph, in));
    EXPECT_EQ(column_of<std::uint64_t>(outcome, 2), by_id(graph, out));
    std::map<std::string, double> found(outcome.report.aggregates.begin(), outcome.report.aggregates.end());
    if (!wanted.empty()) {
      statistics["max_degree"] = static_cast<double>(std::ranges::max(all));
      statistics["min_degree"] = static_cast<double>(std::ranges::min(all));
      statistics["max_in_degree"] = static_cast<double>(std::ranges::max(in));
      statistics["max_out_degree"] = static_cast<double>(std::ranges::max(out));
      EXPECT_NEAR(found["mean_degree"], sum / static_cast<double>(all.size()), 1e-9);
      found.erase("mean_degree");
    }
    EXPECT_EQ(found, statistics);
  }
}

} // namespace
} // namespace pregel::testing_support
