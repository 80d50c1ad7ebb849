// Numbers for tests of models.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/random.hpp"

namespace ps {

/// Uniform in [-1, 1).
template <class T>
std::vector<T> random_numbers(std::size_t count, std::uint64_t seed) {
  core::CounterRandom random(seed, 77);
  std::vector<T> numbers(count);
  for (T& x : numbers) x = static_cast<T>(2 * random.uniform() - 1);
  return numbers;
}

} // namespace ps
