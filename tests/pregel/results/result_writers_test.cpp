// Text results: the same bytes for every number of ranks, every partition and every length of stretch.
#include "result_writers.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/collectives.hpp"
#include "result_fixture.hpp"

namespace pregel {
namespace {

using namespace testing_support;

class TextResults : public testing::TestWithParam<Spread> {
 protected:
  const core::Communicator world_ = core::Communicator::world();
  const SharedDirectory directory_{world_};
};

TEST_P(TextResults, have_known_bytes) {
  for (const std::uint64_t rows : {1U, 2U, 5U, 100U, 3001U}) {
    const std::string path = directory_.file("out.txt"), expected = text_of(rows);
    const std::uint64_t bytes = write_results(world_, table_of(world_, rows, GetParam()), nullptr, path);
    EXPECT_EQ(content_of(path), expected) << rows << " rows";
    EXPECT_EQ(bytes, expected.size());
    core::barrier(world_); // the next round replaces the file
  }
  EXPECT_EQ(directory_.listing(), std::vector<std::string>{"out.txt"});
}

TEST_P(TextResults, do_not_depend_on_the_length_of_stretches) {
  constexpr std::uint64_t kRows = 701;
  const std::string path = directory_.file("out.txt"), expected = text_of(kRows);
  for (const std::size_t rows_per_stretch : {1U, 3U, 50U, 699U}) {
    write_text_results(world_, table_of(world_, kRows, GetParam()), nullptr, path, TextLayout::plain, rows_per_stretch);
    EXPECT_EQ(content_of(path), expected) << rows_per_stretch << " rows a stretch";
    core::barrier(world_);
  }
}

INSTANTIATE_TEST_SUITE_P(Spreads, TextResults,
                         testing::Values(Spread::modulo, Spread::ranges, Spread::scattered, Spread::all_on_last));

class Results : public testing::Test {
 protected:
  const core::Communicator world_ = core::Communicator::world();
  const SharedDirectory directory_{world_};
};

TEST_F(Results, of_no_vertices_are_an_empty_file) {
  const std::string path = directory_.file("out.txt");
  EXPECT_EQ(write_results(world_, table_of(world_, 0, Spread::modulo), nullptr, path), 0U);
  EXPECT_EQ(directory_.listing(), std::vector<std::string>{"out.txt"});
  EXPECT_EQ(content_of(path), "");
}

TEST_F(Results, may_have_no_columns) {
  ResultTable table;
  if (world_.rank() == world_.size() - 1) table.ids = {GlobalId{4}, GlobalId{9}};
  const std::string path = directory_.file("out.txt");
  write_results(world_, table, nullptr, path);
  EXPECT_EQ(content_of(path), "4\n9\n");
}

TEST_F(Results, print_names_of_ids_and_of_id_columns) {
  constexpr std::size_t kRows = 50;
  const std::vector<std::string> all = some_names(kRows);
  std::vector<std::string> mine;
  for (std::size_t i = 0; i < kRows; ++i)
    if (owner(Spread::scattered, i, kRows, world_.size()) == world_.rank()) mine.push_back(all[i]);
  ResultTable table;
  const NameDirectory names = NameDirectory::build(world_, mine, table.ids);
  std::vector<GlobalId> parents;
  std::vector<std::uint64_t> counts;
  for (const GlobalId id : table.ids) {
    parents.push_back(number(id) % 4 == 1 ? kNoVertex : GlobalId{number(id) / 2});
    counts.push_back(number(id));
  }
  table.columns = {{"parent", parents}, {"count", counts}};

  std::string expected;
  for (std::size_t i = 0; i < kRows; ++i)
    expected += all[i] + " " + (i % 4 == 1 ? "-1" : all[i / 2]) + " " + std::to_string(i) + "\n";
  const std::string path = directory_.file("out.txt");
  for (const std::size_t rows_per_stretch : {4U, 1000U}) {
    write_text_results(world_, table, &names, path, TextLayout::plain, rows_per_stretch);
    EXPECT_EQ(content_of(path), expected);
    core::barrier(world_);
  }
}

TEST_F(Results, as_csv_have_a_header_and_quotes) {
  const std::vector<std::string> all = {"a,b", "plain", "say \"so\""};
  std::vector<std::string> mine;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (static_cast<int>(i) % world_.size() == world_.rank()) mine.push_back(all[i]);
  ResultTable table;
  const NameDirectory names = NameDirectory::build(world_, mine, table.ids);
  table.columns = {{"parent", std::vector<GlobalId>(table.ids.size(), GlobalId{0})},
                   {"rank", std::vector<double>(table.ids.size(), 0.5)}};
  const std::string path = directory_.file("out.csv");
  const std::string expected =
      "id,parent,rank\n\"a,b\",\"a,b\",0.5\nplain,\"a,b\",0.5\n\"say \"\"so\"\"\",\"a,b\",0.5\n";
  EXPECT_EQ(write_results(world_, table, &names, path), expected.size());
  EXPECT_EQ(content_of(path), expected);

  core::barrier(world_);
  table.ids.clear();
  table.columns = {{"rank", std::vector<double>()}};
  write_results(world_, table, nullptr, path);
  EXPECT_EQ(content_of(path), "id,rank\n");
}

TEST_F(Results, stretches_are_balanced) {
  constexpr std::uint64_t kRows = 20000;
  for (const Spread spread : {Spread::modulo, Spread::ranges, Spread::scattered, Spread::all_on_last}) {
    const ResultTable table = table_of(world_, kRows, spread);
    const ResultStretches stretches(world_, table, 500);
    EXPECT_EQ(stretches.total_rows(), kRows);
    std::uint64_t seen = 0;
    for (std::size_t round = 0; round < stretches.rounds(); ++round) {
      const std::size_t rows = stretches.stretch(round).ids.size();
      EXPECT_LE(rows, 600U);
      seen += rows;
    }
    EXPECT_EQ(core::all_reduce_value(world_, seen, core::Reduce::sum), kRows);
  }
}

} // namespace
} // namespace pregel
