// Least-significant-digit radix sort on the low bits of a 64-bit key: a stable sort whose time is a few sequential
// passes, several times faster than comparison sorts at the sizes of a loader.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "core/huge_vector.hpp"

namespace pregel {

/// An arc in the loader: (target ordinal, source ordinal) packed into one key, which sorts as the engine wants arcs.
struct PlainArc {
  std::uint64_t key;
};
struct WeightedArc {
  std::uint64_t key;
  double weight;
};

/// Sorts `items` by the low `bits` bits of `key`; higher bits must be zero.
template <class Items>
void radix_sort(Items& items, unsigned bits) {
  using Item = typename Items::value_type;
  constexpr unsigned kMaxDigit = 11; // 2048 write streams still fit the first-level cache's ways and the TLB
  const unsigned passes = (bits + kMaxDigit - 1) / kMaxDigit;
  if (passes == 0 || items.size() < 2) return;
  const unsigned digit = (bits + passes - 1) / passes;
  const std::size_t buckets = std::size_t{1} << digit;
  const std::uint64_t mask = buckets - 1;

  std::vector<std::size_t> counts(passes * buckets);
  for (const Item& item : items) {
    for (unsigned pass = 0; pass < passes; ++pass) ++counts[pass * buckets + (item.key >> (pass * digit) & mask)];
  }
  const core::HugeArray<Item> scratch(items.size());
  Item* from = items.data();
  Item* to = scratch.data();
  for (unsigned pass = 0; pass < passes; ++pass) {
    std::size_t* next = counts.data() + pass * buckets;
    std::size_t start = 0;
    bool constant = false; // one bucket holds everything: nothing to move
    for (std::size_t b = 0; b < buckets; ++b) {
      constant = constant || next[b] == items.size();
      start += std::exchange(next[b], start);
    }
    if (constant) continue;
    const unsigned shift = pass * digit;
    for (std::size_t i = 0; i < items.size(); ++i) to[next[from[i].key >> shift & mask]++] = from[i];
    std::swap(from, to);
  }
  if (from != items.data()) std::copy(from, from + items.size(), items.data());
}

} // namespace pregel
