// Which server holds which parameters: consecutive ranges, their lengths differing by at most one. There may be more
// servers than parameters; the last ones then hold nothing.
#pragma once

#include <algorithm>
#include <cstddef>

namespace ps {

class ShardMap {
 public:
  ShardMap(std::size_t parameters, std::size_t servers) noexcept : parameters_(parameters), servers_(servers) {}

  [[nodiscard]] std::size_t parameters() const noexcept { return parameters_; }
  [[nodiscard]] std::size_t servers() const noexcept { return servers_; }
  /// The first parameter of a server's range; begin(servers()) is the end of the last.
  [[nodiscard]] std::size_t begin(std::size_t server) const noexcept {
    const std::size_t longer = parameters_ % servers_; // so many ranges are longer by one, the first ones
    return server * (parameters_ / servers_) + std::min(server, longer);
  }
  [[nodiscard]] std::size_t length(std::size_t server) const noexcept { return begin(server + 1) - begin(server); }
  [[nodiscard]] std::size_t server_of(std::size_t parameter) const noexcept {
    const std::size_t shorter = parameters_ / servers_, longer = parameters_ % servers_;
    const std::size_t in_longer = longer * (shorter + 1);
    return parameter < in_longer ? parameter / (shorter + 1) : longer + (parameter - in_longer) / shorter;
  }
  /// Calls piece(server, offset in its shard, position from `first` on, length) for each part of [first, first +
  /// count).
  template <class F>
  void for_each_piece(std::size_t first, std::size_t count, F&& piece) const {
    for (std::size_t done = 0; done < count;) {
      const std::size_t server = server_of(first + done);
      const std::size_t length = std::min(count - done, begin(server + 1) - (first + done));
      piece(server, first + done - begin(server), done, length);
      done += length;
    }
  }

 private:
  std::size_t parameters_, servers_;
};

} // namespace ps
