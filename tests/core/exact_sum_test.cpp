// The superaccumulator against two oracles: a ripple-carry adder that works bit by bit, and 128-bit integers.
#include "core/exact_sum.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "core/collectives.hpp"

namespace core {
namespace {

using Limits = std::numeric_limits<double>;
constexpr double kInfinity = Limits::infinity();

/// A two's complement number of 2400 bits, one a byte; bit 0 stands for 2^-1074. Slow and obvious.
class BitSum {
 public:
  void add(double x) {
    int exponent = 0;
    const double fraction = std::frexp(std::abs(x), &exponent); // x = fraction * 2^exponent, fraction in [1/2, 1)
    auto mantissa = static_cast<std::uint64_t>(std::ldexp(fraction, 53));
    int position = exponent - 53 + 1074;
    for (; position < 0; ++position) mantissa >>= 1; // subnormals: the bits shifted out are zero
    std::vector<int> addend(kBits, 0);
    for (int bit = 0; bit < 53; ++bit) addend[static_cast<std::size_t>(position + bit)] = mantissa >> bit & 1;
    if (x < 0) negate(addend);
    int carry = 0;
    for (std::size_t bit = 0; bit < kBits; ++bit) {
      const int sum = bits_[bit] + addend[bit] + carry;
      bits_[bit] = sum & 1;
      carry = sum >> 1;
    }
  }

  [[nodiscard]] double value() const {
    std::vector<int> bits = bits_;
    const bool negative = bits.back() == 1;
    if (negative) negate(bits);
    int top = static_cast<int>(kBits) - 1;
    while (top >= 0 && bits[static_cast<std::size_t>(top)] == 0) --top;
    const int lowest = std::max(0, top - 52);
    double mantissa = 0;
    for (int bit = top; bit >= lowest; --bit) mantissa = 2 * mantissa + bits[static_cast<std::size_t>(bit)];
    if (lowest > 0 && bits[static_cast<std::size_t>(lowest) - 1] == 1) {
      const bool more = std::any_of(bits.begin(), bits.begin() + lowest - 1, [](int bit) { return bit == 1; });
      if (more || bits[static_cast<std::size_t>(lowest)] == 1) mantissa += 1;
    }
    const double magnitude = std::ldexp(mantissa, lowest - 1074);
    return negative ? -magnitude : magnitude;
  }

 private:
  static constexpr std::size_t kBits = 2400;
  static void negate(std::vector<int>& bits) {
    int carry = 1;
    for (int& bit : bits) {
      const int sum = 1 - bit + carry;
      bit = sum & 1;
      carry = sum >> 1;
    }
  }
  std::vector<int> bits_ = std::vector<int>(kBits, 0);
};

double sum_of(const std::vector<double>& values) {
  ExactSum sum;
  for (const double value : values) sum.add(value);
  return sum.value();
}

void expect_same_bits(double actual, double expected) {
  EXPECT_EQ(std::bit_cast<std::uint64_t>(actual), std::bit_cast<std::uint64_t>(expected))
      << actual << " instead of " << expected;
}

/// Any finite double, all exponents alike.
double any_double(std::mt19937_64& random) {
  while (true) {
    const auto x = std::bit_cast<double>(random());
    if (std::isfinite(x)) return x;
  }
}

TEST(ExactSum, NothingIsPlusZero) {
  expect_same_bits(sum_of({}), 0.0);
  expect_same_bits(sum_of({-0.0}), 0.0);
  expect_same_bits(sum_of({1.5, -1.5}), 0.0);
}

TEST(ExactSum, OneValueIsItself) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 100'000; ++i) {
    const double x = any_double(random);
    if (x != 0) expect_same_bits(sum_of({x}), x);
  }
  for (const double x : {Limits::denorm_min(), Limits::min(), Limits::max(), std::nextafter(Limits::min(), 0.0), 1.0}) {
    expect_same_bits(sum_of({x}), x);
    expect_same_bits(sum_of({-x}), -x);
  }
}

TEST(ExactSum, TwoValuesRoundAsTheProcessorDoes) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 100'000; ++i) {
    const double x = any_double(random);
    // Near enough to interact: the same exponent give or take 60.
    const double y = std::ldexp(any_double(random) > 0 ? x : -x, static_cast<int>(random() % 121) - 60) * 1.37;
    if (std::isfinite(y) && x + y != 0) expect_same_bits(sum_of({x, y}), x + y);
  }
}

TEST(ExactSum, AgreesWithTheBitwiseAdder) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 60; ++round) {
    std::vector<double> values;
    BitSum oracle;
    const int spread = round % 3 == 0 ? 2046 : round % 3 == 1 ? 60 : 4;
    const auto base = static_cast<int>(random() % static_cast<std::uint64_t>(2047 - spread));
    for (int i = 0; i < 30; ++i) {
      const std::uint64_t exponent = static_cast<std::uint64_t>(base) + random() % static_cast<std::uint64_t>(spread);
      const auto x = std::bit_cast<double>((random() & ~(std::uint64_t{0x7ff} << 52)) | exponent << 52);
      for (std::uint64_t repeats = 1 + random() % 3; repeats > 0; --repeats) {
        values.push_back(x);
        oracle.add(x);
      }
      if (i % 5 == 4) { // cancel most of it
        values.push_back(-sum_of(values));
        oracle.add(values.back());
      }
    }
    const double expected = oracle.value();
    expect_same_bits(sum_of(values), expected);
    std::shuffle(values.begin(), values.end(), random);
    expect_same_bits(sum_of(values), expected);
    std::sort(values.begin(), values.end());
    expect_same_bits(sum_of(values), expected);
  }
}

TEST(ExactSum, AgreesWithWideIntegers) {
  std::mt19937_64 random(4);
  for (int round = 0; round < 200; ++round) {
    ExactSum sum;
    __extension__ __int128 expected = 0;
    for (int i = 0; i < 1000; ++i) {
      const auto mantissa = static_cast<std::int64_t>(random()) >> 11; // fits a double
      const int shift = static_cast<int>(random() % 50);
      expected += static_cast<decltype(expected)>(mantissa) << shift;
      sum.add(std::ldexp(static_cast<double>(mantissa), shift));
    }
    expect_same_bits(sum.value(), static_cast<double>(expected));
  }
}

TEST(ExactSum, TiesGoToEven) {
  const double half = 0x1p-53;
  expect_same_bits(sum_of({1.0, half}), 1.0);
  expect_same_bits(sum_of({1.0 + 0x1p-52, half}), 1.0 + 0x1p-51);
  expect_same_bits(sum_of({1.0, half, Limits::denorm_min()}), 1.0 + 0x1p-52); // just above the tie
  expect_same_bits(sum_of({1.0, half, -Limits::denorm_min()}), 1.0);          // just below the tie
  expect_same_bits(sum_of({-1.0, -half}), -1.0);
  expect_same_bits(sum_of({2.0 - 0x1p-52, half}), 2.0); // rounding carries into the exponent
}

TEST(ExactSum, OverflowsOnlyInTheEnd) {
  const double max = Limits::max(), half_step = 0x1p970; // half the last place of max
  expect_same_bits(sum_of({max, max, -max}), max);
  expect_same_bits(sum_of({max, max}), kInfinity);
  expect_same_bits(sum_of({-max, -max}), -kInfinity);
  expect_same_bits(sum_of({max, half_step}), kInfinity); // the tie rounds away from the odd mantissa
  expect_same_bits(sum_of({max, std::nextafter(half_step, 0.0)}), max);
  ExactSum sum;
  for (int i = 0; i < 1'000'000; ++i) sum.add(max);
  for (int i = 0; i < 999'999; ++i) sum.add(-max);
  expect_same_bits(sum.value(), max);
}

TEST(ExactSum, SpecialValues) {
  expect_same_bits(sum_of({1.0, kInfinity}), kInfinity);
  expect_same_bits(sum_of({-kInfinity, Limits::max(), -kInfinity}), -kInfinity);
  EXPECT_TRUE(std::isnan(sum_of({kInfinity, -kInfinity})));
  EXPECT_TRUE(std::isnan(sum_of({1.0, Limits::quiet_NaN(), kInfinity})));
  EXPECT_TRUE(std::isnan(sum_of({-Limits::signaling_NaN()})));
}

TEST(ExactSum, RepeatedValuesAreMultiplied) {
  for (const double x : {0.1, -0.1, 1e300, Limits::denorm_min(), Limits::max()}) {
    for (const int times : {1, 2, 3, 7, 1000}) {
      ExactSum sum;
      BitSum oracle;
      for (int i = 0; i < times; ++i) {
        sum.add(x);
        oracle.add(x);
      }
      expect_same_bits(sum.value(), oracle.value());
      expect_same_bits(sum.value(), oracle.value()); // reading changes nothing
    }
  }
}

TEST(ExactSum, MergeAndClear) {
  std::mt19937_64 random(5);
  std::vector<double> values;
  for (int i = 0; i < 1000; ++i) values.push_back(std::ldexp(any_double(random) > 0 ? 1.0 : -1.0, i % 90) / 3);
  std::array<ExactSum, 7> parts;
  for (std::size_t i = 0; i < values.size(); ++i) parts[i * i % 7].add(values[i]);
  ExactSum all;
  for (const ExactSum& part : parts) all.merge(part);
  expect_same_bits(all.value(), sum_of(values));
  all.merge(all);
  expect_same_bits(all.value(), 2 * sum_of(values));
  all.clear();
  expect_same_bits(all.value(), 0.0);
}

TEST(ExactSum, RanksAddWordsAsIntegers) {
  const Communicator world = Communicator::world();
  std::mt19937_64 random(6); // the same values on all ranks, dealt out
  std::vector<double> values;
  for (int i = 0; i < 3000; ++i) values.push_back(any_double(random) / 4096);
  values.push_back(Limits::denorm_min());
  ExactSum mine;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (i % static_cast<std::size_t>(world.size()) == static_cast<std::size_t>(world.rank())) mine.add(values[i]);
  std::array<std::int64_t, ExactSum::kWords> words{};
  mine.store(words);
  all_reduce(world, std::span<std::int64_t>(words), Reduce::sum);
  ExactSum total;
  total.add(17); // load replaces what was there
  total.load(words);
  expect_same_bits(total.value(), sum_of(values));
  total.add(1e308);
  values.push_back(1e308);
  expect_same_bits(total.value(), sum_of(values));
}

} // namespace
} // namespace core
