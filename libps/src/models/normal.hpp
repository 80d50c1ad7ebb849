// Normally distributed numbers by the method of Box and Muller (1958): start values of networks and synthetic data.
#pragma once

#include <cmath>
#include <numbers>

#include "core/random.hpp"

namespace ps {

/// Mean 0, deviation 1. Takes two draws, so that the n-th number of a stream is easy to find.
[[nodiscard]] inline double standard_normal(core::CounterRandom& random) {
  const double radius = std::sqrt(-2 * std::log(1 - random.uniform())); // 1 - uniform() is never 0
  return radius * std::cos(2 * std::numbers::pi * random.uniform());
}

} // namespace ps
