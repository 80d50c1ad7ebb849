// What the tests of checkpoints share: parts with a column of every kind whose content follows from a few numbers, and
// errors that must be the same on all ranks.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/checkpoint/table.hpp"
#include "core/collectives.hpp"
#include "core/communicator.hpp"
#include "core/error.hpp"
#include "core/message_of.hpp"

namespace core::checkpoint {

inline const Communicator& world() {
  static const Communicator comm = Communicator::world();
  return comm;
}

using test::message_of;

/// The same of collective work, where all ranks must throw the same. Collective.
template <class F>
std::string message_on_all(const Communicator& comm, F&& work) {
  const std::string message = message_of(work);
  EXPECT_EQ(message, broadcast_string(comm, message, 0)) << "ranks do not agree on the error";
  return message;
}

enum class Colour : std::int8_t { red = -1, green = 1 };
struct Opaque {
  std::array<std::uint8_t, 5> bytes;
  friend bool operator==(const Opaque&, const Opaque&) = default;
};

/// Value number `i` of part `part` in checkpoint `number`.
inline std::uint64_t pattern(std::uint64_t number, std::uint64_t part, std::uint64_t i) {
  return (number * 1'000'003 + part) * 1'000'003 + i * 2'654'435'761U;
}

/// Rows that part `part` has: the third is empty.
inline std::size_t rows_of(int part) {
  return part == 2 ? 0 : 40 + 13 * static_cast<std::size_t>(part);
}

template <class T>
std::vector<T> numbers(std::uint64_t number, int part, std::size_t count) {
  std::vector<T> result(count);
  for (std::size_t i = 0; i < count; ++i)
    result[i] = static_cast<T>(pattern(number, static_cast<std::uint64_t>(part), i) >> (64 - 8 * sizeof(T)));
  return result;
}

/// A part with every kind of column. The ids are unique over parts.
inline Part sample_part(std::uint64_t number, int part) {
  const std::size_t rows = rows_of(part);
  std::vector<std::uint64_t> ids(rows), lengths(rows);
  std::vector<double> values(rows);
  std::vector<Colour> colours(rows);
  std::vector<Opaque> opaque(rows);
  std::size_t entries = 0;
  for (std::size_t i = 0; i < rows; ++i) {
    ids[i] = i * 1000 + static_cast<std::size_t>(part);
    values[i] = 1.0 / static_cast<double>(ids[i] + number + 1);
    colours[i] = i % 3 == 0 ? Colour::red : Colour::green;
    opaque[i].bytes.fill(static_cast<std::uint8_t>(ids[i]));
    lengths[i] = i % 4;
    entries += i % 4;
  }
  Table vertices("vertices", rows);
  vertices.add<std::uint64_t>("id", ids);
  vertices.add<double>("value", values);
  vertices.add<float>("real4", std::vector<float>(values.begin(), values.end()));
  vertices.add<std::uint8_t>("u1", numbers<std::uint8_t>(number, part, rows));
  vertices.add<std::uint16_t>("u2", numbers<std::uint16_t>(number, part, rows));
  vertices.add<std::uint32_t>("u4", numbers<std::uint32_t>(number, part, rows));
  vertices.add<std::int8_t>("i1", numbers<std::int8_t>(number, part, rows));
  vertices.add<std::int16_t>("i2", numbers<std::int16_t>(number, part, rows));
  vertices.add<std::int32_t>("i4", numbers<std::int32_t>(number, part, rows));
  vertices.add<std::int64_t>("i8", numbers<std::int64_t>(number, part, rows));
  vertices.add<Colour>("colour", colours);
  vertices.add<Opaque>("opaque", opaque);
  vertices.add_list<double>("messages", lengths, std::vector<double>(entries, 0.25 + part));
  vertices.add_list<Opaque>("50%bytes", std::vector<std::uint64_t>(rows, 2),
                            std::vector<Opaque>(2 * rows, Opaque{{1, 2, 3, 4, 5}}));
  Table aggregates("aggregates", part == 0 ? 2 : 0);
  aggregates.add<long double>("sum", part == 0 ? std::vector<long double>{1.5L, 2.5L} : std::vector<long double>{});
  Part result;
  result.push_back(std::move(vertices));
  result.push_back(std::move(aggregates));
  result.emplace_back("rows_only", 3);
  result.emplace_back("nothing", 0);
  return result;
}

inline void expect_equal(const Table& a, const Table& b) {
  EXPECT_EQ(a.name(), b.name());
  EXPECT_EQ(a.rows(), b.rows());
  ASSERT_EQ(a.columns().size(), b.columns().size());
  for (std::size_t i = 0; i < a.columns().size(); ++i) {
    const Column &x = a.columns()[i], &y = b.columns()[i];
    EXPECT_TRUE(same_description(x, y)) << x.name << " and " << y.name;
    EXPECT_EQ(x.counts, y.counts) << x.name;
    if (x.type == element_type<long double>()) // whose padding is nobody's
      EXPECT_TRUE(std::ranges::equal(a.column<long double>(x.name), b.column<long double>(x.name))) << x.name;
    else
      EXPECT_TRUE(x.data == y.data) << x.name;
  }
}

inline void expect_equal(const Part& a, const Part& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) expect_equal(a[i], b[i]);
}

} // namespace core::checkpoint
