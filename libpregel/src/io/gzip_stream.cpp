#include "gzip_stream.hpp"

#include <algorithm>
#include <limits>
#include <new>
#include <utility>

namespace pregel {
namespace {

constexpr std::size_t kCompressedBytes = std::size_t{256} << 10;
constexpr int kGzipOnly = 15 + 16; // zlib's window bits: the largest window, and a gzip header

} // namespace

GzipStream::GzipStream(const InputFile& file) : file_(file), input_(kCompressedBytes) {
  if (inflateInit2(&stream_, kGzipOnly) != Z_OK) throw std::bad_alloc();
}

GzipStream::~GzipStream() {
  inflateEnd(&stream_);
}

std::size_t GzipStream::read(char* data, std::size_t count) {
  std::size_t done = 0;
  while (done < count && !ended()) {
    refill();
    const auto room = static_cast<uInt>(std::min<std::size_t>(count - done, std::numeric_limits<uInt>::max()));
    stream_.next_out = reinterpret_cast<Bytef*>(data + done);
    stream_.avail_out = room;
    const int result = inflate(&stream_, Z_NO_FLUSH);
    done += room - stream_.avail_out;
    if (result == Z_STREAM_END) {
      next_member();
    } else if (result == Z_BUF_ERROR) { // no progress: all input is used and the member has not ended
      fail("the gzip data end too early: is the file complete?");
    } else if (result == Z_MEM_ERROR) {
      throw std::bad_alloc();
    } else if (result != Z_OK) {
      const bool at_header = !first_member_ && stream_.total_in < 10;
      fail(at_header ? "something that is not gzip data follows the end of the gzip data"
                     : "the gzip data are damaged (" + std::string(stream_.msg ? stream_.msg : "no detail") + ")");
    }
  }
  return done;
}

bool GzipStream::refill() {
  if (stream_.avail_in > 0) return true;
  const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(input_.size(), file_.size() - offset_));
  if (count == 0) return false;
  file_.read_at(reinterpret_cast<char*>(input_.data()), count, offset_);
  offset_ += count;
  stream_.next_in = input_.data();
  stream_.avail_in = static_cast<uInt>(count);
  return true;
}

void GzipStream::next_member() {
  while (refill()) {
    if (*stream_.next_in != 0) {
      inflateReset(&stream_);
      first_member_ = false;
      return;
    }
    ++stream_.next_in;
    --stream_.avail_in;
  }
  end();
}

} // namespace pregel
