// The kernels: one loop for each type and operation, written so that the compiler turns it into vector instructions.
#include "collectives/operation.hpp"

#include <array>
#include <bit>
#include <limits>
#include <string>
#include <type_traits>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/error.hpp"

// The iterations are independent even where `into` is `left` or `right`: what an alias check at run time would miss.
#if defined(__clang__)
#define SUPERSTEP_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define SUPERSTEP_INDEPENDENT _Pragma("GCC ivdep")
#endif

namespace collectives {
namespace {

/// What T is computed in: 16-bit numbers in float, integers without a sign (they wrap around) and not narrower than
/// int (C++ would promote them to a signed type).
template <class T>
struct ComputedIn {
  using Type = float;
};
template <>
struct ComputedIn<double> {
  using Type = double;
};
template <std::integral T>
struct ComputedIn<T> {
  using Type = std::conditional_t<(sizeof(T) > 4), std::uint64_t, std::uint32_t>;
};

template <class T>
using BitsOf = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;

/// Of two that are equal, the bits decide: or'ed, -0 wins; and'ed, +0 does. Equal numbers have equal bits otherwise.
template <std::floating_point T>
T lesser(T a, T b) {
  const auto tie = std::bit_cast<T>(std::bit_cast<BitsOf<T>>(a) | std::bit_cast<BitsOf<T>>(b));
  const T ordered = a < b ? a : (b < a ? b : tie);
  return ((a != a) | (b != b)) ? std::numeric_limits<T>::quiet_NaN() : ordered;
}
template <std::floating_point T>
T greater(T a, T b) {
  const auto tie = std::bit_cast<T>(std::bit_cast<BitsOf<T>>(a) & std::bit_cast<BitsOf<T>>(b));
  const T ordered = a > b ? a : (b > a ? b : tie);
  return ((a != a) | (b != b)) ? std::numeric_limits<T>::quiet_NaN() : ordered;
}
template <std::integral T>
T lesser(T a, T b) {
  return a < b ? a : b;
}
template <std::integral T>
T greater(T a, T b) {
  return a > b ? a : b;
}

template <class T>
struct Sum {
  T operator()(T a, T b) const {
    using Wide = typename ComputedIn<T>::Type;
    return static_cast<T>(static_cast<Wide>(a) + static_cast<Wide>(b));
  }
};
template <class T>
struct Product {
  T operator()(T a, T b) const {
    using Wide = typename ComputedIn<T>::Type;
    return static_cast<T>(static_cast<Wide>(a) * static_cast<Wide>(b));
  }
};
// Comparison needs the sign, and no room: integers are compared as they are.
template <class T>
struct Min {
  T operator()(T a, T b) const {
    if constexpr (std::integral<T>)
      return lesser(a, b);
    else
      return static_cast<T>(
          lesser(static_cast<typename ComputedIn<T>::Type>(a), static_cast<typename ComputedIn<T>::Type>(b)));
  }
};
template <class T>
struct Max {
  T operator()(T a, T b) const {
    if constexpr (std::integral<T>)
      return greater(a, b);
    else
      return static_cast<T>(
          greater(static_cast<typename ComputedIn<T>::Type>(a), static_cast<typename ComputedIn<T>::Type>(b)));
  }
};
template <std::integral T>
struct BitAnd {
  T operator()(T a, T b) const { return static_cast<T>(a & b); }
};
template <std::integral T>
struct BitOr {
  T operator()(T a, T b) const { return static_cast<T>(a | b); }
};

template <class T, class Function>
void combine(void* into, const void* left, const void* right, std::size_t count) {
  auto* const out = static_cast<T*>(into);
  const auto* const a = static_cast<const T*>(left);
  const auto* const b = static_cast<const T*>(right);
  SUPERSTEP_INDEPENDENT
  for (std::size_t i = 0; i < count; ++i) out[i] = Function()(a[i], b[i]);
}

template <class T>
CombineFunction function_for(Operation operation) {
  switch (operation) {
    case Operation::sum:
    case Operation::average: return combine<T, Sum<T>>;
    case Operation::product: return combine<T, Product<T>>;
    case Operation::min: return combine<T, Min<T>>;
    case Operation::max: return combine<T, Max<T>>;
    default: break;
  }
  if constexpr (std::integral<T>) {
    if (operation == Operation::bit_and) return combine<T, BitAnd<T>>;
    if (operation == Operation::bit_or) return combine<T, BitOr<T>>;
  }
  return nullptr;
}

template <class T>
void divide_elements(void* to, const void* from, std::size_t count, std::size_t divisor) {
  auto* const out = static_cast<T*>(to);
  const auto* const in = static_cast<const T*>(from);
  if constexpr (std::integral<T>) {
    // A divisor beyond the type's range leaves nothing; a division by it converted would be wrong, or by zero.
    using Wide = std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>;
    const auto wide_divisor = static_cast<Wide>(divisor);
    for (std::size_t i = 0; i < count; ++i) out[i] = static_cast<T>(static_cast<Wide>(in[i]) / wide_divisor);
  } else {
    using Wide = typename ComputedIn<T>::Type;
    const auto wide_divisor = static_cast<Wide>(divisor);
    SUPERSTEP_INDEPENDENT
    for (std::size_t i = 0; i < count; ++i) out[i] = static_cast<T>(static_cast<Wide>(in[i]) / wide_divisor);
  }
}

constexpr std::array<std::string_view, 13> kTypeNames = {"f32", "f64", "i8",  "i16", "i32",  "i64",   "u8",
                                                         "u16", "u32", "u64", "f16", "bf16", "opaque"};
constexpr std::array<std::string_view, 8> kOperationNames = {"sum",     "product", "min",    "max",
                                                             "average", "bit_and", "bit_or", "user"};

/// The place of `name` among the names but the last, which users cannot ask for.
template <std::size_t N>
std::size_t find_name(const std::array<std::string_view, N>& names, std::string_view name, const char* what) {
  for (std::size_t i = 0; i + 1 < N; ++i) {
    if (names[i] == name) return i;
  }
  throw core::InputError(
      fmt::format("unknown {} '{}': one of {}", what, name, fmt::join(names.begin(), names.end() - 1, ", ")));
}

} // namespace

std::string_view name_of(ElementType type) noexcept {
  return kTypeNames[static_cast<std::size_t>(type)];
}
ElementType element_type_named(std::string_view name) {
  return static_cast<ElementType>(find_name(kTypeNames, name, "element type"));
}
std::string_view name_of(Operation operation) noexcept {
  return kOperationNames[static_cast<std::size_t>(operation)];
}
Operation operation_named(std::string_view name) {
  return static_cast<Operation>(find_name(kOperationNames, name, "operation"));
}

bool is_defined(Operation operation, ElementType type) noexcept {
  if (operation == Operation::user || type == ElementType::opaque)
    return operation == Operation::user && type == ElementType::opaque;
  return (operation != Operation::bit_and && operation != Operation::bit_or) || !is_floating(type);
}

CombineFunction combine_function(Operation operation, ElementType type) {
  const CombineFunction function =
      is_defined(operation, type)
          ? with_element_type(type, [&]<class T>() -> CombineFunction { return function_for<T>(operation); })
          : nullptr;
  if (function == nullptr)
    throw core::Error(
        fmt::format("operation {} is not defined for elements of type {}", name_of(operation), name_of(type)));
  return function;
}

void divide(ElementType type, void* to, const void* from, std::size_t count, std::size_t divisor) {
  with_element_type(type, [&]<class T>() { divide_elements<T>(to, from, count, divisor); });
}

} // namespace collectives
