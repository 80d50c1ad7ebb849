// How much a machine can hold, for refusing what cannot fit before time is spent on it.
#pragma once

#include <cstdint>
#include <limits>

namespace pregel {

/// IdIndex::finish() numbers that many.
inline constexpr std::uint64_t kMostVerticesOfRank = std::numeric_limits<std::uint32_t>::max() - 1;

/// Memory and swap of this machine in bytes; the largest number where the kernel does not tell. Local.
[[nodiscard]] std::uint64_t machine_bytes();

} // namespace pregel
