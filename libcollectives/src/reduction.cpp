#include "reduction.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "core/error.hpp"

namespace collectives::detail {
namespace {

/// Folding several addends goes tile by tile, so that the partial result stays in the first-level cache.
constexpr std::size_t kTileBytes = 8192;

} // namespace

Reduction Reduction::none(std::size_t element_bytes) {
  Reduction reduction;
  reduction.element_bytes_ = element_bytes;
  return reduction;
}

Reduction Reduction::of(ElementType type, Operation operation, std::size_t addends, bool exact) {
  Reduction reduction;
  reduction.kernel_ = combine_function(operation, type);
  reduction.type_ = type;
  reduction.element_bytes_ = collectives::element_bytes(type);
  reduction.exact_ = exact && is_floating(type) && (operation == Operation::sum || operation == Operation::average);
  if (operation == Operation::average && addends != 1) {
    reduction.divisor_ = addends;
    reduction.scales_addends_ = !reduction.exact_ && is_floating(type) && reduction.element_bytes_ == 2;
    reduction.divides_sum_ = !reduction.exact_ && !reduction.scales_addends_;
  }
  return reduction;
}

Reduction Reduction::of_user(std::size_t element_bytes, const UserFunction& function) {
  if (!function) throw core::Error("all-reduce by a function of the user: the function is empty");
  Reduction reduction;
  reduction.element_bytes_ = element_bytes;
  reduction.user_ = &function;
  return reduction;
}

void Reduction::combine(std::byte* into, const std::byte* left, const std::byte* right, std::size_t count) const {
  if (count == 0) return;
  if (kernel_ != nullptr)
    kernel_(into, left, right, count);
  else
    combine_by_user(into, left, right, count);
}

/// The user's function writes over its left operand. Where the result belongs elsewhere, the left one is copied there,
/// or, where the right one is, tile by tile beside it.
void Reduction::combine_by_user(std::byte* into, const std::byte* left, const std::byte* right,
                                std::size_t count) const {
  if (into != right) {
    if (into != left) std::memcpy(into, left, bytes(count));
    (*user_)(into, right, count);
    return;
  }
  const std::size_t tile = std::max<std::size_t>(1, kTileBytes / element_bytes_);
  // Aligned for any element, unlike a vector of bytes.
  std::vector<std::max_align_t> memory((bytes(std::min(tile, count)) + sizeof(std::max_align_t) - 1) /
                                       sizeof(std::max_align_t));
  auto* const beside = reinterpret_cast<std::byte*>(memory.data());
  for (std::size_t first = 0; first < count; first += tile) {
    const std::size_t length = std::min(tile, count - first);
    std::memcpy(beside, left + bytes(first), bytes(length));
    (*user_)(beside, right + bytes(first), length);
    std::memcpy(into + bytes(first), beside, bytes(length));
  }
}

void Reduction::fold(std::byte* into, std::span<const std::byte* const> addends, std::size_t count) const {
  if (count == 0) return;
  if (exact_) {
    const std::vector<const void*> all(addends.begin(), addends.end());
    exact_sum(type_, into, all, count, divisor_);
    return;
  }
  if (addends.size() == 1) {
    if (into != addends[0]) std::memcpy(into, addends[0], bytes(count));
    return;
  }
  const std::size_t tile = addends.size() == 2 ? count : std::max<std::size_t>(1, kTileBytes / element_bytes_);
  for (std::size_t first = 0; first < count; first += tile) {
    const std::size_t length = std::min(tile, count - first), at = bytes(first);
    combine(into + at, addends[0] + at, addends[1] + at, length);
    for (std::size_t a = 2; a < addends.size(); ++a) combine(into + at, into + at, addends[a] + at, length);
  }
}

void Reduction::finish(std::byte* data, std::size_t count) const {
  if (divides_sum_) divide(type_, data, data, count, divisor_);
}

void Reduction::scale(std::byte* to, const std::byte* from, std::size_t count) const {
  divide(type_, to, from, count, divisor_);
}

} // namespace collectives::detail
