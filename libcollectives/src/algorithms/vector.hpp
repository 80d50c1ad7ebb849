// What the algorithms for messages work on, and the words they share.
#pragma once

#include <cstddef>
#include <cstring>

#include "call.hpp"
#include "messages.hpp"

namespace collectives::detail {

/// `count` elements that every rank has; the result goes to `output`, which may be `input`. A ring or all_to_all can do
/// half of an all-reduce. Without `gathers`, output has room for this rank's chunk only; without `reduces`, input is
/// this rank's chunk.
struct Vector {
  const std::byte* input = nullptr;
  std::byte* output = nullptr;
  std::size_t count = 0;
  bool reduces = true;
  bool gathers = true;
};

[[nodiscard]] inline int wrapped(int rank, int size) noexcept {
  return ((rank % size) + size) % size;
}

/// Copies unless it is the same memory.
inline void copy_bytes(std::byte* to, const std::byte* from, std::size_t bytes) noexcept {
  if (to != from && bytes > 0) std::memcpy(to, from, bytes);
}

/// Elements of a segment, at least one.
[[nodiscard]] inline std::size_t segment_elements(const Call& call, std::size_t longest) noexcept {
  const std::size_t most = std::max<std::size_t>(1, call.segment_bytes / call.reduction.element_bytes());
  return std::max<std::size_t>(1, std::min(most, longest));
}

} // namespace collectives::detail
