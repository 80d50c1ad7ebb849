// The spelling of numbers: byte for byte that of printf("%.17g").
#include "result_text.hpp"

#include <bit>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string>

#include <gtest/gtest.h>

#include "core/random.hpp"

namespace pregel {
namespace {

template <class T>
std::string spelled(T value) {
  TextBuffer text;
  text.append_number(value);
  return std::string(text.view());
}

std::string printed(double value) {
  char text[64];
  std::snprintf(text, sizeof text, "%.17g", value);
  return text;
}

TEST(ResultText, reals_equal_printf) {
  using Limits = std::numeric_limits<double>;
  for (const double value : {0.0,
                             -0.0,
                             1.0,
                             -1.0,
                             0.1,
                             1.0 / 3,
                             100.0,
                             1e15,
                             1e16,
                             1e17,
                             1e18,
                             123456789012345678.0,
                             1e-4,
                             1e-5,
                             9.9999999999999995e-5,
                             1e22,
                             1e23,
                             1e100,
                             0.5,
                             2.5,
                             Limits::max(),
                             Limits::lowest(),
                             Limits::min(),
                             Limits::denorm_min(),
                             -Limits::denorm_min(),
                             Limits::epsilon(),
                             9007199254740993.0,
                             99999999999999999.0})
    EXPECT_EQ(spelled(value), printed(value));
}

TEST(ResultText, random_doubles_equal_printf) {
  core::CounterRandom random(1);
  TextBuffer text;
  char expected[64];
  for (int i = 0; i < 300000; ++i) {
    std::uint64_t bits = random.next();
    if (i % 4 == 0) bits &= 0x800fffffffffffffULL;                                            // subnormal
    if (i % 4 == 1) bits = std::bit_cast<std::uint64_t>(static_cast<double>(bits) * 0x1p-64); // in [0, 1]
    const double value = std::bit_cast<double>(bits);
    if (!std::isfinite(value)) continue;
    text.clear();
    text.append_number(value);
    const int length = std::snprintf(expected, sizeof expected, "%.17g", value);
    ASSERT_EQ(text.view(), std::string_view(expected, static_cast<std::size_t>(length)));
    ASSERT_EQ(std::bit_cast<std::uint64_t>(std::strtod(expected, nullptr)), bits);
  }
}

TEST(ResultText, what_is_no_number_has_a_word) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(spelled(infinity), "infinity");
  EXPECT_EQ(spelled(-infinity), "-infinity");
  EXPECT_EQ(spelled(std::numeric_limits<double>::quiet_NaN()), "nan");
  EXPECT_EQ(spelled(-std::numeric_limits<double>::quiet_NaN()), "nan");
}

TEST(ResultText, integers_and_ids) {
  EXPECT_EQ(spelled(~std::uint64_t{0}), "18446744073709551615");
  EXPECT_EQ(spelled(std::numeric_limits<std::int64_t>::min()), "-9223372036854775808");
  EXPECT_EQ(spelled(std::numeric_limits<std::int64_t>::max()), "9223372036854775807");
  EXPECT_EQ(spelled(GlobalId{0}), "0");
  EXPECT_EQ(spelled(kNoVertex), "-1");
  EXPECT_EQ(spelled(GlobalId{~std::uint64_t{1}}), "18446744073709551614");
}

TEST(ResultText, a_buffer_keeps_what_it_has_while_it_grows) {
  TextBuffer text;
  std::string expected;
  for (std::uint64_t i = 0; i < 5000; ++i) {
    text.append_number(i);
    text.append(' ');
    text.append(std::string_view("word"));
    expected += std::to_string(i) + " word";
  }
  EXPECT_EQ(text.view(), expected);
}

} // namespace
} // namespace pregel
