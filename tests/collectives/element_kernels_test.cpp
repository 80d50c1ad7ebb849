// Conversions of 16-bit types and the kernels of all operations, element by element against plain arithmetic.
#include <bit>
#include <cmath>
#include <limits>

#include "all_reduce_support.hpp"
#include "core/exact_sum.hpp"

namespace {

using namespace all_reduce_test;
using namespace collectives;

/// The half with these bits, from the definition of binary16.
double half_by_definition(std::uint16_t bits) {
  const int exponent = bits >> 10 & 31, mantissa = bits & 1023;
  double magnitude = exponent == 0 ? std::ldexp(mantissa, -24) : std::ldexp(1024 + mantissa, exponent - 25);
  if (exponent == 31) magnitude = mantissa == 0 ? HUGE_VAL : std::nan("");
  return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}

TEST(HalfType, AllBitPatternsConvertExactlyAndBack) {
  for (unsigned bits = 0; bits < 0x10000; ++bits) {
    const Half half = Half::from_bits(static_cast<std::uint16_t>(bits));
    const double wanted = half_by_definition(half.bits());
    const float got = static_cast<float>(half);
    if (std::isnan(wanted)) {
      ASSERT_TRUE(std::isnan(got)) << bits;
      ASSERT_TRUE(std::isnan(static_cast<float>(Half(got)))) << bits;
      continue;
    }
    ASSERT_EQ(got, wanted) << bits;
    ASSERT_EQ(std::signbit(got), std::signbit(wanted)) << bits;
    ASSERT_EQ(Half(got), half);
    ASSERT_EQ(Half(wanted), half);
  }
}

TEST(HalfType, RoundsToNearestTiesToEven) {
  // Between every two neighbours: just below the middle, the middle, just above, from float and from double.
  for (unsigned bits = 0; bits < 0x7c00; ++bits) {
    const double low = half_by_definition(static_cast<std::uint16_t>(bits));
    const double high = bits + 1 == 0x7c00 ? 65536.0 : half_by_definition(static_cast<std::uint16_t>(bits + 1));
    const double middle = (low + high) / 2;
    const unsigned even = bits % 2 == 0 ? bits : bits + 1;
    for (const double sign : {1.0, -1.0}) {
      const unsigned sign_bit = sign < 0 ? 0x8000U : 0U;
      const auto float_middle = static_cast<float>(middle); // exact
      ASSERT_EQ(Half(static_cast<float>(sign) * float_middle).bits(), even | sign_bit);
      ASSERT_EQ(Half(static_cast<float>(sign) * std::nextafterf(float_middle, 0)).bits(), bits | sign_bit);
      ASSERT_EQ(Half(static_cast<float>(sign) * std::nextafterf(float_middle, HUGE_VALF)).bits(),
                (bits + 1) | sign_bit);
      ASSERT_EQ(Half(sign * middle).bits(), even | sign_bit);
      ASSERT_EQ(Half(sign * std::nextafter(middle, 0)).bits(), bits | sign_bit); // a float would round to the middle
      ASSERT_EQ(Half(sign * std::nextafter(middle, HUGE_VAL)).bits(), (bits + 1) | sign_bit);
    }
  }
  EXPECT_EQ(Half(1e30F).bits(), 0x7c00);
  EXPECT_EQ(Half(-1e300).bits(), 0xfc00);
  EXPECT_EQ(Half(1e-30F).bits(), 0);
}

TEST(BFloat16Type, ConvertsAndRounds) {
  for (unsigned bits = 0; bits < 0x10000; ++bits) {
    const BFloat16 number = BFloat16::from_bits(static_cast<std::uint16_t>(bits));
    const float value = static_cast<float>(number);
    if (std::isnan(value)) {
      ASSERT_TRUE(std::isnan(static_cast<float>(BFloat16(value))));
      continue;
    }
    ASSERT_EQ(BFloat16(value), number);
    if (std::isinf(value) || (bits & 0x8000) != 0) continue;
    const float middle = std::bit_cast<float>(bits << 16 | 0x8000U);
    ASSERT_EQ(BFloat16(middle).bits(), bits % 2 == 0 ? bits : bits + 1);
    ASSERT_EQ(BFloat16(std::nextafterf(middle, 0)).bits(), bits);
    ASSERT_EQ(BFloat16(std::nextafterf(middle, HUGE_VALF)).bits(), bits + 1);
    ASSERT_EQ(BFloat16(std::nextafter(static_cast<double>(middle), HUGE_VAL)).bits(), bits + 1);
  }
  // A NaN whose payload is cut off stays a NaN.
  EXPECT_TRUE(std::isnan(static_cast<float>(BFloat16(std::bit_cast<float>(0x7f800001U)))));
}

template <class T>
class Kernels : public testing::Test {
 protected:
  /// All pairs of interesting values, and their place in vectors long enough for vector instructions.
  static std::vector<T> values() {
    if constexpr (std::integral<T>) {
      using Limits = std::numeric_limits<T>;
      return {T(0), T(1), T(2), T(3), T(100), T(Limits::max() - 1), Limits::max(), Limits::min(), T(Limits::min() + 1)};
    } else {
      std::vector<T> all;
      for (const float x : {0.0F, -0.0F, 1.0F, -1.0F, 3.0F, 1e-7F, -1e-5F, 60000.0F, HUGE_VALF, -HUGE_VALF, NAN, 0.1F})
        all.push_back(static_cast<T>(x));
      return all;
    }
  }
};
using Types = testing::Types<float, double, std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t,
                             std::uint16_t, std::uint32_t, std::uint64_t, Half, BFloat16>;
TYPED_TEST_SUITE(Kernels, Types);

/// One element, by the text of operation.hpp.
template <class T>
T by_definition(Operation operation, T a, T b) {
  if constexpr (std::integral<T>) {
    __extension__ using Wide = __int128;
    switch (operation) {
      case Operation::sum: return static_cast<T>(Wide{a} + Wide{b});
      case Operation::product: return static_cast<T>(Wide{a} * Wide{b});
      case Operation::min: return std::min(a, b);
      case Operation::max: return std::max(a, b);
      case Operation::bit_and: return static_cast<T>(a & b);
      default: return static_cast<T>(a | b);
    }
  } else {
    const auto x = static_cast<double>(a), y = static_cast<double>(b);
    const bool nan = std::isnan(x) || std::isnan(y);
    switch (operation) {
      case Operation::sum:
        if constexpr (std::same_as<T, double>) return a + b;
        return static_cast<T>(x + y); // exact in double, or rounded once more, which does not show: 53 > 2 * 24 + 1
      case Operation::product: return static_cast<T>(x * y);
      case Operation::min:
        if (nan) return static_cast<T>(NAN);
        return x < y || (x == y && std::signbit(x)) ? a : b;
      default:
        if (nan) return static_cast<T>(NAN);
        return x > y || (x == y && !std::signbit(x)) ? a : b;
    }
  }
}

TYPED_TEST(Kernels, AgreeWithTheirDefinition) {
  using T = TypeParam;
  const std::vector<T> values = this->values();
  std::vector<T> left, right;
  for (const T a : values) {
    for (const T b : values) {
      left.push_back(a);
      right.push_back(b);
    }
  }
  for (const Operation operation :
       {Operation::sum, Operation::product, Operation::min, Operation::max, Operation::bit_and, Operation::bit_or}) {
    if (!is_defined(operation, element_type_of<T>())) continue;
    const CombineFunction combine = combine_function(operation, element_type_of<T>());
    std::vector<T> apart(left.size()), into_left = left, into_right = right;
    combine(apart.data(), left.data(), right.data(), left.size());
    combine(into_left.data(), into_left.data(), right.data(), left.size());
    combine(into_right.data(), left.data(), into_right.data(), left.size());
    for (std::size_t i = 0; i < left.size(); ++i) {
      const T wanted = by_definition(operation, left[i], right[i]);
      const auto is_nan = [](T x) { return static_cast<double>(x) != static_cast<double>(x); };
      for (const T got : {apart[i], into_left[i], into_right[i]}) {
        if (is_nan(wanted)) {
          ASSERT_TRUE(is_nan(got)) << name_of(operation) << ' ' << i;
        } else {
          ASSERT_EQ(std::memcmp(&got, &wanted, sizeof(T)), 0)
              << name_of(operation) << " of " << static_cast<double>(left[i]) << " and "
              << static_cast<double>(right[i]) << " is " << static_cast<double>(got);
        }
      }
    }
  }
}

TYPED_TEST(Kernels, Divide) {
  using T = TypeParam;
  std::vector<T> values = this->values(), quotients(values.size());
  divide(element_type_of<T>(), quotients.data(), values.data(), values.size(), 3);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if constexpr (std::integral<T>) {
      EXPECT_EQ(quotients[i], static_cast<T>(values[i] / 3));
    } else if (!std::isnan(static_cast<double>(values[i]))) {
      EXPECT_EQ(quotients[i], static_cast<T>(static_cast<double>(values[i]) / 3)) << i;
    }
  }
}

/// Against the superaccumulator, which rounds to double: for narrower types the oracle is rounded by the rest's sign.
template <class T>
T exact_by_limbs(std::span<const std::vector<T>> addends, std::size_t i) {
  core::ExactSum sum;
  for (const auto& addend : addends) sum.add(static_cast<double>(addend[i]));
  const double nearest = sum.value();
  if constexpr (std::same_as<T, double>) return nearest;
  if (!std::isfinite(nearest)) return static_cast<T>(nearest);
  sum.add(-nearest);
  const double rest = sum.value();
  // A narrow type's rounding boundary is a double: beside it, any double further in the same direction will do.
  return static_cast<T>(rest == 0 ? nearest : std::nextafter(nearest, rest > 0 ? HUGE_VAL : -HUGE_VAL));
}

template <class T>
void check_exact_sums() {
  constexpr std::size_t kCount = 4000;
  for (const std::size_t terms : {1UL, 2UL, 3UL, 5UL, 16UL, 61UL}) {
    std::vector<std::vector<T>> addends;
    for (std::size_t a = 0; a < terms; ++a) addends.push_back(awkward_numbers<T>(kCount, a + 100 * terms));
    // Cancellation, overflow on the way, infinities and NaN, zeros.
    for (std::size_t i = 0; i < 400 && terms > 1; ++i) {
      addends[0][i] = static_cast<T>(i % 2 == 0 ? 30000.0 : 1.0);
      addends[terms - 1][i] = static_cast<T>(i % 2 == 0 ? -30000.0 : 0x1p-12);
    }
    addends[0][400] = static_cast<T>(HUGE_VAL);
    addends[0][401] = static_cast<T>(NAN);
    for (auto& addend : addends) addend[402] = static_cast<T>(-0.0F);
    if (terms > 2 && std::same_as<T, double>) {
      for (std::size_t i = 403; i < 500; ++i) {
        addends[0][i] = addends[1][i] = static_cast<T>(1.7e308);
        addends[2][i] = static_cast<T>(-1.7e308);
      }
    }
    std::vector<const void*> pointers;
    for (const auto& addend : addends) pointers.push_back(addend.data());
    std::vector<T> sums(kCount);
    exact_sum(element_type_of<T>(), sums.data(), pointers, kCount, 1);
    for (std::size_t i = 0; i < kCount; ++i) {
      const T wanted = exact_by_limbs<T>(addends, i);
      if (static_cast<double>(wanted) != static_cast<double>(wanted)) {
        ASSERT_NE(static_cast<double>(sums[i]), static_cast<double>(sums[i]));
      } else {
        ASSERT_EQ(std::memcmp(&sums[i], &wanted, sizeof(T)), 0) << terms << " terms, element " << i;
      }
    }
  }
}

TEST(ExactSums, OfDoubles) {
  check_exact_sums<double>();
}
TEST(ExactSums, OfFloats) {
  check_exact_sums<float>();
}
TEST(ExactSums, OfHalves) {
  check_exact_sums<Half>();
}
TEST(ExactSums, OfBFloats) {
  check_exact_sums<BFloat16>();
}

} // namespace
