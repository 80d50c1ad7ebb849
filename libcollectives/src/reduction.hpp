// What a call does to elements: kernels chosen once a call, so that algorithms see bytes and counts alone.
#pragma once

#include <cstddef>
#include <span>

#include "collectives/all_reduce.hpp"

namespace collectives::detail {

class Reduction {
 public:
  /// Copies elements, nothing else.
  static Reduction none(std::size_t element_bytes);
  /// `addends` is what an average divides by. Throws when the operation is not defined for the type.
  static Reduction of(ElementType type, Operation operation, std::size_t addends, bool exact);
  static Reduction of_user(std::size_t element_bytes, const UserFunction& function);

  [[nodiscard]] std::size_t element_bytes() const noexcept { return element_bytes_; }
  /// The bytes of so many elements.
  [[nodiscard]] std::size_t bytes(std::size_t elements) const noexcept { return elements * element_bytes_; }

  /// into = left op right, where `left` holds the addends that come first. `into` may be either of them.
  void combine(std::byte* into, const std::byte* left, const std::byte* right, std::size_t count) const;
  /// into = all addends in their order, or exactly. `into` may be the first of them; another one only if exact.
  void fold(std::byte* into, std::span<const std::byte* const> addends, std::size_t count) const;
  /// What follows the last addend: an average's division, unless fold() has done it.
  void finish(std::byte* data, std::size_t count) const;

  /// True where each addend must be scaled by scale() before anything else (an average of 16-bit types).
  [[nodiscard]] bool scales_addends() const noexcept { return scales_addends_; }
  void scale(std::byte* to, const std::byte* from, std::size_t count) const;

 private:
  void combine_by_user(std::byte* into, const std::byte* left, const std::byte* right, std::size_t count) const;

  std::size_t element_bytes_ = 1;
  CombineFunction kernel_ = nullptr;
  const UserFunction* user_ = nullptr;
  ElementType type_ = ElementType::opaque;
  std::size_t divisor_ = 1;
  bool exact_ = false;
  bool scales_addends_ = false;
  bool divides_sum_ = false;
};

} // namespace collectives::detail
