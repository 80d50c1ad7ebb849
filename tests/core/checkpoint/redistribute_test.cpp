// Rows travel whole and in order; blocks of bytes that are not whole are refused.
#include "core/checkpoint/redistribute.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "checkpoint_testing.hpp"

namespace core::checkpoint {
namespace {

/// Where the tests send a row.
int owner_of(std::uint64_t id) {
  return static_cast<int>(id * 7 % 5 % static_cast<std::uint64_t>(world().size()));
}

std::vector<int> owners(const Table& vertices) {
  std::vector<int> result;
  for (const std::uint64_t id : vertices.column<std::uint64_t>("id")) result.push_back(owner_of(id));
  return result;
}

/// The rows of all parts that belong to this rank, by a slow way: one table a row.
Table expected_rows() {
  std::vector<Table> rows;
  for (int part = 0; part < world().size(); ++part) {
    const Table all = sample_part(1, part).front();
    std::vector<std::size_t> begin(all.columns().size());
    for (std::size_t row = 0; row < all.rows(); ++row) {
      Table one("vertices", 1);
      for (std::size_t c = 0; c < all.columns().size(); ++c) {
        const Column& column = all.columns()[c];
        const std::size_t elements = column.is_list ? column.counts[row] : 1;
        const auto first = column.data.begin() + static_cast<std::ptrdiff_t>(begin[c] * column.type.bytes);
        Column cut{column.name, column.type, column.is_list, {}, {}};
        cut.data.assign(first, first + static_cast<std::ptrdiff_t>(elements * column.type.bytes));
        if (column.is_list) cut.counts = {column.counts[row]};
        begin[c] += elements;
        one.add_column(std::move(cut));
      }
      if (owner_of(one.column<std::uint64_t>("id")[0]) == world().rank()) rows.push_back(std::move(one));
    }
  }
  return concatenate(std::move(rows));
}

void expect_rows_at_their_owners() {
  const Table mine = sample_part(1, world().rank()).front();
  const Table got = redistribute(world(), mine, owners(mine));
  const Table expected = expected_rows();
  if (expected.rows() > 0)
    expect_equal(got, expected);
  else
    EXPECT_EQ(got.rows(), 0U);
}

TEST(Redistribute, RowsKeepTheirOrder) {
  expect_rows_at_their_owners();
}

TEST(Redistribute, LongExchangesAreCut) {
  const std::size_t before = count_limit();
  set_count_limit(11);
  expect_rows_at_their_owners();
  set_count_limit(before);
}

TEST(Redistribute, RanksWithoutRowsNeedNotKnowTheColumns) {
  const bool has = world().rank() == world().size() - 1;
  const Table mine = has ? sample_part(1, 0).front() : Table();
  const Table got = redistribute(world(), mine, std::vector<int>(mine.rows(), 0));
  if (world().rank() == 0)
    expect_equal(got, sample_part(1, 0).front());
  else
    EXPECT_EQ(got.rows(), 0U);
  EXPECT_EQ(got.name(), "vertices");
  EXPECT_EQ(got.columns().size(), sample_part(1, 0).front().columns().size());
}

TEST(Redistribute, NothingAtAll) {
  EXPECT_EQ(redistribute(world(), Table(), {}).rows(), 0U);
  EXPECT_EQ(redistribute(world(), Table("empty", 0), {}).name(), "empty");
  const Table rows("rows_only", 3);
  const Table got = redistribute(world(), rows, std::vector<int>(3, 0));
  EXPECT_EQ(got.rows(), world().rank() == 0 ? 3U * static_cast<std::size_t>(world().size()) : 0U);
}

TEST(Redistribute, MistakesAreErrorsOnAllRanks) {
  const bool last = world().rank() == world().size() - 1;
  Table table("t", 1);
  table.add<int>("x", std::vector<int>{1});
  for (const int owner : {-1, world().size()})
    EXPECT_NE(message_on_all(world(), [&] { (void)redistribute(world(), table, std::vector<int>{last ? owner : 0}); })
                  .find("a row is meant for rank " + std::to_string(owner)),
              std::string::npos);
  EXPECT_NE(message_on_all(world(), [&] { (void)redistribute(world(), table, std::vector<int>(last ? 2 : 1)); })
                .find("table t: 2 owners for 1 rows"),
            std::string::npos);
  if (world().size() == 1) return;
  Table other("t", 1);
  other.add<float>("x", std::vector<float>{1});
  EXPECT_NE(message_on_all(world(), [&] { (void)redistribute(world(), last ? other : table, std::vector<int>{0}); })
                .find("parts of table t do not fit together: column x (signed integer of 4 bytes)"),
            std::string::npos);
}

TEST(Concatenate, SkipsWhatSaysNothing) {
  EXPECT_EQ(concatenate({}).rows(), 0U);
  EXPECT_EQ(concatenate({Table(), Table()}).rows(), 0U);
  EXPECT_EQ(concatenate({Table("t", 0)}).name(), "t");
  const Table sample = sample_part(1, 0).front();
  expect_equal(concatenate({Table(), sample, Table("vertices", 0)}), sample);
  EXPECT_EQ(concatenate({sample, sample_part(1, 2).front(), sample}).rows(), 2 * sample.rows());
  EXPECT_THROW((void)concatenate({sample, sample_part(1, 0)[1]}), Error);
}

TEST(Pack, BlocksComeBack) {
  const Part part = sample_part(1, world().rank());
  expect_equal(unpack(pack(part)), part);
  expect_equal(unpack(pack({})), {});
  expect_equal(unpack(pack({Table()})), {Table()});
}

TEST(Pack, WhatIsNotWholeIsRefused) {
  const std::vector<std::byte> block = pack(sample_part(1, 0));
  for (std::size_t bytes = 0; bytes < block.size(); bytes += 1 + bytes / 64)
    EXPECT_THROW((void)unpack(std::span(block).first(bytes)), Error) << bytes;
  std::vector<std::byte> longer = block;
  longer.push_back({});
  EXPECT_THROW((void)unpack(longer), Error);
}

} // namespace
} // namespace core::checkpoint
