// Vectors whose reduction is the same in every order, with an oracle that knows the result without adding vectors.
#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "collectives/all_reduce.hpp"
#include "core/communicator.hpp"

namespace all_reduce_test {

using collectives::Element;
using collectives::Operation;

inline const core::Communicator& world() {
  static const core::Communicator comm = core::Communicator::world();
  return comm;
}

inline std::vector<collectives::Algorithm> algorithms_with_automatic() {
  std::vector<collectives::Algorithm> all(collectives::all_algorithms().begin(), collectives::all_algorithms().end());
  all.push_back(collectives::Algorithm::automatic);
  return all;
}

inline collectives::AllReduceOptions with(collectives::Algorithm algorithm) {
  collectives::AllReduceOptions options;
  options.algorithm = algorithm;
  return options;
}

/// Exact in every element type: small whole numbers.
template <Element T>
T number(long x) {
  if constexpr (std::integral<T>)
    return static_cast<T>(x);
  else
    return static_cast<T>(static_cast<float>(x));
}

/// What rank r of m holds in place i. Sums stay below 64 and products are powers of two below 2^9 in magnitude, which
/// all floating-point types hold exactly; what is averaged is a multiple of m.
inline long addend(Operation operation, int rank, int ranks, std::size_t i) {
  const long place = static_cast<long>(i % 1009);
  const long mixed = (place * 7 + rank * 5 + place * rank) % 7;
  switch (operation) {
    case Operation::product: return (mixed % 3 == 0) ? 2 : (mixed % 3 == 1 ? 1 : -1);
    case Operation::average: return mixed % 2 * ranks;
    case Operation::min:
    case Operation::max: return mixed; // -3 would be large in an unsigned type
    case Operation::bit_and: return 0x7f & ~(1L << ((place + rank) % 7));
    case Operation::bit_or: return 1L << ((place * 3 + rank) % 7);
    default: return mixed - 3;
  }
}

/// The reduction in ordinary arithmetic on longs.
inline long reduced(Operation operation, int ranks, std::size_t i) {
  long result = addend(operation, 0, ranks, i);
  for (int rank = 1; rank < ranks; ++rank) {
    const long x = addend(operation, rank, ranks, i);
    switch (operation) {
      case Operation::product: result *= x; break;
      case Operation::min: result = std::min(result, x); break;
      case Operation::max: result = std::max(result, x); break;
      case Operation::bit_and: result &= x; break;
      case Operation::bit_or: result |= x; break;
      default: result += x;
    }
  }
  return operation == Operation::average ? result / ranks : result;
}

template <Element T>
std::vector<T> addends_of(Operation operation, int rank, int ranks, std::size_t count) {
  std::vector<T> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = number<T>(addend(operation, rank, ranks, i));
  return values;
}
template <Element T>
std::vector<T> reduction_of(Operation operation, int ranks, std::size_t count) {
  // The pattern repeats: long vectors are filled by copying.
  std::vector<T> values(count);
  for (std::size_t i = 0; i < count; ++i)
    values[i] = i < 1009 ? number<T>(reduced(operation, ranks, i)) : values[i - 1009];
  return values;
}

/// Compares bytes: -0, NaN and rounding count.
template <class T>
testing::AssertionResult same_bits(std::span<const T> got, std::span<const T> wanted) {
  if (got.size() != wanted.size()) return testing::AssertionFailure() << got.size() << " elements";
  if (got.empty() || std::memcmp(got.data(), wanted.data(), got.size_bytes()) == 0) return testing::AssertionSuccess();
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (std::memcmp(&got[i], &wanted[i], sizeof(T)) != 0)
      return testing::AssertionFailure() << "element " << i << " is " << static_cast<double>(got[i]) << ", not "
                                         << static_cast<double>(wanted[i]);
  }
  return testing::AssertionSuccess();
}
template <class T>
testing::AssertionResult same_bits(const std::vector<T>& got, const std::vector<T>& wanted) {
  return same_bits(std::span<const T>(got), std::span<const T>(wanted));
}

/// A reproducible stream of unlike numbers, of all magnitudes: their sum depends on the order.
template <Element T>
std::vector<T> awkward_numbers(std::size_t count, std::size_t seed) {
  std::vector<T> values(count);
  std::uint64_t state = 0x9e3779b97f4a7c15ULL * (seed + 1);
  for (T& value : values) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    const double mantissa =
        static_cast<double>(static_cast<std::int64_t>(state >> 11) - (std::int64_t{1} << 52)) * 0x1p-52;
    const int exponent = static_cast<int>(state >> 5 & 15) - 8;
    value = static_cast<T>(std::ldexp(mantissa, exponent));
  }
  return values;
}

} // namespace all_reduce_test
