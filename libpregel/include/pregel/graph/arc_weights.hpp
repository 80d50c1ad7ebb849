// The weights of arcs, one an arc. Where every weight on this rank is exactly a float (small integers, halves,
// quarters), floats are kept: the fold reads 8 bytes an arc instead of 12, and gets the same doubles.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/huge_vector.hpp"

namespace pregel {

/// What the weight of an arc says where a graph was built with GraphNeeds::directions: how the edge behind the arc
/// runs, seen from the vertex that reads along it. The marks are bits.
struct ArcDirection {
  static constexpr double kIn = 1;   ///< from the other end to this vertex
  static constexpr double kOut = 2;  ///< from this vertex to the other end
  static constexpr double kBoth = 3; ///< a loop

  [[nodiscard]] static constexpr bool in(double mark) noexcept { return mark != kOut; }
  [[nodiscard]] static constexpr bool out(double mark) noexcept { return mark != kIn; }
};

/// Stands for weights that are all 1.
struct UnitWeights {
  [[nodiscard]] constexpr double operator[](std::uint64_t) const noexcept { return 1.0; }
};

class ArcWeights {
 public:
  [[nodiscard]] static bool fits_float(double weight) noexcept {
    return static_cast<double>(static_cast<float>(weight)) == weight;
  }

  /// Chooses the representation; call once, before resize. `narrow`: every weight satisfies fits_float.
  void choose(bool narrow) noexcept { narrow_kind_ = narrow; }
  [[nodiscard]] bool narrow() const noexcept { return narrow_kind_; }

  [[nodiscard]] std::size_t size() const noexcept { return narrow_kind_ ? narrow_.size() : wide_.size(); }
  [[nodiscard]] bool empty() const noexcept { return size() == 0; }
  [[nodiscard]] std::uint64_t bytes() const noexcept {
    return narrow_.capacity() * sizeof(float) + wide_.capacity() * sizeof(double);
  }
  /// Writes nothing: the weights must be set.
  void resize(std::size_t count) {
    if (narrow_kind_)
      narrow_.resize(count);
    else
      wide_.resize(count);
  }
  /// 1 if there are no weights. Loops over many arcs use visit().
  [[nodiscard]] double operator[](std::uint64_t a) const noexcept {
    if (empty()) return 1.0;
    return narrow_kind_ ? static_cast<double>(narrow_[a]) : wide_[a];
  }
  void set(std::uint64_t a, double weight) noexcept {
    if (narrow_kind_)
      narrow_[a] = static_cast<float>(weight);
    else
      wide_[a] = weight;
  }

  /// Calls body(w) with something that w[a] reads fastest: floats, doubles, or ones if there are no weights.
  template <class Body>
  decltype(auto) visit(Body&& body) const {
    if (empty()) return body(UnitWeights{});
    if (narrow_kind_) return body(narrow_.data());
    return body(wide_.data());
  }

 private:
  core::UntouchedVector<float> narrow_;
  core::UntouchedVector<double> wide_;
  bool narrow_kind_ = false;
};

} // namespace pregel
