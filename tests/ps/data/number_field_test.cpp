// Numbers in text: the quick path against the library's, and what is refused.
#include "data/number_field.hpp"

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <optional>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/random.hpp"

namespace ps {
namespace {

/// The number, if all of `text` is one.
std::optional<double> real(const std::string& text) {
  double value = 0;
  const char* const end = text.data() + text.size(); // followed by a zero byte, which ends a number
  return read_real(text.data(), end, value) == end ? std::optional(value) : std::nullopt;
}

TEST(NumberField, RealsAreRoundedCorrectly) {
  for (const char* const text : {"0",
                                 "1",
                                 "+1",
                                 "-1",
                                 "0.1",
                                 "-0.320755",
                                 "5.",
                                 ".5",
                                 "00012.50",
                                 "1e5",
                                 "1E-3",
                                 "+1.5e+2",
                                 "123456789012345",
                                 "1234567890.12345",
                                 "123456789.1234567",
                                 "9007199254740993",
                                 "0.000000000000001",
                                 "3.14159265358979323846",
                                 "123456789012345678901234567890",
                                 "1.7976931348623157e308",
                                 "4.9e-324",
                                 "2.2250738585072014e-308"}) {
    ASSERT_TRUE(real(text)) << text;
    EXPECT_EQ(*real(text), std::strtod(text, nullptr)) << text;
  }
  EXPECT_TRUE(std::signbit(*real("-0")));
  core::CounterRandom random(1);
  for (int i = 0; i < 20000; ++i) {
    const double value = (random.uniform() - 0.5) * std::pow(10, static_cast<double>(random.below(20)));
    const std::string text = fmt::format("{:.{}f}", value, static_cast<int>(random.below(12)));
    ASSERT_EQ(real(text), std::strtod(text.c_str(), nullptr)) << text;
  }
}

TEST(NumberField, TooSmallIsZeroAndTooLargeIsRefused) {
  EXPECT_EQ(real("1e-400"), 0);
  EXPECT_EQ(real("-123.5e-999999"), 0);
  EXPECT_EQ(real("0." + std::string(400, '0') + "1"), 0);
  EXPECT_FALSE(real("1e309"));
  EXPECT_FALSE(real(std::string(400, '9')));
  EXPECT_EQ(why_not_a_number("1e309"), "'1e309' is too large");
}

TEST(NumberField, WhatIsNoRealIsRefused) {
  for (const char* const text : {"",      "+",    "-",   ".",  "e5",  "1e",  "1e+",  "--1",       "+-1", "-+1",
                                 "1.2.3", "0x10", "1,5", "1f", "nan", "inf", "-inf", "+infinity", "1 2", "one"}) {
    EXPECT_FALSE(real(text)) << text;
  }
  EXPECT_EQ(why_not_a_number("nan"), "'nan' is not finite");
  EXPECT_EQ(why_not_a_number("+inf"), "'+inf' is not finite");
  EXPECT_EQ(why_not_a_number("1.2.3"), "'1.2.3' is not a number");
  EXPECT_EQ(why_not_a_number(""), "is missing");
}

TEST(NumberField, Indices) {
  const auto index = [](const std::string& text) -> std::optional<std::uint64_t> {
    std::uint64_t value = 0;
    const char* const end = read_index(text.data(), value);
    return end == text.data() + text.size() ? std::optional(value) : std::nullopt;
  };
  EXPECT_EQ(index("0"), 0u);
  EXPECT_EQ(index("0012"), 12u);
  EXPECT_EQ(index("18446744073709551615"), std::numeric_limits<std::uint64_t>::max());
  EXPECT_FALSE(index("18446744073709551616"));
  EXPECT_FALSE(index("99999999999999999999999"));
  EXPECT_FALSE(index(""));
  EXPECT_FALSE(index("-1"));
  EXPECT_FALSE(index("1a"));
}

TEST(NumberField, QuotedTextIsPrintableAndShort) {
  EXPECT_EQ(ps::quoted("abc"), "'abc'");
  EXPECT_EQ(ps::quoted(std::string("a\0\x1b", 3)), "'a\\x00\\x1b'");
  EXPECT_EQ(ps::quoted(std::string(50, 'x')), "'" + std::string(40, 'x') + "…'");
}

} // namespace
} // namespace ps
