// The inner loop of triangle counting, with what one thread needs for it.
#pragma once

#include <cstdint>
#include <vector>

#include "core/huge_vector.hpp"
#include "list_exchange.hpp"
#include "oriented_lists.hpp"

namespace pregel {

/// Finds the triangles of a list and this rank's lists, and counts them at their corners.
class Intersector {
 public:
  /// `lists` must outlive this.
  explicit Intersector(const OrientedLists& lists);

  /// Counts the triangles of list.number, a local vertex v that the list names, and a vertex that both lists name.
  /// Returns how many. With widths each corner counts the width of the side opposite to it. Local.
  std::uint64_t intersect(const NumberedList& list);
  /// By number.
  [[nodiscard]] std::uint64_t counted(std::uint32_t number) const noexcept { return counts_[number]; }
  void forget_counts();

  NumberedList scratch; ///< for the list at hand

 private:
  std::uint64_t intersect_plain(const NumberedList& list);
  std::uint64_t intersect_widths(const NumberedList& list);

  const OrientedLists& lists_;
  core::HugeVector<std::uint8_t> marks_; // by number: the width of the edge in the list at hand, 0: not in it
  core::HugeVector<std::uint64_t> counts_;
  std::vector<std::uint32_t> hits_;
};

} // namespace pregel
