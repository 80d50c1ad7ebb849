// Tables: what goes in comes out as what it was, and anything else is refused by name.
#include "core/checkpoint/table.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "core/message_of.hpp"

namespace core::checkpoint {
namespace {

enum class Colour : std::int16_t { red, green };
struct Pair {
  std::int32_t a;
  float b;
};

static_assert(element_type<double>() == ElementType{ElementKind::real, 8});
static_assert(element_type<float>() == ElementType{ElementKind::real, 4});
static_assert(element_type<long double>() == ElementType{ElementKind::real, sizeof(long double)});
static_assert(element_type<bool>() == ElementType{ElementKind::unsigned_integer, 1});
static_assert(element_type<std::uint64_t>() == ElementType{ElementKind::unsigned_integer, 8});
static_assert(element_type<std::int8_t>() == ElementType{ElementKind::signed_integer, 1});
static_assert(element_type<Colour>() == ElementType{ElementKind::signed_integer, 2});
static_assert(element_type<Pair>() == ElementType{ElementKind::opaque, 8});
static_assert(element_type<std::array<double, 3>>() == ElementType{ElementKind::opaque, 24});

using test::message_of;

template <class T>
std::vector<T> values(const Table& table, const char* name) {
  const auto column = table.column<T>(name);
  return {column.begin(), column.end()};
}

TEST(CheckpointTable, ColumnsComeBack) {
  Table table("vertices", 3);
  table.add<double>("value", std::vector<double>{1.5, -0.0, 3});
  const std::array<bool, 3> halted{true, false, true};
  table.add<bool>("halted", halted);
  table.add<Colour>("colour", std::vector<Colour>{Colour::green, Colour::red, Colour::red});
  table.add_list<std::uint32_t>("messages", {2, 0, 1}, std::vector<std::uint32_t>{7, 8, 9});

  EXPECT_EQ(table.name(), "vertices");
  EXPECT_EQ(table.rows(), 3U);
  EXPECT_EQ(table.columns().size(), 4U);
  EXPECT_TRUE(table.has("value"));
  EXPECT_FALSE(table.has("messages_count"));
  EXPECT_EQ(values<double>(table, "value"), (std::vector<double>{1.5, -0.0, 3}));
  EXPECT_TRUE(table.column<bool>("halted")[2]);
  EXPECT_EQ(table.column<Colour>("colour")[0], Colour::green);
  EXPECT_EQ(values<std::uint32_t>(table, "messages"), (std::vector<std::uint32_t>{7, 8, 9}));
  EXPECT_EQ(table.counts("messages")[0], 2U);
  EXPECT_EQ(table.bytes(), 24U + 3 + 6 + 12 + 24);
}

TEST(CheckpointTable, AnotherTypeIsRefused) {
  Table table("vertices", 1);
  table.add<double>("value", std::vector<double>{1});
  EXPECT_EQ(message_of([&] { (void)table.column<float>("value"); }),
            "column value of table vertices is real of 8 bytes, not real of 4 bytes");
  EXPECT_EQ(message_of([&] { (void)table.column<std::uint64_t>("value"); }),
            "column value of table vertices is real of 8 bytes, not unsigned integer of 8 bytes");
  EXPECT_EQ(message_of([&] { (void)table.column<double>("rank"); }), "table vertices has no column rank");
  EXPECT_EQ(message_of([&] { (void)table.counts("value"); }),
            "column value of table vertices has one element a row, not lists");
}

TEST(CheckpointTable, WhatDoesNotFitIsRefused) {
  Table table("vertices", 2);
  EXPECT_EQ(message_of([&] { table.add<double>("value", std::vector<double>(3)); }),
            "column value of table vertices: 3 elements for 2 rows");
  EXPECT_EQ(message_of([&] { table.add_list<double>("list", {1}, std::vector<double>(1)); }),
            "column list of table vertices: 1 elements for 2 rows");
  EXPECT_EQ(message_of([&] {
              table.add_list<double>("list", {1, 2}, std::vector<double>(4));
            }),
            "column list of table vertices: its rows have 3 entries, but 4 are given");
  EXPECT_TRUE(table.columns().empty());
}

TEST(CheckpointTable, NamesAreNamesInAFile) {
  for (const char* bad : {"", ".", "..", "a/b"}) {
    EXPECT_THROW(Table(bad, 0), Error) << bad;
    Table table("t", 0);
    EXPECT_THROW(table.add<int>(bad, {}), Error) << bad;
  }
  Table table("t", 0);
  table.add_list<int>("messages", {}, {});
  EXPECT_THROW(table.add<int>("messages", {}), Error);
  EXPECT_THROW(table.add<int>("messages_count", {}), Error) << "the counts of messages have this name in the file";
  table.add<int>("edges_count", {});
  EXPECT_THROW(table.add_list<int>("edges", {}, {}), Error);
}

TEST(CheckpointTable, TablesOfAPartAreFound) {
  const Part part{Table("a", 1), Table("b", 2)};
  ASSERT_NE(find_table(part, "b"), nullptr);
  EXPECT_EQ(find_table(part, "b")->rows(), 2U);
  EXPECT_EQ(find_table(part, "c"), nullptr);
  EXPECT_EQ(require_table(part, "a").rows(), 1U);
  EXPECT_EQ(message_of([&] { (void)require_table(part, "c"); }), "there is no table c");
}

} // namespace
} // namespace core::checkpoint
