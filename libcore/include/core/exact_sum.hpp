// Floating-point sums that do not depend on the order of the addends.
//
// A double is an integer times a power of two. The accumulator holds that integer in 67 limbs of 32 bits each, kept in
// 64-bit words so that 2^31 additions may pass before carries must be resolved (Neal, "Fast exact summation using small
// and large superaccumulators", 2015, the small accumulator). Limbs of several threads or ranks are added as plain
// integers (MPI_SUM), and rounding (to nearest, ties to even) happens once, in value().
//
// Bit b of limb l stands for 2^(32 l + b - 1074): limb 0 starts at the smallest subnormal. The limbs are signed, so
// that a negative double is subtracted limb by limb and carries may run in both directions.
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

  /// The sum, rounded once: infinity beyond the largest double. An exact zero is +0, whatever the zeros added. NaN if a
  /// NaN or both infinities were added.
  [[nodiscard]] double value() const noexcept;

  /// Carry-normalised words for an integer MPI_SUM over up to 2^31 ranks; `load` takes the reduced words back.
  void store(std::span<std::int64_t, kWords> words) const noexcept;
  void load(std::span<const std::int64_t, kWords> words) noexcept;

 private:
  static constexpr std::uint32_t kMaxRepeats = 1U << 30;
  static constexpr std::uint32_t kMaxPending = 1U << 30;

  /// Adds last_bits_ times repeats_ into the limbs.
  void flush() noexcept {
    const std::uint64_t exponent = (last_bits_ >> 52) & 0x7ff;
    if (exponent == 0x7ff || pending_ >= kMaxPending) [[unlikely]] {
      flush_rare();
      return;
    }
    // Subnormals have no hidden bit and share the place of the smallest normal numbers.
    const std::uint64_t is_normal = exponent != 0 ? 1 : 0;
    const std::uint64_t mantissa = (last_bits_ & ((std::uint64_t{1} << 52) - 1)) | (is_normal << 52);
    const std::uint64_t position = exponent - is_normal;
    // At most 53 + 30 bits, shifted by at most 31: 114 bits in four limbs.
    __extension__ using Wide = unsigned __int128;
    const Wide product = (static_cast<Wide>(mantissa) * repeats_) << (position & 31);
    const auto low = static_cast<std::uint64_t>(product);
    const auto high = static_cast<std::uint64_t>(product >> 64);
    const std::int64_t sign = static_cast<std::int64_t>(last_bits_) >> 63; // 0 or -1: (x ^ sign) - sign negates x
    std::int64_t* const limb = words_.data() + (position >> 5);
    limb[0] += (static_cast<std::int64_t>(low & 0xffffffff) ^ sign) - sign;
    limb[1] += (static_cast<std::int64_t>(low >> 32) ^ sign) - sign;
    limb[2] += (static_cast<std::int64_t>(high & 0xffffffff) ^ sign) - sign;
    limb[3] += (static_cast<std::int64_t>(high >> 32) ^ sign) - sign;
    ++pending_;
  }
  void flush_rare() noexcept; // infinities, NaN, limbs about to overflow
  void normalise() noexcept;  // flushes, then brings every limb but the last into [0, 2^32)

  std::array<std::int64_t, kWords> words_{};
  std::uint64_t last_bits_ = 0; // +0.0: adding it changes nothing
  std::uint32_t repeats_ = 0;
  std::uint32_t pending_ = 0; // flushes since the last normalise: each moves a limb by less than 2^32
};

} // namespace core
