// How two elements become one, for every element type, compiled once.
//
// - sum, product: integers wrap around (also the signed ones).
// - min, max: one NaN among the addends gives a NaN, wherever it sits; -0 is less than +0. So the result's bits do not
//   depend on the order in which elements are combined.
// - average: the sum divided by the number of addends. Types of 16 bits scale each addend before it is added, because
//   the sum of a few large halves passes 65504; f32 and f64 divide once, at the end; integers divide their (wrapping)
//   sum, rounding towards zero.
// - bit_and, bit_or: integers only.
// - user: a function given with the call, associative and commutative.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>

#include "collectives/element.hpp"

namespace collectives {

enum class Operation : std::uint8_t { sum, product, min, max, average, bit_and, bit_or, user };

[[nodiscard]] std::string_view name_of(Operation operation) noexcept;
/// The operation of that name; throws core::InputError that lists the names. `user` has none.
[[nodiscard]] Operation operation_named(std::string_view name);
/// False for bits of floating-point numbers, and for opaque elements without a function of the user. Local.
[[nodiscard]] bool is_defined(Operation operation, ElementType type) noexcept;

/// into[i] = left[i] op right[i]. `into` may be `left` or `right`; no other overlap.
using CombineFunction = void (*)(void* into, const void* left, const void* right, std::size_t count);
/// The kernel of an operation that is_defined; that of `average` adds. Local.
[[nodiscard]] CombineFunction combine_function(Operation operation, ElementType type);

/// into[i] = into[i] op from[i], `from` being the addend that comes later in the order.
using UserFunction = std::function<void(void* into, const void* from, std::size_t count)>;

/// to[i] = from[i] / divisor, in the type (integers towards zero). `to` may be `from`. Local.
void divide(ElementType type, void* to, const void* from, std::size_t count, std::size_t divisor);

/// into[i] = the exact sum of the addends' elements i, rounded once; or, when `divisor` is not 1, that sum rounded to
/// double, divided, and rounded to the type. Floating-point types only. `into` may be one of the addends. Local.
void exact_sum(ElementType type, void* into, std::span<const void* const> addends, std::size_t count,
               std::size_t divisor);

} // namespace collectives
