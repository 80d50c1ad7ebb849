// What can be reduced: twelve element types, two of which C++20 does not have.
//
// Half (IEEE 754 binary16: 5 bits of exponent, 10 of mantissa) and BFloat16 (the upper half of a float: 8 and 7) are
// storage types. Arithmetic converts to float, computes, and rounds back to nearest, ties to even; for one addition,
// multiplication or division that gives the same bits as arithmetic in the type itself, because a float has more than
// twice the bits. The conversions are straight-line integer code that a compiler turns into vector instructions, so
// that portable builds are fast too, and give the bits of a processor's own conversion.
#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <type_traits>

namespace collectives {

namespace detail {

/// The float that lies on x, or else the one of the two neighbours whose last bit is one. Rounded once more, to a type
/// with at least two bits less, the result is that of rounding x directly (Boldo and Melquiond, "Emulation of a FMA
/// and correctly rounded sums: proved algorithms using rounding to odd", 2008).
[[nodiscard]] constexpr float round_to_odd(double x) noexcept {
  const auto nearest = static_cast<float>(x);
  const auto back = static_cast<double>(nearest);
  if (back == x || x != x) return nearest;
  auto bits = std::bit_cast<std::uint32_t>(nearest);
  const bool away_from_zero = x < 0 ? back < x : back > x;
  if (away_from_zero) --bits;
  return std::bit_cast<float>(bits | 1U);
}

} // namespace detail

/// IEEE 754 binary16.
class Half {
 public:
  constexpr Half() = default;
  explicit constexpr Half(float x) noexcept : bits_(round(x)) {}
  /// Rounded once, not through float.
  explicit constexpr Half(double x) noexcept : bits_(round(detail::round_to_odd(x))) {}
  [[nodiscard]] static constexpr Half from_bits(std::uint16_t bits) noexcept {
    Half half;
    half.bits_ = bits;
    return half;
  }
  [[nodiscard]] constexpr std::uint16_t bits() const noexcept { return bits_; }

  /// Exact.
  explicit constexpr operator float() const noexcept {
    const std::uint32_t sign = static_cast<std::uint32_t>(bits_ & 0x8000U) << 16;
    const std::uint32_t magnitude = bits_ & 0x7fffU;
    // As the bits of a float, exponent and mantissa are 2^112 too small; subnormals become subnormals.
    const auto scaled = std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude << 13) * 0x1p112F);
    const std::uint32_t special = (magnitude << 13) | 0x7f800000U; // infinity or NaN
    return std::bit_cast<float>(sign | (magnitude >= 0x7c00U ? special : scaled));
  }
  explicit constexpr operator double() const noexcept { return static_cast<float>(*this); }

  /// Equal bits, unlike floating-point equality: -0 differs from 0, a NaN equals itself.
  friend constexpr bool operator==(Half, Half) noexcept = default;

 private:
  static constexpr std::uint16_t round(float x) noexcept {
    const auto bits = std::bit_cast<std::uint32_t>(x);
    const std::uint32_t sign = (bits >> 16) & 0x8000U;
    const std::uint32_t magnitude = bits & 0x7fffffffU;
    // Half an ulp less one, plus one where the last bit that stays is odd; a carry may reach infinity, as it should.
    const std::uint32_t normal = (magnitude + 0xfffU + ((magnitude >> 13) & 1U) - 0x38000000U) >> 13;
    // An ulp of 0.5 is the smallest subnormal half: the addition rounds.
    const std::uint32_t subnormal =
        std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) + 0.5F) - std::bit_cast<std::uint32_t>(0.5F);
    const std::uint32_t nan = 0x7e00U | ((magnitude >> 13) & 0x1ffU);
    const std::uint32_t finite = magnitude < 0x38800000U ? subnormal : normal;
    const std::uint32_t number = magnitude >= 0x47800000U ? 0x7c00U : finite;
    return static_cast<std::uint16_t>(sign | (magnitude > 0x7f800000U ? nan : number));
  }

  std::uint16_t bits_ = 0;
};

/// The upper 16 bits of a float.
class BFloat16 {
 public:
  constexpr BFloat16() = default;
  explicit constexpr BFloat16(float x) noexcept : bits_(round(x)) {}
  /// Rounded once, not through float.
  explicit constexpr BFloat16(double x) noexcept : bits_(round(detail::round_to_odd(x))) {}
  [[nodiscard]] static constexpr BFloat16 from_bits(std::uint16_t bits) noexcept {
    BFloat16 number;
    number.bits_ = bits;
    return number;
  }
  [[nodiscard]] constexpr std::uint16_t bits() const noexcept { return bits_; }

  /// Exact.
  explicit constexpr operator float() const noexcept {
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits_) << 16);
  }
  explicit constexpr operator double() const noexcept { return static_cast<float>(*this); }

  /// Equal bits, as for Half.
  friend constexpr bool operator==(BFloat16, BFloat16) noexcept = default;

 private:
  static constexpr std::uint16_t round(float x) noexcept {
    const auto bits = std::bit_cast<std::uint32_t>(x);
    const std::uint32_t rounded = (bits + 0x7fffU + ((bits >> 16) & 1U)) >> 16;
    const std::uint32_t nan = (bits >> 16) | 0x40U; // quiet, whatever part of the payload is cut off
    return static_cast<std::uint16_t>((bits & 0x7fffffffU) > 0x7f800000U ? nan : rounded);
  }

  std::uint16_t bits_ = 0;
};

/// The type of a vector's elements at run time. `opaque`: any trivially copyable type, for operations of the user.
enum class ElementType : std::uint8_t { f32, f64, i8, i16, i32, i64, u8, u16, u32, u64, f16, bf16, opaque };

template <class T>
concept Element = std::same_as<T, float> || std::same_as<T, double> || std::same_as<T, Half> ||
    std::same_as<T, BFloat16> ||(std::integral<T> && !std::same_as<T, bool> && sizeof(T) <= 8);

template <Element T>
[[nodiscard]] constexpr ElementType element_type_of() noexcept {
  if constexpr (std::same_as<T, float>) return ElementType::f32;
  if constexpr (std::same_as<T, double>) return ElementType::f64;
  if constexpr (std::same_as<T, Half>) return ElementType::f16;
  if constexpr (std::same_as<T, BFloat16>) return ElementType::bf16;
  if constexpr (std::integral<T>) {
    constexpr auto kFirst = static_cast<int>(std::is_signed_v<T> ? ElementType::i8 : ElementType::u8);
    return static_cast<ElementType>(kFirst + std::countr_zero(sizeof(T)));
  }
}

/// Bytes of one element; 0 for opaque.
[[nodiscard]] constexpr std::size_t element_bytes(ElementType type) noexcept {
  constexpr std::size_t kBytes[] = {4, 8, 1, 2, 4, 8, 1, 2, 4, 8, 2, 2, 0};
  return kBytes[static_cast<std::size_t>(type)];
}
[[nodiscard]] constexpr bool is_floating(ElementType type) noexcept {
  return type == ElementType::f32 || type == ElementType::f64 || type == ElementType::f16 || type == ElementType::bf16;
}

/// "f32" and so on.
[[nodiscard]] std::string_view name_of(ElementType type) noexcept;
/// The type of that name; throws core::InputError that lists the names. `opaque` has none.
[[nodiscard]] ElementType element_type_named(std::string_view name);

/// Calls `f.template operator()<T>()` for the C++ type of `type`, which must not be opaque.
template <class F>
decltype(auto) with_element_type(ElementType type, F&& f) {
  switch (type) {
    case ElementType::f64: return f.template operator()<double>();
    case ElementType::i8: return f.template operator()<std::int8_t>();
    case ElementType::i16: return f.template operator()<std::int16_t>();
    case ElementType::i32: return f.template operator()<std::int32_t>();
    case ElementType::i64: return f.template operator()<std::int64_t>();
    case ElementType::u8: return f.template operator()<std::uint8_t>();
    case ElementType::u16: return f.template operator()<std::uint16_t>();
    case ElementType::u32: return f.template operator()<std::uint32_t>();
    case ElementType::u64: return f.template operator()<std::uint64_t>();
    case ElementType::f16: return f.template operator()<Half>();
    case ElementType::bf16: return f.template operator()<BFloat16>();
    case ElementType::f32:
    case ElementType::opaque: break;
  }
  return f.template operator()<float>();
}

} // namespace collectives
