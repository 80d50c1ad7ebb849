// Exact sums of few addends per element. core::ExactSum does it for any addends, but clearing and rounding its 68 limbs
// costs a few hundred nanoseconds an element. Nearly always two doubles hold the sum exactly: error-free
// transformations (Ogita, Rump, Oishi, "Accurate sum and dot product", 2005, section 3) tell when, and only the rest
// takes the long way.
//
// The result is rounded once, to the element's type: the last addition is rounded to odd, which a narrower type then
// rounds as if it saw the exact sum.
#include "core/exact_sum.hpp"

#include <bit>
#include <cmath>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "collectives/operation.hpp"

namespace collectives {
namespace {

struct Pair {
  double sum;
  double error;
};

/// sum + error is a + b, exactly, when nothing overflows (Knuth).
Pair two_sum(double a, double b) noexcept {
  const double sum = a + b;
  const double shifted = sum - a;
  return {sum, (a - (sum - shifted)) + (b - shifted)};
}

/// `nearest` moved to the neighbour with an odd last bit when the exact value lies beside it, on the side that the sign
/// of `rest` tells.
double to_odd(double nearest, double rest) noexcept {
  const auto bits = std::bit_cast<std::int64_t>(nearest);
  if (rest == 0 || (bits & 1) != 0 || !std::isfinite(nearest)) return nearest;
  if (nearest == 0) return rest; // cannot be: a rest beside zero would be the nearest double itself
  const bool outwards = (rest > 0) == (nearest > 0);
  return std::bit_cast<double>(outwards ? bits + 1 : bits - 1);
}

/// An exact sum as a double rounded to nearest, and what is left.
Pair sum_with_limbs(std::span<const double> addends) {
  core::ExactSum sum;
  for (const double addend : addends) sum.add(addend);
  const double nearest = sum.value();
  if (!std::isfinite(nearest)) return {nearest, 0};
  sum.add(-nearest);
  return {nearest, sum.value()};
}

template <class T>
T rounded(Pair exact, std::size_t divisor) noexcept {
  if (divisor != 1) return static_cast<T>(exact.sum / static_cast<double>(divisor));
  if constexpr (std::is_same_v<T, double>)
    return exact.sum;
  else
    return static_cast<T>(to_odd(exact.sum, exact.error));
}

template <class T>
class ExactFold {
 public:
  explicit ExactFold(std::span<const void* const> addends) : addends_(addends), values_(addends.size()) {}

  T operator()(std::size_t i, std::size_t divisor) {
    double sum = 0, error = 0, lost = 0;
    for (const void* const addend : addends_) {
      const auto x = static_cast<double>(static_cast<const T*>(addend)[i]);
      const Pair first = two_sum(sum, x);
      const Pair second = two_sum(error, first.error);
      sum = first.sum;
      error = second.sum;
      lost = second.error != 0 ? second.error : lost; // also a NaN: infinities are for the limbs
    }
    if (lost != 0 || !std::isfinite(sum)) return rounded<T>(with_limbs(i), divisor);
    return rounded<T>(two_sum(sum, error), divisor);
  }

 private:
  Pair with_limbs(std::size_t i) {
    for (std::size_t a = 0; a < addends_.size(); ++a)
      values_[a] = static_cast<double>(static_cast<const T*>(addends_[a])[i]);
    return sum_with_limbs(values_);
  }

  std::span<const void* const> addends_;
  std::vector<double> values_;
};

} // namespace

void exact_sum(ElementType type, void* into, std::span<const void* const> addends, std::size_t count,
               std::size_t divisor) {
  with_element_type(type, [&]<class T>() {
    if constexpr (!std::integral<T>) {
      ExactFold<T> fold(addends);
      for (std::size_t i = 0; i < count; ++i) static_cast<T*>(into)[i] = fold(i, divisor);
    }
  });
}

} // namespace collectives
