// A gzip file as a stream of inflated bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <zlib.h>

#include "input_file.hpp"

namespace pregel {

/// Inflates from the beginning, member after member; zero bytes between and after members (tapes, tar) are skipped. All
/// functions are local.
class GzipStream {
 public:
  explicit GzipStream(const InputFile& file);
  GzipStream(const GzipStream&) = delete;
  GzipStream& operator=(const GzipStream&) = delete;
  ~GzipStream();

  /// Inflates up to `count` bytes into `data`. Returns fewer only when the stream has ended: at its end, or where it is
  /// damaged (failure()).
  [[nodiscard]] std::size_t read(char* data, std::size_t count);

  [[nodiscard]] bool ended() const noexcept { return ended_; }
  /// Why the stream ended before its time; empty when it is sound.
  [[nodiscard]] const std::string& failure() const noexcept { return failure_; }

 private:
  /// Reads more compressed bytes when none are left; false at the end of the file.
  bool refill();
  /// After the end of a member.
  void next_member();
  void fail(std::string reason);

  const InputFile& file_;
  z_stream stream_{};
  std::vector<unsigned char> input_;
  std::uint64_t offset_ = 0; // in the compressed file, of the next refill
  bool first_member_ = true;
  bool ended_ = false;
  std::string failure_;
};

} // namespace pregel
