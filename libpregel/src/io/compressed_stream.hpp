// A compressed file as a stream of inflated bytes: gzip (gzip_stream.hpp) or zstd (zstd_stream.hpp).
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <utility>

#include "input_file.hpp"

namespace pregel {

/// Inflates from the beginning. All functions are local.
class CompressedStream {
 public:
  CompressedStream() = default;
  CompressedStream(const CompressedStream&) = delete;
  CompressedStream& operator=(const CompressedStream&) = delete;
  virtual ~CompressedStream() = default;

  /// Inflates up to `count` bytes into `data`. Returns fewer only when the stream has ended: at its end, or where it is
  /// damaged (failure()).
  [[nodiscard]] virtual std::size_t read(char* data, std::size_t count) = 0;

  [[nodiscard]] bool ended() const noexcept { return ended_; }
  /// Why the stream ended before its time; empty when it is sound.
  [[nodiscard]] const std::string& failure() const noexcept { return failure_; }

 protected:
  void end() noexcept { ended_ = true; }
  void fail(std::string reason) {
    failure_ = std::move(reason);
    ended_ = true;
  }

 private:
  bool ended_ = false;
  std::string failure_;
};

/// True if the first bytes are those of gzip or zstd. Local.
[[nodiscard]] bool is_compressed(const InputFile& file);
/// The stream of a file that is_compressed() and outlives it. Local.
[[nodiscard]] std::unique_ptr<CompressedStream> open_compressed(const InputFile& file);

} // namespace pregel
