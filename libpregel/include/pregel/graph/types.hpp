// Ids. Three kinds of number name a vertex, and the compiler keeps them apart:
//   GlobalId  what the user's file says (or, for string ids, the rank of the name in bytewise order)
//   LocalId   position among the vertices that this rank owns, 0 .. local_count-1
//   Slot      position in this rank's message array: the local vertices first (Slot == LocalId), then one mirror for
//             each remote vertex that a local vertex has an arc from
#pragma once

#include <cstdint>

namespace pregel {

enum class GlobalId : std::uint64_t {};
enum class LocalId : std::uint32_t {};
enum class Slot : std::uint32_t {};
enum class Rank : std::int32_t {};

/// "None": no vertex has this id.
inline constexpr GlobalId kNoVertex{~std::uint64_t{0}};

[[nodiscard]] constexpr std::uint64_t number(GlobalId id) noexcept {
  return static_cast<std::uint64_t>(id);
}
/// As an index into an array.
[[nodiscard]] constexpr std::uint32_t index(LocalId id) noexcept {
  return static_cast<std::uint32_t>(id);
}
[[nodiscard]] constexpr std::uint32_t index(Slot slot) noexcept {
  return static_cast<std::uint32_t>(slot);
}
[[nodiscard]] constexpr int number(Rank rank) noexcept {
  return static_cast<int>(rank);
}
/// The slot of a vertex that this rank owns.
[[nodiscard]] constexpr Slot slot_of(LocalId id) noexcept {
  return Slot{index(id)};
}

/// An edge as read or generated: from `source` to `target`.
struct Edge {
  GlobalId source{};
  GlobalId target{};
  friend bool operator==(const Edge&, const Edge&) = default;
};

} // namespace pregel
