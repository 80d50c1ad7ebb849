// Which server holds which keys: the key space 0 .. largest key is cut into consecutive ranges of nearly equal length.
// There may be more servers than keys; some then hold nothing.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/random.hpp"

namespace ps {

class KeyMap {
 public:
  /// At least one server.
  KeyMap(std::uint64_t largest_key, std::size_t servers) : largest_key_(largest_key) {
    // The number of keys can be 2^64, one more than fits into 64 bits.
    const core::Uint128 keys = core::Uint128{largest_key} + 1;
    for (std::size_t server = 0; server < servers; ++server)
      begins_.push_back(static_cast<std::uint64_t>((keys * server + servers - 1) / servers));
  }

  [[nodiscard]] std::size_t servers() const noexcept { return begins_.size(); }
  [[nodiscard]] std::uint64_t largest_key() const noexcept { return largest_key_; }
  /// The first key of a server's range; a range that begins where the next one does, or beyond the largest key, is
  /// empty.
  [[nodiscard]] std::uint64_t begin(std::size_t server) const noexcept { return begins_[server]; }
  /// The server of a key that is at most the largest.
  [[nodiscard]] std::size_t server_of(std::uint64_t key) const noexcept {
    return static_cast<std::size_t>(std::upper_bound(begins_.begin(), begins_.end(), key) - begins_.begin()) - 1;
  }

 private:
  std::uint64_t largest_key_;
  std::vector<std::uint64_t> begins_;
};

} // namespace ps
