// Random orders of vertices that everybody can compute: what symmetry breaking needs.
#pragma once

#include "core/random.hpp"
#include "pregel/graph/types.hpp"

namespace pregel {

/// The priority of a vertex, a function of seed and id alone. Two vertices never have the same: every step of the
/// generator is a bijection of the id.
[[nodiscard]] constexpr std::uint64_t priority_of(std::uint64_t seed, GlobalId id) noexcept {
  return core::CounterRandom(seed, number(id)).next();
}

} // namespace pregel
