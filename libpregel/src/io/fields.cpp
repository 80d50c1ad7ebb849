// The rare half of field parsing: long ids, unusual numbers, and the reasons for refusing a field.
#include "pregel/io/fields.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <limits>

#include <locale.h> // NOLINT(modernize-deprecated-headers): newlocale() is POSIX

namespace pregel {
namespace {

enum class NumberStatus { good, malformed, not_finite, too_large };

[[nodiscard]] bool is_digit(char c) noexcept {
  return c >= '0' && c <= '9';
}

[[nodiscard]] char lower(char c) noexcept {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

[[nodiscard]] bool equals_ignoring_case(std::string_view a, std::string_view b) noexcept {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (lower(a[i]) != lower(b[i])) return false;
  }
  return true;
}

/// Removes one leading sign; true when it was a minus.
bool take_sign(std::string_view& field) noexcept {
  if (field.empty() || (field.front() != '+' && field.front() != '-')) return false;
  const bool negative = field.front() == '-';
  field.remove_prefix(1);
  return negative;
}

/// A well-formed decimal or hexadecimal number that std::from_chars calls out of range: too large, or so small that it
/// rounds to a denormal or zero? strtod knows; it is asked in the "C" locale, whatever the program has set.
[[nodiscard]] NumberStatus resolve_out_of_range(std::string_view field, double& value) {
  static const locale_t c_locale = newlocale(LC_ALL_MASK, "C", nullptr);
  const std::string text(field);
  value = strtod_l(text.c_str(), nullptr, c_locale);
  return value > std::numeric_limits<double>::max() ? NumberStatus::too_large : NumberStatus::good;
}

[[nodiscard]] NumberStatus read_number(std::string_view field, double& value) {
  const bool negative = take_sign(field);
  for (const std::string_view word : {"inf", "infinity", "nan"}) {
    if (!equals_ignoring_case(field, word)) continue;
    value = negative ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
    if (word == "nan") value = std::numeric_limits<double>::quiet_NaN();
    return NumberStatus::not_finite;
  }
  const bool hexadecimal = field.size() > 2 && field[0] == '0' && lower(field[1]) == 'x';
  const std::string_view digits = hexadecimal ? field.substr(2) : field;
  // from_chars would take a second sign and words such as "nan(1)".
  const bool starts_well = !digits.empty() && (is_digit(digits[0]) || digits[0] == '.' ||
                                               (hexadecimal && lower(digits[0]) >= 'a' && lower(digits[0]) <= 'f'));
  if (!starts_well) return NumberStatus::malformed;
  const auto format = hexadecimal ? std::chars_format::hex : std::chars_format::general;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, format);
  if (error == std::errc::invalid_argument || end != digits.data() + digits.size()) return NumberStatus::malformed;
  NumberStatus status = NumberStatus::good;
  if (error == std::errc::result_out_of_range) status = resolve_out_of_range(field, value);
  if (negative) value = -value;
  return status;
}

[[nodiscard]] std::string_view field_at(const char* p) noexcept {
  return {p, static_cast<std::size_t>(end_of_field(p) - p)};
}

/// "columns are separated by …" when `field` looks like several columns glued together, else nothing.
[[nodiscard]] std::string separator_hint(std::string_view field) {
  const std::size_t at = field.find_first_of(",;|");
  if (at == std::string_view::npos) return {};
  return in_quotes(field) + ": columns must be separated by blanks or tabs, not by '" + field[at] + "'";
}

} // namespace

namespace detail {

const char* parse_long_id(const char* p, std::uint64_t& id) noexcept {
  for (; is_digit(*p); ++p) {
    if (__builtin_mul_overflow(id, std::uint64_t{10}, &id)) return nullptr;
    if (__builtin_add_overflow(id, static_cast<std::uint64_t>(*p - '0'), &id)) return nullptr;
  }
  return id <= kLargestId ? p : nullptr;
}

const char* parse_any_weight(const char* p, double& weight) noexcept {
  const std::string_view field = field_at(p);
  return read_number(field, weight) == NumberStatus::good ? field.data() + field.size() : nullptr;
}

} // namespace detail

const char* parse_value(const char* p, double& value) noexcept {
  const std::string_view field = field_at(p);
  const NumberStatus status = read_number(field, value);
  const bool infinite = status == NumberStatus::not_finite && value == value; // NaN differs from itself
  return status == NumberStatus::good || infinite ? field.data() + field.size() : nullptr;
}

std::vector<std::string_view> split_columns(std::string_view line) {
  std::vector<std::string_view> fields;
  for (std::size_t begin = 0; (begin = line.find_first_not_of(" \t\r", begin)) != std::string_view::npos;) {
    const std::size_t end = std::min(line.find_first_of(" \t\r", begin), line.size());
    fields.push_back(line.substr(begin, end - begin));
    begin = end;
  }
  return fields;
}

std::string in_quotes(std::string_view field) {
  constexpr std::size_t kLongest = 40;
  constexpr char kHex[] = "0123456789abcdef";
  std::string text = "'";
  for (const char c : field.substr(0, kLongest)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7f) {
      text += c;
    } else {
      text += {'\\', 'x', kHex[byte >> 4], kHex[byte & 15]};
    }
  }
  return text + (field.size() > kLongest ? "…'" : "'");
}

std::string why_not_an_id(std::string_view field) {
  if (std::string hint = separator_hint(field); !hint.empty()) return hint;
  const std::string name = in_quotes(field);
  const std::size_t other = field.find_first_not_of("0123456789");
  if (other == std::string_view::npos) {
    return name + " is too large for a vertex id: ids go up to " + std::to_string(kLargestId);
  }
  std::string_view rest = field;
  const bool negative = take_sign(rest);
  double ignored = 0;
  if (negative && !rest.empty() && rest.find_first_not_of("0123456789") == std::string_view::npos) {
    return name + " is negative: vertex ids go from 0 to " + std::to_string(kLargestId);
  }
  if (read_number(field, ignored) == NumberStatus::good) {
    return name + " is not a vertex id: ids are decimal integers without sign, point or exponent";
  }
  return name + " is not a number: vertex ids are decimal integers, unless names are asked for (--ids string)";
}

std::string why_not_a_weight(std::string_view field, std::string_view what) {
  if (std::string hint = separator_hint(field); !hint.empty()) {
    const bool decimal_comma = field.find_first_not_of("+-0123456789,") == std::string_view::npos;
    return decimal_comma ? in_quotes(field) + " is not a number: the decimal separator is a point" : hint;
  }
  const std::string name = in_quotes(field);
  double ignored = 0;
  switch (read_number(field, ignored)) {
    case NumberStatus::not_finite: return name + " is not finite: no " + std::string(what) + " can be that";
    case NumberStatus::too_large: return name + " is too large: it does not fit into a double";
    default: return name + " is not a number: the " + std::string(what) + " must be one";
  }
}

} // namespace pregel
