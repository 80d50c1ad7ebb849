// The fields of a text line: ids, weights, names, and what ends them.
//
// These functions run once or twice for every line of a file of billions, so they read digits by hand: eight bytes at a
// time, with one multiplication tree instead of a loop whose length the processor cannot guess. They rely on what
// read_lines() (text_lines.hpp) promises: every line ends with '\n', so no bound has to be tested, and kFieldPadding
// readable bytes follow the last line, so eight bytes may always be loaded.
//
// They only say yes or no. The reason that a user reads is worked out once, on the line that was refused
// (why_not_an_id and its relatives).
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "pregel/graph/types.hpp"

namespace pregel {

/// Readable bytes after the last line of a block.
inline constexpr std::size_t kFieldPadding = 16;
/// The number above it is kNoVertex and cannot name a vertex.
inline constexpr std::uint64_t kLargestId = number(kNoVertex) - 1;

[[nodiscard]] constexpr bool is_blank(char c) noexcept {
  return c == ' ' || c == '\t';
}
[[nodiscard]] constexpr bool ends_field(char c) noexcept {
  return is_blank(c) || c == '\n' || c == '\r';
}
[[nodiscard]] inline const char* skip_blanks(const char* p) noexcept {
  while (is_blank(*p)) ++p;
  return p;
}
[[nodiscard]] inline const char* end_of_field(const char* p) noexcept {
  while (!ends_field(*p)) ++p;
  return p;
}

namespace detail {

inline constexpr std::uint64_t kPowersOfTen[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};

/// The leading decimal digits among the eight bytes at `p`: their number (0 to 8) and value.
struct DigitGroup {
  unsigned count;
  std::uint64_t value;
};

[[nodiscard]] inline DigitGroup read_digits(const char* p) noexcept {
  if constexpr (std::endian::native == std::endian::little) {
    std::uint64_t word = 0;
    std::memcpy(&word, p, sizeof word);
    word ^= 0x3030303030303030ULL; // a digit becomes its value, anything else more than 9
    // Adding 0x76 sets the top bit of a byte above 9. A carry out of such a byte only spoils later bytes.
    const std::uint64_t others = ((word + 0x7676767676767676ULL) | word) & 0x8080808080808080ULL;
    const unsigned count = others == 0 ? 8 : static_cast<unsigned>(std::countr_zero(others)) / 8;
    if (count == 0) return {0, 0};
    word <<= 8 * (8 - count); // as if written with leading zeros
    word = (word * 10 + (word >> 8)) & 0x00ff00ff00ff00ffULL;
    word = (word * 100 + (word >> 16)) & 0x0000ffff0000ffffULL;
    word = (word * 10000 + (word >> 32)) & 0x00000000ffffffffULL;
    return {count, word};
  } else {
    DigitGroup group{0, 0};
    while (group.count < 8 && p[group.count] >= '0' && p[group.count] <= '9') {
      group.value = group.value * 10 + static_cast<std::uint64_t>(p[group.count++] - '0');
    }
    return group;
  }
}

/// The rest of an id of which the first `digits` (16) are read. Null when it does not fit.
[[nodiscard]] const char* parse_long_id(const char* p, std::uint64_t& id) noexcept;
/// Any number that the quick path of parse_weight() leaves alone.
[[nodiscard]] const char* parse_any_weight(const char* p, double& weight) noexcept;

} // namespace detail

/// Reads the id at `p`: decimal digits, at most kLargestId, up to the end of the field. Returns the end, or null.
[[nodiscard]] inline const char* parse_field(const char* p, std::uint64_t& id) noexcept {
  const detail::DigitGroup first = detail::read_digits(p);
  p += first.count;
  id = first.value;
  if (first.count == 8) [[unlikely]] {
    const detail::DigitGroup second = detail::read_digits(p);
    p += second.count;
    id = id * detail::kPowersOfTen[second.count] + second.value;
    if (second.count == 8) p = detail::parse_long_id(p, id);
    return p != nullptr && ends_field(*p) ? p : nullptr;
  }
  return first.count != 0 && ends_field(*p) ? p : nullptr;
}

/// Reads the name at `p`: any bytes but blanks, line ends and zero. Returns the end, or null.
[[nodiscard]] inline const char* parse_field(const char* p, std::string_view& name) noexcept {
  const char* const begin = p;
  while (!ends_field(*p) && *p != '\0') ++p;
  name = {begin, static_cast<std::size_t>(p - begin)};
  return p != begin && *p != '\0' ? p : nullptr;
}

/// Reads the weight at `p`, in any notation of C's strtod (decimal or hexadecimal, with exponent, leading + or -),
/// correctly rounded whatever the locale. Infinities, NaN and what overflows a double are refused; what underflows
/// becomes a denormal or zero. Returns the end, or null.
[[nodiscard]] inline const char* parse_weight(const char* p, double& weight) noexcept {
  // Up to 8 digits, a point, up to 7 digits: numerator and power of ten are exact doubles, so one division rounds once.
  const detail::DigitGroup whole = detail::read_digits(p);
  if (whole.count != 0) {
    const char* q = p + whole.count;
    if (ends_field(*q)) {
      weight = static_cast<double>(whole.value);
      return q;
    }
    if (*q == '.') {
      const detail::DigitGroup fraction = detail::read_digits(++q);
      q += fraction.count;
      if (fraction.count < 8 && ends_field(*q)) {
        const std::uint64_t scale = detail::kPowersOfTen[fraction.count];
        weight = static_cast<double>(whole.value * scale + fraction.value) / static_cast<double>(scale);
        return q;
      }
    }
  }
  return detail::parse_any_weight(p, weight);
}

/// Like parse_weight(), but also reads `inf` and `infinity`, as results are written. NaN is refused.
[[nodiscard]] const char* parse_value(const char* p, double& value) noexcept;

/// The fields of a line, for headers and messages.
[[nodiscard]] std::vector<std::string_view> split_columns(std::string_view line);
/// A field as it appears in a message: in quotes, cut after some 40 bytes, unprintable bytes as \xNN.
[[nodiscard]] std::string in_quotes(std::string_view field);
/// Why parse_field() refused `field` as a number.
[[nodiscard]] std::string why_not_an_id(std::string_view field);
/// Why parse_weight() refused `field`; `what` names the column.
[[nodiscard]] std::string why_not_a_weight(std::string_view field, std::string_view what);

} // namespace pregel
