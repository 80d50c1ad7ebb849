// Ids and weights one by one: the borders, and random ones against strtoull and strtod.
#include "pregel/io/fields.hpp"

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <optional>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/random.hpp"

namespace pregel {
namespace {

/// The field as it stands in a block: a line end and padding follow. `end` (any byte that ends a field) too.
std::string in_block(const std::string& field, char end = '\n') {
  std::string text = field + end + "\n";
  return text.append(kFieldPadding, '\xff');
}

std::optional<std::uint64_t> id_of(const std::string& field) {
  std::optional<std::uint64_t> result;
  for (const char end : {'\n', ' ', '\t', '\r'}) {
    const std::string text = in_block(field, end);
    std::uint64_t id = 0;
    const char* p = parse_field(text.data(), id);
    EXPECT_TRUE(p == nullptr || p == text.data() + field.size()) << field;
    result = p == nullptr ? std::nullopt : std::optional(id);
  }
  return result;
}

std::optional<double> weight_of(const std::string& field) {
  const std::string text = in_block(field);
  double weight = 0;
  const char* p = parse_weight(text.data(), weight);
  EXPECT_TRUE(p == nullptr || p == text.data() + field.size()) << field;
  return p == nullptr ? std::nullopt : std::optional(weight);
}

TEST(ParseId, reads_every_number_of_digits) {
  std::uint64_t expected = 0;
  std::string digits;
  for (int length = 1; length <= 19; ++length) {
    const int digit = length % 9 + 1;
    digits += static_cast<char>('0' + digit);
    expected = expected * 10 + static_cast<std::uint64_t>(digit);
    EXPECT_EQ(id_of(digits), expected);
  }
}

TEST(ParseId, knows_its_borders) {
  EXPECT_EQ(id_of("0"), 0U);
  EXPECT_EQ(id_of("00000000"), 0U);
  EXPECT_EQ(id_of("000000000000000000000000000000000000000017"), 17U);
  EXPECT_EQ(id_of("9999999999999999"), 9999999999999999U);
  EXPECT_EQ(id_of("18446744073709551614"), kLargestId);
  EXPECT_EQ(id_of("0018446744073709551614"), kLargestId);
  for (const char* bad :
       {"18446744073709551615", "18446744073709551616", "18446744073709551620", "28446744073709551614",
        "99999999999999999999", "100000000000000000000", "", "-1", "+1", "1.0", "1e3", "0x10", "12a", "a", "1,2",
        "12345678x", "1234567890123456x", "12345678901234567x", "\xc2\xb9"}) {
    EXPECT_EQ(id_of(bad), std::nullopt) << bad;
  }
}

TEST(ParseId, agrees_with_printing) {
  core::CounterRandom random(1);
  for (int i = 0; i < 100000; ++i) {
    const std::uint64_t id = std::min(random.next() >> random.below(64), kLargestId);
    ASSERT_EQ(id_of(std::to_string(id)), id);
  }
}

TEST(ParseId, refuses_any_other_byte_anywhere) {
  for (std::size_t length = 1; length <= 21; ++length) {
    for (std::size_t at = 0; at < length; ++at) {
      for (int byte = 1; byte < 256; ++byte) {
        const char c = static_cast<char>(byte);
        if (ends_field(c) || (c >= '0' && c <= '9')) continue;
        std::string field(length, '1');
        field[at] = c;
        const std::string text = in_block(field);
        std::uint64_t id = 0;
        ASSERT_EQ(parse_field(text.data(), id), nullptr) << length << " " << at << " " << byte;
      }
    }
  }
}

TEST(ParseWeight, reads_all_notations_of_c) {
  EXPECT_EQ(weight_of("1"), 1.0);
  EXPECT_EQ(weight_of("0.5"), 0.5);
  EXPECT_EQ(weight_of(".5"), 0.5);
  EXPECT_EQ(weight_of("5."), 5.0);
  EXPECT_EQ(weight_of("+2.5"), 2.5);
  EXPECT_EQ(weight_of("-2.5"), -2.5);
  EXPECT_EQ(weight_of("1e3"), 1000.0);
  EXPECT_EQ(weight_of("1E+3"), 1000.0);
  EXPECT_EQ(weight_of("25e-1"), 2.5);
  EXPECT_EQ(weight_of("0x1p-3"), 0.125);
  EXPECT_EQ(weight_of("0X1.8P1"), 3.0);
  EXPECT_EQ(weight_of("-0xA"), -10.0);
  EXPECT_EQ(weight_of("+0x.8p1"), 1.0);
  EXPECT_EQ(weight_of("0"), 0.0);
  EXPECT_TRUE(std::signbit(*weight_of("-0")));
  EXPECT_EQ(weight_of("1e-400"), 0.0);
  EXPECT_TRUE(std::signbit(*weight_of("-1e-400")));
  EXPECT_EQ(weight_of("4.9406564584124654e-324"), std::numeric_limits<double>::denorm_min());
  EXPECT_EQ(weight_of("0x1p-1074"), std::numeric_limits<double>::denorm_min());
  EXPECT_EQ(weight_of("0x1p-2000"), 0.0);
  EXPECT_EQ(weight_of("1.7976931348623157e308"), std::numeric_limits<double>::max());
  EXPECT_EQ(weight_of("123456789012345678901234567890"), 123456789012345678901234567890.0);
  EXPECT_EQ(weight_of("00000000000000000000000000000000.25"), 0.25);
}

TEST(ParseWeight, refuses_the_rest) {
  for (const char* bad :
       {"",    "+",    "-",      ".",     "e5",     "1e",       "1e+", "--1",   "+-1", "-+1",  "1..2",
        "1,5", "1f",   "1.0x",   "0x",    "0xg",    "0x1p",     "1d3", "inf",   "INF", "-inf", "Infinity",
        "nan", "-NaN", "nan(1)", "1e400", "-1e400", "0x1p5000", "abc", "1_000", "'1'"}) {
    EXPECT_EQ(weight_of(bad), std::nullopt) << bad;
  }
}

TEST(ParseWeight, rounds_like_strtod) {
  core::CounterRandom random(2);
  for (int i = 0; i < 200000; ++i) {
    std::uint64_t bits = random.next();
    double value = 0;
    if (i % 2 == 0) {
      std::memcpy(&value, &bits, sizeof value);
    } else {
      value = static_cast<double>(random.below(100000000)) / std::pow(10, static_cast<double>(random.below(9)));
    }
    if (!std::isfinite(value)) continue;
    static const char* const kFormats[] = {"{:.17g}", "{:.6g}", "{:.3f}", "{:a}", "{:.9e}", "{:.30g}"};
    std::string text = fmt::format(fmt::runtime(kFormats[random.below(6)]), value);
    const double expected = std::strtod(text.c_str(), nullptr);
    if (!std::isfinite(expected)) continue;
    const auto weight = weight_of(text);
    ASSERT_TRUE(weight.has_value()) << text;
    ASSERT_EQ(*weight, expected) << text;
  }
}

TEST(ParseValue, takes_infinity_but_not_nan) {
  const auto value_of = [](const std::string& field) -> std::optional<double> {
    const std::string text = in_block(field);
    double value = 0;
    return parse_value(text.data(), value) == nullptr ? std::nullopt : std::optional(value);
  };
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(value_of("infinity"), kInfinity);
  EXPECT_EQ(value_of("inf"), kInfinity);
  EXPECT_EQ(value_of("-Inf"), -kInfinity);
  EXPECT_EQ(value_of("0.25"), 0.25);
  EXPECT_EQ(value_of("nan"), std::nullopt);
  EXPECT_EQ(value_of("1e400"), std::nullopt);
}

TEST(Reasons, show_what_cannot_be_seen) {
  EXPECT_EQ(in_quotes("a\x01\xc3\xa9"), "'a\\x01\\xc3\\xa9'");
  EXPECT_EQ(in_quotes(std::string(100, 'x')), "'" + std::string(40, 'x') + "…'");
}

} // namespace
} // namespace pregel
