// What layers of graph neural networks share, the kernel `gcn` and programs that train one: blocks of a feature row as
// messages, samples of neighbours, and start values drawn from a seed.
//
// A row may have any number of columns, but a message must be trivially copyable to travel fast. So a row is sent in
// blocks of a fixed number of columns, one block a superstep. With eight doubles a block is one cache line, the unit
// that a fold over neighbours reads from memory anyway, and the messages that a superstep reads over and over are the
// smaller, the narrower the block (tiling of the feature dimension: Hu et al., "FeatGraph", SC 2020).
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/random.hpp"
#include "pregel/graph/types.hpp"

namespace pregel {

/// Some columns of a row. Those beyond the row's end are 0.
template <std::size_t kColumns>
struct FeatureBlock {
  std::array<double, kColumns> columns{};

  FeatureBlock& operator+=(const FeatureBlock& other) noexcept {
    for (std::size_t c = 0; c < kColumns; ++c) columns[c] += other.columns[c];
    return *this;
  }
  friend FeatureBlock operator+(FeatureBlock a, const FeatureBlock& b) noexcept { return a += b; }
};

/// `positions` becomes a uniform sample of min(k, count) different numbers below `count`, ascending: so many draws and
/// no more (Bentley, Floyd, "Programming pearls: a sample of brilliance", CACM 30, 1987). Local.
inline void sample_positions(core::CounterRandom random, std::uint64_t count, std::uint64_t k,
                             std::vector<std::uint64_t>& positions) {
  positions.clear();
  if (count <= k) {
    for (std::uint64_t i = 0; i < count; ++i) positions.push_back(i);
    return;
  }
  for (std::uint64_t last = count - k; last < count; ++last) {
    const std::uint64_t drawn = random.below(last + 1);
    const auto place = std::ranges::lower_bound(positions, drawn);
    if (place != positions.end() && *place == drawn)
      positions.push_back(last); // larger than all before
    else
      positions.insert(place, drawn);
  }
}

/// Row `id` of features for a graph that has none: uniform in [-1, 1), a function of seed, id and column. Local.
[[nodiscard]] inline std::vector<double> drawn_features(std::uint64_t seed, GlobalId id, std::size_t columns) {
  constexpr std::uint64_t kFeatures = 0x66656174;
  core::CounterRandom random(core::mix64(seed) ^ kFeatures, number(id));
  std::vector<double> row(columns);
  for (double& x : row) x = 2 * random.uniform() - 1;
  return row;
}

/// Start weights `which` of a layer, rows x columns, row by row: uniform with variance 2 / (rows + columns) (Glorot,
/// Bengio, "Understanding the difficulty of training deep feedforward neural networks", AISTATS 2010). Local.
[[nodiscard]] inline std::vector<double> drawn_weights(std::uint64_t seed, std::uint64_t which, std::size_t rows,
                                                       std::size_t columns) {
  constexpr std::uint64_t kWeights = 0x77656967;
  core::CounterRandom random(core::mix64(seed) ^ kWeights, which);
  const double limit = std::sqrt(6.0 / static_cast<double>(rows + columns));
  std::vector<double> weights(rows * columns);
  for (double& w : weights) w = limit * (2 * random.uniform() - 1);
  return weights;
}

} // namespace pregel
