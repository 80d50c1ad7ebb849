// Numbers in text, read by hand where that is quick and exact.
//
// The text must be followed by a readable byte that is neither a digit nor part of a number, as the lines of LineReader
// are. Functions return the end of what they read, or null; a reason is worked out by why_not_a_number().
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ps {

/// Decimal digits, at most 2^64 - 1. Null also when the number is larger. Local.
[[nodiscard]] inline const char* read_index(const char* p, std::uint64_t& value) noexcept {
  const char* const begin = p;
  value = 0;
  for (; *p >= '0' && *p <= '9'; ++p) {
    const auto digit = static_cast<std::uint64_t>(*p - '0');
    if (__builtin_mul_overflow(value, std::uint64_t{10}, &value) || __builtin_add_overflow(value, digit, &value)) {
      return nullptr;
    }
  }
  return p == begin ? nullptr : p;
}

/// Any decimal notation with sign, point and exponent, rounded to the nearest double; what is too small becomes 0.
/// Null for NaN, infinities and what is too large. `end` is where the text ends. Local.
[[nodiscard]] const char* read_any_real(const char* p, const char* end, double& value) noexcept;

/// The same; short numbers without an exponent are read here. Local.
[[nodiscard]] inline const char* read_real(const char* p, const char* end, double& value) noexcept {
  constexpr double kPowers[] = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
  const char* const begin = p;
  const bool negative = *p == '-';
  if (negative || *p == '+') ++p;
  const char* const digits = p;
  std::uint64_t number = 0;
  for (; *p >= '0' && *p <= '9'; ++p) number = number * 10 + static_cast<std::uint64_t>(*p - '0');
  long count = p - digits;
  long fraction = 0;
  if (*p == '.') {
    const char* const point = p++;
    for (; *p >= '0' && *p <= '9'; ++p) number = number * 10 + static_cast<std::uint64_t>(*p - '0');
    fraction = p - point - 1;
    count += fraction;
  }
  // Up to 15 digits and the power of ten are exact doubles, so one division rounds once. (More digits may have
  // overflowed `number`, which is then not looked at.)
  const bool more = (*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z');
  if (count == 0 || count > 15 || more) return read_any_real(begin, end, value);
  value = static_cast<double>(number) / kPowers[fraction];
  if (negative) value = -value;
  return p;
}

/// Why read_real() refused `field`, or stopped within it: "'1e999' is too large". Local.
[[nodiscard]] std::string why_not_a_number(std::string_view field);
/// `field` in quotes, cut after 40 bytes, unprintable bytes as \xNN. Local.
[[nodiscard]] std::string quoted(std::string_view field);

} // namespace ps
