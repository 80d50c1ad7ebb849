// Strings between ranks: lengths and bytes, packed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/communicator.hpp"

namespace pregel {

struct StringDelivery;

/// A list of strings in two arrays, ready to travel.
class StringPack {
 public:
  void add(std::string_view text) {
    bytes_.insert(bytes_.end(), text.begin(), text.end());
    ends_.push_back(bytes_.size());
  }
  [[nodiscard]] std::size_t size() const noexcept { return ends_.size(); }
  [[nodiscard]] std::string_view operator[](std::size_t i) const noexcept {
    const std::size_t begin = begin_of(i);
    return {bytes_.data() + begin, ends_[i] - begin};
  }

 private:
  friend StringDelivery exchange_strings(const core::Communicator&, const StringPack&, std::span<const std::size_t>);
  friend StringPack gather_strings(const core::Communicator&, const StringPack&);

  /// Where string `i` begins; also for i == size().
  [[nodiscard]] std::size_t begin_of(std::size_t i) const noexcept { return i == 0 ? 0 : ends_[i - 1]; }
  [[nodiscard]] std::vector<std::uint64_t> lengths() const;
  void assign(std::span<const std::uint64_t> lengths, std::vector<char>&& bytes);

  std::vector<char> bytes_;
  std::vector<std::size_t> ends_; // of each string in bytes_
};

/// What exchange_strings() brings.
struct StringDelivery {
  StringPack strings;              ///< by sender in rank order, each sender's in its order
  std::vector<std::size_t> counts; ///< from each sender
};

/// Sends the first counts[0] strings to rank 0, the next counts[1] to rank 1, and so on. Collective.
[[nodiscard]] StringDelivery exchange_strings(const core::Communicator& comm, const StringPack& send,
                                              std::span<const std::size_t> counts);

/// The strings of all ranks, in rank order, on every rank. Collective.
[[nodiscard]] StringPack gather_strings(const core::Communicator& comm, const StringPack& mine);

} // namespace pregel
