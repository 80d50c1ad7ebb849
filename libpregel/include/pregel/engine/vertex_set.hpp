// A set of vertices or slots: a bitmap, and while it is small also a list of its members, so that walking and clearing
// it cost what it holds and not what it could hold.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace pregel {

class VertexSet {
 public:
  static constexpr std::size_t kWordBits = 64;

  VertexSet() = default;
  explicit VertexSet(std::size_t universe)
      : words_((universe + kWordBits - 1) / kWordBits), list_limit_(std::min(words_.size() / 2 + 64, kLongestList)) {}

  [[nodiscard]] bool contains(std::uint32_t i) const noexcept {
    return (words_[i / kWordBits] >> (i % kWordBits) & 1) != 0;
  }
  [[nodiscard]] std::size_t count() const noexcept { return count_; }
  [[nodiscard]] bool empty() const noexcept { return count_ == 0; }
  /// Whether members() is valid.
  [[nodiscard]] bool listed() const noexcept { return listed_; }
  [[nodiscard]] std::span<const std::uint32_t> members() const noexcept { return list_; }
  [[nodiscard]] std::span<const std::uint64_t> words() const noexcept { return words_; }
  /// Longest list kept: walking more members than this costs more than walking the bitmap.
  [[nodiscard]] std::size_t list_limit() const noexcept { return list_limit_; }

  /// Adds a member that may be present already.
  void insert(std::uint32_t i) {
    if (!contains(i)) insert_new(i);
  }
  /// Adds a member that is not present.
  void insert_new(std::uint32_t i) {
    set_bit(i);
    ++count_;
    if (!listed_) return;
    if (list_.size() < list_limit_)
      list_.push_back(i);
    else
      unlist();
  }

  /// Adds first .. first+count-1, none of which is present.
  void insert_range(std::uint32_t first, std::uint32_t count) {
    if (listed_ && list_.size() + count <= list_limit_) {
      for (std::uint32_t i = first; i < first + count; ++i) insert_new(i);
      return;
    }
    if (count != 0 && listed_) unlist();
    for (std::uint32_t i = first; i < first + count;) {
      if (i % kWordBits == 0 && first + count - i >= kWordBits) {
        words_[i / kWordBits] = ~std::uint64_t{0};
        i += kWordBits;
      } else {
        set_bit(i++);
      }
    }
    count_ += count;
  }

  /// For loops on several threads, each in its own 64-aligned range: sets the bit only; account() follows, once a
  /// thread.
  void set_bit(std::uint32_t i) noexcept { words_[i / kWordBits] |= std::uint64_t{1} << (i % kWordBits); }
  /// The reverse, where all members of i's word are leaving.
  void clear_word_of(std::uint32_t i) noexcept { words_[i / kWordBits] = 0; }
  /// `count` bits were set by set_bit; `members` lists them, or is ignored unless `list_is_complete`.
  void account(std::size_t count, std::span<const std::uint32_t> members, bool list_is_complete) {
    count_ += count;
    if (!listed_) return;
    if (list_is_complete && list_.size() + members.size() <= list_limit_)
      list_.insert(list_.end(), members.begin(), members.end());
    else if (count != 0)
      unlist();
  }
  /// Makes members() valid again if few remain; costs a walk over the bitmap otherwise done by somebody else anyway.
  void relist_if_few() {
    if (listed_ || count_ > list_limit_) return;
    list_.clear();
    for_each_word([&](std::uint32_t i) { list_.push_back(i); });
    listed_ = true;
  }

  void clear() {
    if (listed_) {
      for (const std::uint32_t i : list_) words_[i / kWordBits] = 0;
    } else {
      std::fill(words_.begin(), words_.end(), 0);
    }
    list_.clear();
    listed_ = true;
    count_ = 0;
  }

  template <class Visit>
  void for_each(Visit&& visit) const {
    if (listed_) {
      for (const std::uint32_t i : list_) visit(i);
    } else {
      for_each_word(visit);
    }
  }

 private:
  static constexpr std::size_t kLongestList = std::size_t{1} << 20;

  template <class Visit>
  void for_each_word(Visit&& visit) const {
    for (std::size_t w = 0; w < words_.size(); ++w) {
      for (std::uint64_t bits = words_[w]; bits != 0; bits &= bits - 1) {
        visit(static_cast<std::uint32_t>(w * kWordBits + static_cast<unsigned>(std::countr_zero(bits))));
      }
    }
  }
  void unlist() {
    listed_ = false;
    list_.clear();
  }

  std::vector<std::uint64_t> words_;
  std::vector<std::uint32_t> list_;
  std::size_t list_limit_ = 0;
  std::size_t count_ = 0;
  bool listed_ = true;
};

} // namespace pregel
