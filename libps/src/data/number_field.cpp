#include "data/number_field.hpp"

#include <charconv>
#include <cmath>
#include <system_error>

#include <fmt/format.h>

namespace ps {
namespace {

/// Of a number that fits no double: is it too small rather than too large?
bool is_tiny(std::string_view text) {
  const std::size_t exponent = text.find_first_of("eE");
  if (exponent != std::string_view::npos) return text.substr(exponent + 1).starts_with('-');
  return text.substr(0, text.find('.')).find_first_of("123456789") == std::string_view::npos;
}

} // namespace

const char* read_any_real(const char* p, const char* end, double& value) noexcept {
  if (p != end && *p == '+') {
    ++p;
    if (p != end && *p == '-') return nullptr;
  }
  const std::from_chars_result result = std::from_chars(p, end, value);
  if (result.ec == std::errc::result_out_of_range && is_tiny({p, static_cast<std::size_t>(result.ptr - p)})) {
    value = 0;
    return result.ptr;
  }
  return result.ec == std::errc{} && std::isfinite(value) ? result.ptr : nullptr;
}

std::string why_not_a_number(std::string_view field) {
  if (field.empty()) return "is missing";
  double value = 0;
  const char* const begin = field.data() + (field.front() == '+' ? 1 : 0);
  const char* const end = field.data() + field.size();
  const std::from_chars_result result = std::from_chars(begin, end, value);
  if (result.ptr == end && result.ec == std::errc::result_out_of_range) return quoted(field) + " is too large";
  if (result.ptr == end && result.ec == std::errc{} && !std::isfinite(value)) return quoted(field) + " is not finite";
  return quoted(field) + " is not a number";
}

std::string quoted(std::string_view field) {
  constexpr std::size_t kLongest = 40;
  std::string text = "'";
  for (const char c : field.substr(0, kLongest)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f)
      text += fmt::format("\\x{:02x}", byte);
    else
      text += c;
  }
  return text + (field.size() > kLongest ? "…'" : "'");
}

} // namespace ps
