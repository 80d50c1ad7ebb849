// Random numbers that depend on what is asked, never on who asks: a counter-based generator. The n-th draw of stream
// (seed, a, b) is a mixing function of the four numbers, so that any rank and thread can produce any part of a
// sequence.
#pragma once

#include <cstdint>

namespace core {

/// Product of two 64-bit numbers.
__extension__ using Uint128 = unsigned __int128;

/// The finaliser of splitmix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014): a
/// bijection on 64-bit words in which every input bit changes every output bit with probability close to one half.
[[nodiscard]] constexpr std::uint64_t mix64(std::uint64_t x) noexcept {
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

/// A stream keyed by up to three numbers, for instance (seed, vertex id, superstep).
class CounterRandom {
 public:
  explicit constexpr CounterRandom(std::uint64_t seed, std::uint64_t a = 0, std::uint64_t b = 0) noexcept
      : key_(mix64(mix64(mix64(seed) ^ a) + 0x632be59bd9b4e019ULL * (b + 1))) {}

  /// Next 64 random bits.
  constexpr std::uint64_t next() noexcept { return mix64(key_ + 0xd1342543de82ef95ULL * counter_++); }
  /// Uniform in [0, 1), 53 bits.
  constexpr double uniform() noexcept { return static_cast<double>(next() >> 11) * 0x1.0p-53; }
  /// Uniform in [0, bound), bound > 0 (multiply-shift; the bias is below bound / 2^64).
  constexpr std::uint64_t below(std::uint64_t bound) noexcept {
    return static_cast<std::uint64_t>((static_cast<Uint128>(next()) * bound) >> 64);
  }

 private:
  std::uint64_t key_;
  std::uint64_t counter_ = 0;
};

} // namespace core
