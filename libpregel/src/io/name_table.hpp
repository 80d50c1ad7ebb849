// The distinct names that one thread has met, numbered in order of first sight.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/random.hpp"

namespace pregel {

/// An open-addressing table: an edge list repeats each name some dozens of times, and only its number is kept for each
/// edge. A slot holds names of up to seven bytes itself and the hash of longer ones, so that most look-ups miss the
/// cache once and not twice. Local.
class NameTable {
 public:
  /// The number of `name`, a new one if it is new.
  [[nodiscard]] std::uint64_t index_of(std::string_view name) {
    if ((names_.size() + 1) * 2 > slots_.size()) grow();
    const std::uint64_t key = key_of(name);
    std::size_t position = home_of(key);
    for (; slots_[position].index != kFree; position = (position + 1) & (slots_.size() - 1)) {
      const Slot& slot = slots_[position];
      if (slot.key == key && (is_whole(key) || names_[slot.index] == name)) return slot.index;
    }
    slots_[position] = {key, names_.size()};
    names_.emplace_back(name);
    return slots_[position].index;
  }

  [[nodiscard]] const std::vector<std::string>& names() const noexcept { return names_; }
  /// Empties the table.
  [[nodiscard]] std::vector<std::string> take_names() {
    slots_ = {};
    return std::exchange(names_, {});
  }

 private:
  static constexpr std::uint64_t kFree = ~std::uint64_t{0};
  static constexpr std::uint64_t kHashed = std::uint64_t{1} << 63;

  struct Slot {
    std::uint64_t key = 0;
    std::uint64_t index = kFree;
  };

  /// Up to seven bytes and their number, or a hash.
  [[nodiscard]] static std::uint64_t key_of(std::string_view name) noexcept {
    if (name.size() > 7) return std::hash<std::string_view>{}(name) | kHashed;
    std::uint64_t key = 0;
    for (const char c : name) key = key << 8 | static_cast<unsigned char>(c);
    return key | static_cast<std::uint64_t>(name.size()) << 56;
  }
  [[nodiscard]] static bool is_whole(std::uint64_t key) noexcept { return (key & kHashed) == 0; }
  [[nodiscard]] std::size_t home_of(std::uint64_t key) const noexcept { return core::mix64(key) & (slots_.size() - 1); }

  void grow() {
    const std::vector<Slot> old = std::exchange(slots_, std::vector<Slot>(slots_.empty() ? 64 : slots_.size() * 2));
    for (const Slot& slot : old) {
      if (slot.index == kFree) continue;
      std::size_t position = home_of(slot.key);
      while (slots_[position].index != kFree) position = (position + 1) & (slots_.size() - 1);
      slots_[position] = slot;
    }
  }

  std::vector<std::string> names_;
  std::vector<Slot> slots_; // a power of two, at most half full
};

} // namespace pregel
