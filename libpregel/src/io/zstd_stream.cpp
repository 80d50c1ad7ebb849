#include "zstd_stream.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <string>

namespace pregel {

ZstdStream::ZstdStream(const InputFile& file)
    : file_(file), stream_(ZSTD_createDStream()), input_(ZSTD_DStreamInSize()), output_(ZSTD_DStreamOutSize()) {
  if (!stream_) throw std::bad_alloc();
  left_.src = input_.data();
  // What `zstd --long=31` may have used: 2 GiB would be a bomb's choice, 128 MiB is the tool's own limit.
  ZSTD_DCtx_setParameter(stream_.get(), ZSTD_d_windowLogMax, 27);
}

std::size_t ZstdStream::read(char* data, std::size_t count) {
  std::size_t done = 0;
  while (done < count && (taken_ < ready_ || !ended())) {
    if (taken_ == ready_) {
      decompress();
      continue;
    }
    const std::size_t some = std::min(count - done, ready_ - taken_);
    std::memcpy(data + done, output_.data() + taken_, some);
    taken_ += some;
    done += some;
  }
  return done;
}

void ZstdStream::decompress() {
  taken_ = ready_ = 0;
  const bool more = refill();
  if (!more && between_frames_) return end();
  ZSTD_outBuffer out{output_.data(), output_.size(), 0};
  const std::size_t result = ZSTD_decompressStream(stream_.get(), &out, &left_);
  if (ZSTD_isError(result) != 0)
    return fail("the zstd data are damaged (" + std::string(ZSTD_getErrorName(result)) + ")");
  between_frames_ = result == 0; // a frame is complete and all of it has been handed out
  ready_ = out.pos;
  if (!more && !between_frames_ && ready_ == 0) fail("the zstd data end too early: is the file complete?");
}

bool ZstdStream::refill() {
  if (left_.pos < left_.size) return true;
  const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(input_.size(), file_.size() - offset_));
  if (count == 0) return false;
  file_.read_at(input_.data(), count, offset_);
  offset_ += count;
  left_.pos = 0;
  left_.size = count;
  return true;
}

} // namespace pregel
