// Aggregators: every vertex may feed a value, everybody reads the reduced value one superstep later.
//
// A program declares its aggregators once and keeps typed handles; feeding one is then an inlined addition into an
// accumulator of the calling thread. At the barrier accumulators are merged over threads and ranks by two integer
// reductions: MPI_SUM for sums and counts (floating-point sums as the limbs of an exact accumulator) and MPI_MAX for
// the rest (minima as complements, doubles as integers of the same order). An aggregator that nobody fed is absent.
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/exact_sum.hpp"

namespace pregel {

enum class AggregateKind { sum, min, max, logical_and, logical_or, count };

template <class T>
concept Aggregatable =
    std::same_as<T, double> || std::same_as<T, std::int64_t> || std::same_as<T, std::uint64_t> || std::same_as<T, bool>;

/// Typed name of an aggregator of one program.
template <Aggregatable T, AggregateKind Kind>
struct AggregatorHandle {
  std::uint32_t index = 0;
};
template <Aggregatable T>
using SumAggregator = AggregatorHandle<T, AggregateKind::sum>;
template <Aggregatable T>
using MinAggregator = AggregatorHandle<T, AggregateKind::min>;
template <Aggregatable T>
using MaxAggregator = AggregatorHandle<T, AggregateKind::max>;
using AndAggregator = AggregatorHandle<bool, AggregateKind::logical_and>;
using OrAggregator = AggregatorHandle<bool, AggregateKind::logical_or>;
using CountAggregator = AggregatorHandle<std::uint64_t, AggregateKind::count>;

/// What a program declares its aggregators with.
class AggregatorRegistry {
 public:
  enum class Type { real, signed_integer, unsigned_integer, boolean };
  struct Declaration {
    std::string name;
    AggregateKind kind;
    Type type;
  };

  template <Aggregatable T>
  [[nodiscard]] SumAggregator<T> sum(std::string_view name) {
    return declare<T, AggregateKind::sum>(name);
  }
  template <Aggregatable T>
  [[nodiscard]] MinAggregator<T> min(std::string_view name) {
    return declare<T, AggregateKind::min>(name);
  }
  template <Aggregatable T>
  [[nodiscard]] MaxAggregator<T> max(std::string_view name) {
    return declare<T, AggregateKind::max>(name);
  }
  [[nodiscard]] AndAggregator logical_and(std::string_view name) {
    return declare<bool, AggregateKind::logical_and>(name);
  }
  [[nodiscard]] OrAggregator logical_or(std::string_view name) {
    return declare<bool, AggregateKind::logical_or>(name);
  }
  [[nodiscard]] CountAggregator count(std::string_view name) {
    return declare<std::uint64_t, AggregateKind::count>(name);
  }

  [[nodiscard]] const std::vector<Declaration>& declarations() const noexcept { return declarations_; }

 private:
  template <Aggregatable T, AggregateKind Kind>
  AggregatorHandle<T, Kind> declare(std::string_view name) {
    constexpr Type kType = std::same_as<T, double>         ? Type::real
                           : std::same_as<T, std::int64_t> ? Type::signed_integer
                           : std::same_as<T, bool>         ? Type::boolean
                                                           : Type::unsigned_integer;
    declarations_.push_back({std::string(name), Kind, kType});
    return {static_cast<std::uint32_t>(declarations_.size() - 1)};
  }

  std::vector<Declaration> declarations_;
};

/// Turns the order of negative numbers round: a double's bits are a sign and a magnitude. Its own inverse.
[[nodiscard]] inline std::int64_t reverse_negative(std::int64_t bits) noexcept {
  return bits < 0 ? bits ^ std::numeric_limits<std::int64_t>::max() : bits;
}
/// A 64-bit integer whose signed order is the order of the values.
[[nodiscard]] inline std::int64_t to_ordered(double x) noexcept {
  return reverse_negative(std::bit_cast<std::int64_t>(x));
}
[[nodiscard]] inline std::int64_t to_ordered(std::int64_t x) noexcept {
  return x;
}
[[nodiscard]] inline std::int64_t to_ordered(std::uint64_t x) noexcept {
  return static_cast<std::int64_t>(x ^ (std::uint64_t{1} << 63));
}
[[nodiscard]] inline std::int64_t to_ordered(bool x) noexcept {
  return x ? 1 : 0;
}
template <Aggregatable T>
[[nodiscard]] T from_ordered(std::int64_t x) noexcept {
  if constexpr (std::same_as<T, double>)
    return std::bit_cast<double>(reverse_negative(x));
  else if constexpr (std::same_as<T, std::uint64_t>)
    return static_cast<std::uint64_t>(x) ^ (std::uint64_t{1} << 63);
  else if constexpr (std::same_as<T, bool>)
    return x != 0;
  else
    return x;
}

/// One aggregator's state on one thread, or its reduced value.
class Accumulator {
 public:
  template <Aggregatable T, AggregateKind Kind>
  void feed(T x) noexcept {
    ++fed_;
    if constexpr (Kind == AggregateKind::sum && std::same_as<T, double>)
      exact_.add(x);
    else if constexpr (Kind == AggregateKind::sum || Kind == AggregateKind::count)
      integer_ += static_cast<std::int64_t>(x);
    else if constexpr (Kind == AggregateKind::max || Kind == AggregateKind::logical_or)
      raise(to_ordered(x));
    else
      raise(~to_ordered(x));
  }
  template <Aggregatable T, AggregateKind Kind>
  [[nodiscard]] std::optional<T> value() const noexcept {
    if (fed_ == 0) return std::nullopt;
    if constexpr (Kind == AggregateKind::sum && std::same_as<T, double>)
      return rounded_;
    else if constexpr (Kind == AggregateKind::sum || Kind == AggregateKind::count)
      return static_cast<T>(integer_);
    else if constexpr (Kind == AggregateKind::max || Kind == AggregateKind::logical_or)
      return from_ordered<T>(integer_);
    else
      return from_ordered<T>(~integer_);
  }

 private:
  friend class AggregatorBoard;
  void raise(std::int64_t x) noexcept { integer_ = fed_ == 1 || x > integer_ ? x : integer_; }

  std::uint64_t fed_ = 0;
  std::int64_t integer_ = 0;
  double rounded_ = 0;
  core::ExactSum exact_;
};

/// The accumulators of all threads of a rank, how they travel, and last superstep's reduced values.
class AggregatorBoard {
 public:
  AggregatorBoard() = default;
  AggregatorBoard(std::vector<AggregatorRegistry::Declaration> declarations, int threads);

  /// The accumulators that `thread` feeds.
  [[nodiscard]] Accumulator* of_thread(int thread) noexcept {
    return threads_[static_cast<std::size_t>(thread)].data();
  }
  /// Last superstep's value of aggregator `index`.
  [[nodiscard]] const Accumulator& reduced(std::uint32_t index) const noexcept { return reduced_[index]; }

  /// Words that pack() adds to the SUM and to the MAX vector.
  [[nodiscard]] std::size_t sum_words() const noexcept { return sum_words_; }
  [[nodiscard]] std::size_t max_words() const noexcept { return max_words_; }
  /// Merges the threads' accumulators into words to be reduced over ranks, and empties them.
  void pack(std::span<std::int64_t> sums, std::span<std::int64_t> maxima);
  /// Takes the reduced words: they become the values that everybody reads.
  void unpack(std::span<const std::int64_t> sums, std::span<const std::int64_t> maxima);

  [[nodiscard]] std::vector<std::string> names() const;
  /// The reduced values as text, in the order of names(); absent ones are empty.
  [[nodiscard]] std::vector<std::string> texts() const;
  /// The reduced values as (name, number); absent ones are left out.
  [[nodiscard]] std::vector<std::pair<std::string, double>> named_values() const;

 private:
  [[nodiscard]] static bool is_exact(const AggregatorRegistry::Declaration& d) noexcept;
  [[nodiscard]] static bool is_summed(const AggregatorRegistry::Declaration& d) noexcept;
  [[nodiscard]] std::optional<double> as_number(std::size_t aggregator) const;

  std::vector<AggregatorRegistry::Declaration> declarations_;
  std::vector<std::vector<Accumulator>> threads_;
  std::vector<Accumulator> reduced_;
  std::size_t sum_words_ = 0;
  std::size_t max_words_ = 0;
};

} // namespace pregel
