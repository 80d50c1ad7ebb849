#include "data/line_reader.hpp"

#include <cstring>

#include <fmt/format.h>

#include "core/agreement.hpp"

namespace ps {
namespace {

constexpr std::size_t kBlock = std::size_t{1} << 20;
constexpr std::size_t kLongestLine = std::size_t{64} << 20;

} // namespace

LineReader::LineReader(ByteSource& source) : source_(source), buffer_(kBlock) {}

bool LineReader::refill() {
  if (at_end_) return false;
  std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
  end_ -= begin_;
  begin_ = 0;
  if (end_ > kLongestLine) {
    throw core::OrderedInputError(
        fmt::format("{}:{}: line longer than {} MiB", source_.path(), number_ + 1, kLongestLine >> 20), number_ + 1);
  }
  if (end_ + 1 >= buffer_.size()) buffer_.resize(2 * buffer_.size());
  const std::size_t room = buffer_.size() - end_ - 1; // a byte is left for the end of a last line that has none
  std::size_t got = 0;
  try {
    got = source_.read({buffer_.data() + end_, room});
  } catch (const core::InputError& error) { // whoever met a wrong line before this place was first
    throw core::OrderedInputError(error.what(), number_ + 1);
  }
  end_ += got;
  at_end_ = got < room;
  return got != 0;
}

bool LineReader::next(std::string_view& line) {
  std::size_t searched = 0; // bytes of the begun line known to hold no end
  const char* found = nullptr;
  while (found == nullptr) {
    const char* const from = buffer_.data() + begin_;
    found = static_cast<const char*>(std::memchr(from + searched, '\n', end_ - begin_ - searched));
    if (found != nullptr) break;
    searched = end_ - begin_;
    if (refill()) continue;
    if (searched == 0) return false;
    buffer_[end_] = '\n';
    found = buffer_.data() + end_++;
  }
  const char* const first = buffer_.data() + begin_;
  begin_ = static_cast<std::size_t>(found - buffer_.data()) + 1;
  std::size_t length = static_cast<std::size_t>(found - first);
  if (length != 0 && first[length - 1] == '\r') --length;
  line = {first, length};
  if (number_++ == 0 && line.starts_with("\xef\xbb\xbf")) line.remove_prefix(3);
  return true;
}

} // namespace ps
