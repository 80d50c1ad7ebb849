// Tables of the Kronecker sampler: exact integer probabilities, and Vose's division of them into columns.
#include "kronecker.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace pregel {
namespace {

/// Keeps the scrambler's constants apart from the edges' random numbers, which have the same seed.
constexpr std::uint64_t kScramblerStream = 0x7363726d626c6572ULL;

} // namespace

Scrambler::Scrambler(unsigned bits, std::uint64_t seed)
    : mask_(bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1), shift_(std::max(1U, (bits + 1) / 2)) {
  core::CounterRandom random(seed ^ kScramblerStream);
  for (Round& round : rounds_) {
    round.odd = random.next() | 1;
    round.add = random.next();
  }
}

KroneckerSampler::KroneckerSampler(unsigned scale, double a, double b, double c, std::uint64_t seed)
    : scramble_(scale, seed), scale_(scale), seed_(seed) {
  fill_columns(outcome_weights(a, b, c));
}

/// Probabilities of the outcomes in units of 2^-32 that add up to exactly 2^32: each product is rounded down, and the
/// units that are left go to the largest remainders (never to an impossible outcome, whose remainder is zero).
std::array<std::uint64_t, KroneckerSampler::kOutcomes> KroneckerSampler::outcome_weights(double a, double b, double c) {
  const double quadrant[4] = {a, b, c, std::max(0.0, 1.0 - a - b - c)};
  std::array<std::uint64_t, kOutcomes> weights{};
  std::array<double, kOutcomes> remainder{};
  std::uint64_t left = std::uint64_t{1} << 32;
  for (std::uint32_t outcome = 0; outcome < kOutcomes; ++outcome) {
    double probability = 1;
    for (unsigned level = 0; level < kLevels; ++level) {
      const unsigned source_bit = outcome >> (kLevels + level) & 1;
      const unsigned target_bit = outcome >> level & 1;
      probability *= quadrant[2 * source_bit + target_bit];
    }
    const double units = probability * 0x1p32;
    weights[outcome] = static_cast<std::uint64_t>(units);
    remainder[outcome] = units - std::floor(units);
    left -= weights[outcome];
  }
  std::vector<std::uint32_t> order(kOutcomes);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](auto x, auto y) { return remainder[x] > remainder[y]; });
  for (std::size_t i = 0; i < left && i < kOutcomes && remainder[order[i]] > 0; ++i) ++weights[order[i]];
  return weights;
}

/// Every column holds 2^kFractionBits units. A column whose own outcome has fewer is filled up by an outcome that has
/// more; that one then has fewer itself or goes on giving.
void KroneckerSampler::fill_columns(std::array<std::uint64_t, kOutcomes> weights) {
  constexpr std::uint32_t kFull = 1U << kFractionBits;
  std::vector<std::uint32_t> poor, rich;
  for (std::uint32_t outcome = 0; outcome < kOutcomes; ++outcome) {
    columns_[outcome] = {kFull, outcome};
    (weights[outcome] < kFull ? poor : rich).push_back(outcome);
  }
  while (!poor.empty() && !rich.empty()) {
    const std::uint32_t receiver = poor.back(), giver = rich.back();
    poor.pop_back();
    columns_[receiver] = {static_cast<std::uint32_t>(weights[receiver]), giver};
    weights[giver] -= kFull - weights[receiver];
    if (weights[giver] < kFull) {
      rich.pop_back();
      poor.push_back(giver);
    }
  }
}

} // namespace pregel
