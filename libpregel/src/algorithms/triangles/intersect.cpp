#include "intersect.hpp"

#include <algorithm>
#include <span>

namespace pregel {

Intersector::Intersector(const OrientedLists& lists)
    : lists_(lists), marks_(lists.slot_of_number.size(), 0), counts_(lists.slot_of_number.size(), 0) {
  std::uint64_t longest = 0;
  for (std::size_t n = 0; n < lists.slot_of_number.size(); ++n)
    longest = std::max(longest, lists.offsets[n + 1] - lists.offsets[n]);
  hits_.resize(longest + 1);
}

std::uint64_t Intersector::intersect(const NumberedList& list) {
  return lists_.with_widths ? intersect_widths(list) : intersect_plain(list);
}

/// Every neighbour is written to where the next hit goes and stays only if it is marked, which costs no branch: on
/// Kronecker graphs a third of them are hits, and a branch would be mispredicted for most of these.
std::uint64_t Intersector::intersect_plain(const NumberedList& list) {
  for (const std::uint32_t x : list.entries) marks_[x] = 1;
  const std::uint8_t* const marks = marks_.data();
  std::uint32_t* const hits = hits_.data();
  std::uint64_t total = 0;
  for (const std::uint32_t v : list.entries) {
    std::size_t found = 0;
    for (const std::uint32_t w : lists_.list(v)) {
      hits[found] = w;
      found += marks[w];
    }
    for (std::size_t i = 0; i < found; ++i) ++counts_[hits[i]];
    counts_[v] += found;
    total += found;
  }
  counts_[list.number] += total;
  for (const std::uint32_t x : list.entries) marks_[x] = 0;
  return total;
}

std::uint64_t Intersector::intersect_widths(const NumberedList& list) {
  for (std::size_t i = 0; i < list.entries.size(); ++i) marks_[list.entries[i]] = list.widths[i];
  const std::uint8_t* const marks = marks_.data();
  std::uint32_t* const hits = hits_.data();
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < list.entries.size(); ++i) {
    const std::uint32_t v = list.entries[i];
    const std::span<const std::uint32_t> row = lists_.list(v);
    const std::uint8_t* const row_widths = lists_.widths_of(v);
    std::size_t found = 0;
    for (std::uint32_t j = 0; j < row.size(); ++j) {
      hits[found] = j;
      found += marks[row[j]] != 0 ? 1 : 0;
    }
    for (std::size_t h = 0; h < found; ++h) {
      const std::uint32_t w = row[hits[h]];
      counts_[w] += list.widths[i];
      counts_[v] += marks[w];
      counts_[list.number] += row_widths[hits[h]];
    }
    total += found;
  }
  for (const std::uint32_t x : list.entries) marks_[x] = 0;
  return total;
}

void Intersector::forget_counts() {
  std::ranges::fill(counts_, 0);
}

} // namespace pregel
