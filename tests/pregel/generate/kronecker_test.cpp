// The two parts of the Kronecker generator that its graphs cannot show well: the scrambler is a bijection for every
// number of bits, and every level falls into the quadrants with the right probabilities.
#include "kronecker.hpp"

#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

namespace pregel {
namespace {

TEST(Scrambler, is_a_bijection_for_every_number_of_bits) {
  for (unsigned bits = 0; bits <= 16; ++bits) {
    for (const std::uint64_t seed : {0U, 1U, 77U}) {
      const Scrambler scramble(bits, seed);
      std::vector<bool> seen(std::size_t{1} << bits);
      for (std::uint64_t x = 0; x < seen.size(); ++x) {
        const std::uint64_t y = scramble(x);
        ASSERT_LT(y, seen.size());
        ASSERT_FALSE(seen[y]) << bits << " bits, seed " << seed;
        seen[y] = true;
      }
    }
  }
}

TEST(Scrambler, stays_within_forty_bits) {
  const Scrambler scramble(40, 3);
  for (std::uint64_t x = 0; x < 1000; ++x)
    EXPECT_LT(scramble((std::uint64_t{1} << 40) - 1 - x), std::uint64_t{1} << 40);
}

/// How often each level of `scale` falls into each quadrant, the scrambling undone.
std::vector<std::array<double, 4>> quadrant_counts(unsigned scale, double a, double b, double c, std::uint64_t edges) {
  const Scrambler scramble(scale, 5);
  std::vector<std::uint32_t> original(std::size_t{1} << scale);
  for (std::uint32_t x = 0; x < original.size(); ++x) original[scramble(x)] = x;
  const KroneckerSampler sampler(scale, a, b, c, 5);
  std::vector<std::array<double, 4>> counts(scale);
  for (std::uint64_t e = 0; e < edges; ++e) {
    const Edge edge = sampler(e);
    const std::uint32_t u = original[number(edge.source)], v = original[number(edge.target)];
    for (unsigned level = 0; level < scale; ++level) ++counts[level][(u >> level & 1) * 2 + (v >> level & 1)];
  }
  return counts;
}

TEST(KroneckerSampler, every_level_has_the_right_probabilities) {
  const double quadrant[] = {0.57, 0.2, 0.1, 0.13};
  const double edges = 1 << 18;
  for (const unsigned scale : {1U, 5U, 6U, 13U}) { // within one group of five levels, exactly one, and beyond
    for (const auto& level : quadrant_counts(scale, quadrant[0], quadrant[1], quadrant[2], 1 << 18)) {
      for (int q = 0; q < 4; ++q) {
        const double expected = quadrant[q] * edges;
        const double deviation = std::sqrt(edges * quadrant[q] * (1 - quadrant[q]));
        EXPECT_NEAR(level[static_cast<std::size_t>(q)], expected, 5 * deviation) << "scale " << scale;
      }
    }
  }
}

TEST(KroneckerSampler, certain_and_impossible_quadrants) {
  for (const auto& level : quadrant_counts(7, 0, 1, 0, 5000)) EXPECT_EQ(level[1], 5000);
  for (const auto& level : quadrant_counts(7, 1 - 1e-12, 0, 1e-12, 5000)) EXPECT_EQ(level[0], 5000);
  for (const auto& level : quadrant_counts(12, 0.5, 0, 0, 5000)) {
    EXPECT_EQ(level[1], 0);
    EXPECT_EQ(level[2], 0);
    EXPECT_NEAR(level[0], 2500, 200);
  }
}

} // namespace
} // namespace pregel
