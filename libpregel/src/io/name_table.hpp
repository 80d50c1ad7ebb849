// The distinct names that one thread has met, numbered in order of first sight.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pregel {

/// An open-addressing table of indices into a vector of names: an edge list repeats each name some dozens of times, and
/// only its number is kept for each edge. Local.
class NameTable {
 public:
  /// The number of `name`, a new one if it is new.
  [[nodiscard]] std::uint64_t index_of(std::string_view name) {
    if ((names_.size() + 1) * 2 > slots_.size()) grow();
    std::size_t slot = std::hash<std::string_view>{}(name) & (slots_.size() - 1);
    while (slots_[slot] != kFree) {
      if (names_[slots_[slot]] == name) return slots_[slot];
      slot = (slot + 1) & (slots_.size() - 1);
    }
    slots_[slot] = names_.size();
    names_.emplace_back(name);
    return slots_[slot];
  }

  [[nodiscard]] const std::vector<std::string>& names() const noexcept { return names_; }
  /// Empties the table.
  [[nodiscard]] std::vector<std::string> take_names() {
    slots_ = {};
    return std::exchange(names_, {});
  }

 private:
  static constexpr std::uint64_t kFree = ~std::uint64_t{0};

  void grow() {
    slots_.assign(slots_.empty() ? 64 : slots_.size() * 2, kFree);
    for (std::uint64_t index = 0; index < names_.size(); ++index) {
      std::size_t slot = std::hash<std::string_view>{}(names_[index]) & (slots_.size() - 1);
      while (slots_[slot] != kFree) slot = (slot + 1) & (slots_.size() - 1);
      slots_[slot] = index;
    }
  }

  std::vector<std::string> names_;
  std::vector<std::uint64_t> slots_; // a power of two, at most half full
};

} // namespace pregel
