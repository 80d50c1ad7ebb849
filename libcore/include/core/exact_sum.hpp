// Floating-point sums that do not depend on the order of the addends.
//
// A double is an integer times a power of two. The accumulator holds that integer in 67 limbs of 32 bits each, kept in
// 64-bit words so that 2^31 additions may pass before carries must be resolved (Neal, "Fast exact summation using small
// and large superaccumulators", 2015, the small accumulator). Limbs of several threads or ranks are added as plain
// integers (MPI_SUM), and rounding (to nearest, ties to even) happens once, in value().
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

namespace core {

class ExactSum {
 public:
  static constexpr std::size_t kLimbs = 68;   ///< 67 for the bits of doubles, one for their carries
  static constexpr std::size_t kSpecials = 3; ///< counts of +infinity, -infinity, NaN
  static constexpr std::size_t kWords = kLimbs + kSpecials;

  /// Adds one double, exactly. Equal values in a row cost one comparison each: they are counted and multiplied.
  void add(double x) noexcept {
    const auto bits = std::bit_cast<std::uint64_t>(x);
    if (bits == last_bits_ && repeats_ < kMaxRepeats) {
      ++repeats_;
      return;
    }
    flush();
    last_bits_ = bits;
    repeats_ = 1;
  }

  /// Adds another accumulator's content.
  void merge(const ExactSum& other) noexcept;
  void clear() noexcept;

  /// The sum, rounded once. NaN if a NaN or both infinities were added.
  [[nodiscard]] double value() const noexcept;

  /// Carry-normalised words for an integer MPI_SUM over up to 2^31 ranks; `load` takes the reduced words back.
  void store(std::span<std::int64_t, kWords> words) const noexcept;
  void load(std::span<const std::int64_t, kWords> words) noexcept;

 private:
  static constexpr std::uint32_t kMaxRepeats = 1U << 30;

  void flush() noexcept; // adds last_bits_ times repeats_ into the limbs
  void normalise() noexcept;

  std::array<std::int64_t, kWords> words_{};
  std::uint64_t last_bits_ = 0; // +0.0: adding it changes nothing
  std::uint32_t repeats_ = 0;
  std::uint32_t pending_ = 0; // limb additions since the last normalise
};

} // namespace core
