// The largest values, over all ranks.
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "core/collectives.hpp"
#include "core/random.hpp"
#include "pregel/io/results.hpp"

namespace pregel {
namespace {

using Top = std::vector<TopVertex>;

/// Vertex 10 * i has values[i]; vertices go round the ranks.
template <class T>
ResultTable spread(const core::Communicator& comm, const std::vector<T>& values) {
  ResultTable table;
  std::vector<T> mine;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i % static_cast<std::size_t>(comm.size()) != static_cast<std::size_t>(comm.rank())) continue;
    table.ids.push_back(GlobalId{10 * i});
    mine.push_back(values[i]);
  }
  table.columns = {{"value", std::move(mine)}};
  return table;
}

TEST(TopVertices, are_the_largest_and_among_equals_those_with_smaller_ids) {
  const auto world = core::Communicator::world();
  const ResultTable table = spread(world, std::vector<double>{1, 5, 5, 2, 9, 5, 0, -3});
  EXPECT_EQ(top_vertices(world, table, nullptr, 3), (Top{{"40", "9"}, {"10", "5"}, {"20", "5"}}));
  EXPECT_EQ(top_vertices(world, table, nullptr, 0), Top{});
  EXPECT_EQ(top_vertices(world, table, nullptr, 100).size(), 8U);
  EXPECT_EQ(top_vertices(world, table, nullptr, 100).back(), (TopVertex{"70", "-3"}));
}

TEST(TopVertices, of_integers_and_of_ids) {
  const auto world = core::Communicator::world();
  EXPECT_EQ(top_vertices(world, spread(world, std::vector<std::int64_t>{-1, -2}), nullptr, 1), (Top{{"0", "-1"}}));
  EXPECT_EQ(top_vertices(world, spread(world, std::vector<std::uint64_t>{1, 2}), nullptr, 1), (Top{{"10", "2"}}));
  EXPECT_EQ(top_vertices(world, spread(world, std::vector<GlobalId>{kNoVertex, GlobalId{7}}), nullptr, 2),
            (Top{{"10", "7"}, {"0", "-1"}}));
}

TEST(TopVertices, of_integers_that_no_double_holds) {
  const auto world = core::Communicator::world();
  const std::uint64_t large = (std::uint64_t{1} << 53) + 1; // as a double it equals 2^53
  EXPECT_EQ(top_vertices(world, spread(world, std::vector<std::uint64_t>{large - 1, large}), nullptr, 2),
            (Top{{"10", "9007199254740993"}, {"0", "9007199254740992"}}));
  EXPECT_EQ(top_vertices(world, spread(world, std::vector<GlobalId>{GlobalId{large - 1}, GlobalId{large}}), nullptr, 1),
            (Top{{"10", "9007199254740993"}}));
}

TEST(TopVertices, infinity_is_largest_and_nan_is_last) {
  const auto world = core::Communicator::world();
  const double infinity = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  const Top top = top_vertices(world, spread(world, std::vector<double>{nan, 1, -infinity, infinity}), nullptr, 4);
  EXPECT_EQ(top, (Top{{"30", "infinity"}, {"10", "1"}, {"20", "-infinity"}, {"0", "nan"}}));
}

TEST(TopVertices, of_nothing) {
  const auto world = core::Communicator::world();
  EXPECT_EQ(top_vertices(world, spread(world, std::vector<double>{}), nullptr, 5), Top{});
  ResultTable without_columns;
  without_columns.ids = {GlobalId{static_cast<std::uint64_t>(world.rank())}};
  EXPECT_EQ(top_vertices(world, without_columns, nullptr, 5), Top{});
}

TEST(TopVertices, are_found_among_many) {
  const auto world = core::Communicator::world();
  std::vector<std::uint64_t> values(50000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = core::mix64(i) % 40000;
  values[31415] = 1000000;
  values[27182] = 999999;
  EXPECT_EQ(top_vertices(world, spread(world, values), nullptr, 2), (Top{{"314150", "1000000"}, {"271820", "999999"}}));
}

TEST(TopVertices, have_names_where_ids_are_strings) {
  const auto world = core::Communicator::world();
  ResultTable table;
  const std::vector<std::string> mine =
      world.rank() == world.size() - 1 ? std::vector<std::string>{"ada", "bob", "eve"} : std::vector<std::string>{};
  const NameDirectory names = NameDirectory::build(world, mine, table.ids);
  table.columns = {{"value", mine.empty() ? std::vector<double>{} : std::vector<double>{1, 3, 2}}};
  EXPECT_EQ(top_vertices(world, table, &names, 2), (Top{{"bob", "3"}, {"eve", "2"}}));
  table.columns = {{"component", table.ids}};
  EXPECT_EQ(top_vertices(world, table, &names, 2), (Top{{"eve", "eve"}, {"bob", "bob"}}));
}

} // namespace
} // namespace pregel
