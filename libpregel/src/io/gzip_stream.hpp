// A gzip file as a stream of inflated bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <zlib.h>

#include "compressed_stream.hpp"

namespace pregel {

/// Member after member; zero bytes between and after members (tapes, tar) are skipped.
class GzipStream final : public CompressedStream {
 public:
  explicit GzipStream(const InputFile& file);
  ~GzipStream() override;

  [[nodiscard]] std::size_t read(char* data, std::size_t count) override;

 private:
  /// Reads more compressed bytes when none are left; false at the end of the file.
  bool refill();
  /// After the end of a member.
  void next_member();

  const InputFile& file_;
  z_stream stream_{};
  std::vector<unsigned char> input_;
  std::uint64_t offset_ = 0; // in the compressed file, of the next refill
  bool first_member_ = true;
};

} // namespace pregel
