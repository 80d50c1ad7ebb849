// Summaries with answers computed by hand, whatever the number of ranks.
#include "pregel/io/result_summary.hpp"

#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "core/communicator.hpp"

namespace pregel {
namespace {

using nlohmann::json;
using Lines = std::vector<std::string>;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::int64_t kFar = std::numeric_limits<std::int64_t>::max();

/// Vertex i has values[i]; vertices go round the ranks.
template <class T>
ResultTable spread(const core::Communicator& comm, const std::vector<T>& values, std::string name = "value") {
  ResultTable table;
  std::vector<T> mine;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i % static_cast<std::size_t>(comm.size()) != static_cast<std::size_t>(comm.rank())) continue;
    table.ids.push_back(GlobalId{i});
    mine.push_back(values[i]);
  }
  table.columns = {{std::move(name), std::move(mine)}};
  return table;
}

template <class T>
json column_of(const std::vector<T>& values) {
  const auto world = core::Communicator::world();
  return summarise_results(world, spread(world, values), nullptr, ResultKind::values).at("columns").at(0);
}

template <class T>
Lines lines_of(const std::vector<T>& values, ResultKind kind) {
  const auto world = core::Communicator::world();
  return summary_lines(summarise_results(world, spread(world, values), nullptr, kind));
}

std::vector<GlobalId> labels(const std::vector<std::uint64_t>& numbers) {
  std::vector<GlobalId> ids;
  for (const std::uint64_t n : numbers) ids.push_back(GlobalId{n});
  return ids;
}

TEST(ResultSummary, of_integers) {
  const json column = column_of(std::vector<std::uint64_t>{5, 1, 3, 1, 0, 2, 1, 100});
  EXPECT_EQ(column.at("count"), 8);
  EXPECT_EQ(column.at("minimum"), 0);
  EXPECT_EQ(column.at("maximum"), 100);
  EXPECT_EQ(column.at("mean"), 113.0 / 8);
  // Ascending: 0 1 1 1 2 3 5 100. The median is the 4th, three quarters the 6th, nine tenths the 8th.
  EXPECT_EQ(column.at("quantiles"), (json{{"0.25", 1}, {"0.5", 1}, {"0.75", 3}, {"0.9", 100}, {"0.99", 100}}));
  EXPECT_EQ(column.at("largest").at(0), (json{{"vertex", "7"}, {"value", 100}}));
  EXPECT_EQ(column.at("distribution"), json::parse(R"([{"from":0,"to":0,"count":1},{"from":1,"to":2,"count":3},
      {"from":2,"to":4,"count":2},{"from":4,"to":8,"count":1},{"from":8,"to":16,"count":0},
      {"from":16,"to":32,"count":0},{"from":32,"to":64,"count":0},{"from":64,"to":128,"count":1}])"));
}

TEST(ResultSummary, text_of_depths_with_unreachable_vertices) {
  EXPECT_EQ(
      lines_of(std::vector<std::int64_t>{0, 1, 1, kFar, 3, kFar}, ResultKind::values),
      (Lines{"  value of 4 vertices; 2 unreachable (33.3 %)", "    minimum 0, mean 1.25, maximum 3",
             "    25 % 0, median 1, 75 % 1, 90 % 3, 99 % 3", "  largest", "    4                    3",
             "    1                    1", "    2                    1", "    0                    0", "  distribution",
             "    0            1 ####################", "    1            2 ########################################",
             "    2            0", "    3            1 ####################"}));
}

TEST(ResultSummary, of_reals_with_what_is_no_number) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const json column = column_of(std::vector<double>{-2.5, 0.0, -0.0, 0.3, nan, kInfinity, 0.5, -kInfinity, 1.0});
  EXPECT_EQ(column.at("count"), 6);
  EXPECT_EQ(column.at("unreachable"), 2);
  EXPECT_EQ(column.at("not_numbers"), 1);
  EXPECT_EQ(column.at("minimum"), -2.5);
  EXPECT_EQ(column.at("maximum"), 1.0);
  EXPECT_DOUBLE_EQ(column.at("mean").get<double>(), (-2.5 + 0.3 + 0.5 + 1.0) / 6);
  EXPECT_EQ(column.at("quantiles").at("0.5"), 0.0);
  EXPECT_EQ(column.at("largest").size(), 6U);
  EXPECT_EQ(column.at("distribution"), json::parse(R"([{"from":-2.5,"to":0.0,"count":1},{"from":0.0,"to":0.0,"count":2},
      {"from":0.25,"to":0.5,"count":1},{"from":0.5,"to":1.0,"count":1},{"from":1.0,"to":2.0,"count":1}])"));
}

TEST(ResultSummary, of_many_magnitudes_takes_powers_of_ten_in_the_end) {
  const json few = column_of(std::vector<double>{1e-8, 2e-8, 3e-5, 1e-3});
  const json& rows = few.at("distribution");
  ASSERT_EQ(rows.size(), 18U); // 2^-27 .. 2^-10: few enough
  EXPECT_EQ(rows.at(0).at("from"), std::pow(2.0, -27));
  const json wide = column_of(std::vector<double>{1e-30, 1e-9, 2e-9, 1.0, 5.0});
  ASSERT_EQ(wide.at("distribution").size(), 21U); // 20 powers of ten up to 1, and one for what is below them
  EXPECT_EQ(wide.at("distribution").at(0).at("count"), 1);
  EXPECT_EQ(wide.at("distribution").at(20).at("count"), 2);
}

TEST(ResultSummary, of_integers_that_no_double_holds) {
  const std::uint64_t large = (std::uint64_t{1} << 53) + 1;
  const json column = column_of(std::vector<std::uint64_t>{large, large - 1, ~std::uint64_t{0}});
  EXPECT_EQ(column.at("minimum"), large - 1);
  EXPECT_EQ(column.at("quantiles").at("0.5"), large);
  EXPECT_EQ(column.at("maximum"), ~std::uint64_t{0});
}

TEST(ResultSummary, of_nothing_and_of_nothing_reachable) {
  EXPECT_EQ(lines_of(std::vector<double>{}, ResultKind::values), (Lines{"  value of 0 vertices"}));
  EXPECT_EQ(lines_of(std::vector<double>{kInfinity, kInfinity}, ResultKind::values),
            (Lines{"  value of 0 vertices; 2 unreachable (100.0 %)"}));
  EXPECT_EQ(lines_of(labels({}), ResultKind::groups), (Lines{"  0 groups of 0 vertices"}));
  EXPECT_EQ(lines_of(labels({}), ResultKind::matching), (Lines{"  0 vertices matched in 0 edges, 0 free"}));
  EXPECT_EQ(lines_of(std::vector<double>{}, ResultKind::edges), (Lines{"  0 edges, total weight 0"}));
}

TEST(ResultSummary, of_one_vertex) {
  EXPECT_EQ(
      lines_of(std::vector<double>{0.5}, ResultKind::values),
      (Lines{"  value of 1 vertex", "    minimum 0.5, mean 0.5, maximum 0.5",
             "    25 % 0.5, median 0.5, 75 % 0.5, 90 % 0.5, 99 % 0.5", "  largest", "    0                    0.5",
             "  distribution", "    0.5            1 ########################################"}));
  EXPECT_EQ(lines_of(labels({0}), ResultKind::groups).front(), "  1 group of 1 vertex");
}

TEST(ResultSummary, of_groups) {
  // Sizes 4, 2, 1, 1.
  EXPECT_EQ(lines_of(labels({0, 0, 2, 0, 4, 5, 0, 4}), ResultKind::groups),
            (Lines{"  4 groups of 8 vertices", "    of one vertex: 2 (50.0 %)", "    minimum 1, mean 2, maximum 4",
                   "    25 % 1, median 1, 75 % 2, 90 % 4, 99 % 4", "  largest", "    0                    4",
                   "    4                    2", "    2                    1", "    5                    1",
                   "  distribution of sizes", "    1            2 ########################################",
                   "    2            1 ####################", "    3            0",
                   "    4            1 ####################"}));
}

TEST(ResultSummary, of_walks_and_of_a_matching) {
  const std::vector<GlobalId> ends{GlobalId{3}, GlobalId{3}, kNoVertex, GlobalId{1}};
  const Lines lines = lines_of(ends, ResultKind::walks);
  EXPECT_EQ(lines.at(0), "  4 walks end in 2 vertices; 1 ended earlier");
  EXPECT_EQ(lines.at(1), "    of one walk: 1 (50.0 %)");
  const std::vector<GlobalId> partners{GlobalId{1}, GlobalId{0}, kNoVertex, GlobalId{4}, GlobalId{3}, kNoVertex};
  EXPECT_EQ(lines_of(partners, ResultKind::matching), (Lines{"  4 vertices matched in 2 edges, 2 free"}));
}

TEST(ResultSummary, of_edges) {
  const Lines lines = lines_of(std::vector<double>{1.5, 2.0, 4.0}, ResultKind::edges);
  EXPECT_EQ(lines.at(0), "  3 edges, total weight 7.5");
  EXPECT_EQ(lines.at(1), "    minimum 1.5, mean 2.5, maximum 4");
}

TEST(ResultSummary, leaves_out_columns_of_vertices_and_more_than_three) {
  const auto world = core::Communicator::world();
  ResultTable table = spread(world, labels({1, 2, 3}), "parent");
  for (const char* name : {"a", "b", "c", "d", "e"})
    table.columns.push_back({name, std::vector<double>(table.ids.size(), 1.0)});
  const json summary = summarise_results(world, table, nullptr, ResultKind::values);
  EXPECT_EQ(summary.at("columns").size(), 3U);
  EXPECT_EQ(summary.at("columns").at(0).at("name"), "a");
  EXPECT_EQ(summary_lines(summary).back(), "  and 2 more columns");
}

} // namespace
} // namespace pregel
