// The edges of a Kronecker (R-MAT) graph, as in Graph500: to draw one edge of a graph with 2^s vertices the adjacency
// matrix is cut into quadrants s times, and each time the edge falls into one of them with probability a, b, c or
// d = 1-a-b-c; the choices are the bits of the two endpoints, the most significant first. A vertex whose number has
// few one bits gets many edges, so the numbers are scrambled at the end by a bijection.
//
// Speed: five cuts are drawn at once. Their 4^5 = 1024 outcomes sit in an alias table (Walker 1977; Vose, "A linear
// algorithm for generating random numbers with a given distribution", 1991) that needs 32 random bits: 10 choose a
// column, 22 choose between the column's two outcomes. The probabilities are multiples of 2^-32 that add up to exactly
// one and differ from the products of a, b, c and d by less than 2^-32. One 64-bit number thus feeds ten levels.
#pragma once

#include <array>
#include <cstdint>

#include "core/random.hpp"
#include "pregel/graph/types.hpp"

namespace pregel {

/// A bijection on the numbers below 2^bits, chosen by the seed.
class Scrambler {
 public:
  Scrambler(unsigned bits, std::uint64_t seed);

  /// Multiplying by an odd number, adding a constant and xor-ing with the number shifted right can each be undone
  /// modulo 2^bits. The shift brings the well mixed high bits down, the product carries them up again.
  [[nodiscard]] std::uint64_t operator()(std::uint64_t x) const noexcept {
    for (const Round& round : rounds_) {
      x = (x * round.odd + round.add) & mask_;
      x ^= x >> shift_;
    }
    return x;
  }

 private:
  struct Round {
    std::uint64_t odd, add;
  };
  std::array<Round, 3> rounds_;
  std::uint64_t mask_;
  unsigned shift_;
};

class KroneckerSampler {
 public:
  /// `scale` at most 60; a, b, c >= 0, a + b + c <= 1.
  KroneckerSampler(unsigned scale, double a, double b, double c, std::uint64_t seed);

  /// Edge number `number`, ids scrambled. The same for whoever asks.
  [[nodiscard]] Edge operator()(std::uint64_t number) const noexcept {
    core::CounterRandom random(seed_, number);
    std::uint64_t source = 0, target = 0;
    unsigned levels = 0;
    while (levels < scale_) {
      std::uint64_t bits = random.next();
      for (int half = 0; half < 2 && levels < scale_; ++half, bits <<= 32, levels += kLevels) {
        const std::uint32_t outcome = draw(static_cast<std::uint32_t>(bits >> 32));
        source = source << kLevels | outcome >> kLevels;
        target = target << kLevels | (outcome & (kColumns - 1));
      }
    }
    // The last five cuts may be more than are needed: the surplus is dropped.
    return {GlobalId{scramble_(source >> (levels - scale_))}, GlobalId{scramble_(target >> (levels - scale_))}};
  }

 private:
  static constexpr unsigned kLevels = 5;
  static constexpr unsigned kColumns = 1U << kLevels;
  static constexpr unsigned kOutcomes = kColumns * kColumns; ///< outcome = source bits, then target bits
  static constexpr unsigned kFractionBits = 32 - 2 * kLevels;

  struct Column {
    std::uint32_t threshold; ///< of 2^kFractionBits: below it the column's own outcome, else `alias`
    std::uint32_t alias;
  };

  [[nodiscard]] std::uint32_t draw(std::uint32_t bits) const noexcept {
    const std::uint32_t own = bits >> kFractionBits;
    const Column column = columns_[own];
    return (bits & ((1U << kFractionBits) - 1)) < column.threshold ? own : column.alias;
  }

  static std::array<std::uint64_t, kOutcomes> outcome_weights(double a, double b, double c);
  void fill_columns(std::array<std::uint64_t, kOutcomes> weights);

  std::array<Column, kOutcomes> columns_;
  Scrambler scramble_;
  unsigned scale_;
  std::uint64_t seed_;
};

} // namespace pregel
