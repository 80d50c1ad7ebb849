// A zstd file as a stream of inflated bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <zstd.h>

#include "compressed_stream.hpp"

namespace pregel {

/// Frame after frame; skippable frames are skipped. A buffer lies between zstd and the reader: what a damaged frame
/// still gives depends on how much is asked for at once, and every rank must see the damage at the same byte.
class ZstdStream final : public CompressedStream {
 public:
  explicit ZstdStream(const InputFile& file);

  [[nodiscard]] std::size_t read(char* data, std::size_t count) override;

 private:
  struct Free {
    void operator()(ZSTD_DStream* stream) const noexcept { ZSTD_freeDStream(stream); }
  };
  /// Fills the output buffer, or ends the stream.
  void decompress();
  /// Reads more compressed bytes when none are left; false at the end of the file.
  bool refill();

  const InputFile& file_;
  std::unique_ptr<ZSTD_DStream, Free> stream_;
  std::vector<char> input_, output_;
  std::size_t taken_ = 0, ready_ = 0; // of output_
  ZSTD_inBuffer left_{};              // of input_
  std::uint64_t offset_ = 0;          // in the compressed file, of the next refill
  bool between_frames_ = true;
};

} // namespace pregel
