// The rare parts of the superaccumulator: carries, special values and the one rounding.
#include "core/exact_sum.hpp"

#include <algorithm>
#include <limits>

namespace core {
namespace {

constexpr std::int64_t kLimbMask = 0xffffffff;
constexpr std::size_t kPositiveInfinity = ExactSum::kLimbs, kNegativeInfinity = ExactSum::kLimbs + 1,
                      kNan = ExactSum::kLimbs + 2;

using Words = std::array<std::int64_t, ExactSum::kWords>;

/// Leaves every limb but the last in [0, 2^32); the last carries the sign.
void carry(Words& words) noexcept {
  std::int64_t over = 0;
  for (std::size_t limb = 0; limb + 1 < ExactSum::kLimbs; ++limb) {
    const std::int64_t sum = words[limb] + over;
    words[limb] = sum & kLimbMask;
    over = sum >> 32; // arithmetic: rounds towards minus infinity, as the mask does
  }
  words[ExactSum::kLimbs - 1] += over;
}

/// Bits `first` .. `first` + 52 of a normalised, non-negative number.
std::uint64_t bits_from(const Words& words, std::size_t first) noexcept {
  __extension__ using Wide = unsigned __int128;
  Wide window = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    const std::size_t limb = first / 32 + i;
    if (limb < ExactSum::kLimbs) window |= static_cast<Wide>(static_cast<std::uint64_t>(words[limb])) << (32 * i);
  }
  return static_cast<std::uint64_t>(window >> (first % 32)) & ((std::uint64_t{1} << 53) - 1);
}

/// Whether any bit below `end` is set.
bool any_below(const Words& words, std::size_t end) noexcept {
  for (std::size_t limb = 0; limb < end / 32; ++limb)
    if (words[limb] != 0) return true;
  return (words[end / 32] & ((std::int64_t{1} << (end % 32)) - 1)) != 0;
}

/// The bits of the double nearest to a normalised, non-negative number, ties to even.
std::uint64_t rounded(const Words& words) noexcept {
  std::size_t top = ExactSum::kLimbs;
  while (top > 0 && words[top - 1] == 0) --top;
  if (top == 0) return 0;
  const std::size_t highest = 32 * (top - 1) + std::bit_width(static_cast<std::uint64_t>(words[top - 1])) - 1;
  // Below 2^53 units of the smallest subnormal the number is exact, and its integer is the double's bit pattern.
  if (highest <= 52) return bits_from(words, 0);

  const std::size_t shift = highest - 52;
  std::uint64_t mantissa = bits_from(words, shift);
  const bool half = (words[(shift - 1) / 32] >> ((shift - 1) % 32) & 1) != 0;
  if (half && ((mantissa & 1) != 0 || any_below(words, shift - 1))) ++mantissa;
  // The hidden bit adds one to the exponent field, and so does a mantissa that rounding carried to 2^53.
  constexpr std::uint64_t kInfinity = std::uint64_t{0x7ff} << 52;
  if (shift >= 0x7ff) return kInfinity;
  return std::min(kInfinity, (static_cast<std::uint64_t>(shift) << 52) + mantissa);
}

} // namespace

void ExactSum::flush_rare() noexcept {
  const std::uint64_t exponent = (last_bits_ >> 52) & 0x7ff;
  if (exponent != 0x7ff) {
    carry(words_);
    pending_ = 0;
    flush();
    return;
  }
  const bool is_nan = (last_bits_ << 12) != 0;
  const bool is_negative = (last_bits_ >> 63) != 0;
  words_[is_nan ? kNan : is_negative ? kNegativeInfinity : kPositiveInfinity] += repeats_;
}

void ExactSum::normalise() noexcept {
  flush();
  last_bits_ = 0;
  repeats_ = 0;
  carry(words_);
  pending_ = 0;
}

void ExactSum::merge(const ExactSum& other) noexcept {
  ExactSum addend = other;
  addend.normalise();
  normalise();
  for (std::size_t word = 0; word < kWords; ++word) words_[word] += addend.words_[word];
  pending_ = 1;
}

void ExactSum::clear() noexcept {
  *this = ExactSum();
}

double ExactSum::value() const noexcept {
  ExactSum sum = *this;
  sum.normalise();
  Words& words = sum.words_;
  const bool has_nan = words[kNan] != 0, has_positive = words[kPositiveInfinity] != 0,
             has_negative = words[kNegativeInfinity] != 0;
  if (has_nan || (has_positive && has_negative)) return std::numeric_limits<double>::quiet_NaN();
  if (has_positive || has_negative)
    return has_positive ? std::numeric_limits<double>::infinity() : -std::numeric_limits<double>::infinity();

  const bool negative = words[kLimbs - 1] < 0;
  if (negative) {
    for (std::size_t limb = 0; limb < kLimbs; ++limb) words[limb] = -words[limb];
    carry(words);
  }
  return std::bit_cast<double>(rounded(words) | (std::uint64_t{negative} << 63));
}

void ExactSum::store(std::span<std::int64_t, kWords> words) const noexcept {
  ExactSum sum = *this;
  sum.normalise();
  std::copy(sum.words_.begin(), sum.words_.end(), words.begin());
}

void ExactSum::load(std::span<const std::int64_t, kWords> words) noexcept {
  clear();
  std::copy(words.begin(), words.end(), words_.begin());
  carry(words_);
}

} // namespace core
