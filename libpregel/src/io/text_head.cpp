#include "text_head.hpp"

#include <algorithm>

#include "line_source.hpp"
#include "pregel/error.hpp"

namespace pregel {
namespace {

constexpr std::size_t kStep = std::size_t{64} << 10;
constexpr std::size_t kLongestHead = std::size_t{64} << 20;

} // namespace

TextHead::TextHead(const std::string& path) : file_(path) {
  if (is_compressed(file_)) stream_ = open_compressed(file_);
  while (text_.size() < kByteOrderMark.size() && read_more()) {
  }
  if (text_.starts_with(kByteOrderMark)) begin_ = kByteOrderMark.size();
}

bool TextHead::read_more() {
  const std::size_t old = text_.size();
  std::size_t count = kStep;
  if (!stream_) count = static_cast<std::size_t>(std::min<std::uint64_t>(kStep, file_.size() - old));
  text_.resize(old + count);
  if (stream_) {
    count = stream_->read(text_.data() + old, count);
    text_.resize(old + count);
  } else {
    file_.read_at(text_.data() + old, count, old);
  }
  return count > 0;
}

std::string TextHead::first_bytes(std::size_t count) {
  const std::size_t begin = text_.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
  while (text_.size() < begin + count && read_more()) {
  }
  return text_.substr(begin, count);
}

std::optional<HeadLine> TextHead::next() {
  std::size_t end = text_.find('\n', begin_);
  while (end == std::string::npos) {
    const std::size_t searched = text_.size();
    if (searched - begin_ > kLongestHead)
      throw FileError(file_.path(), number_ + 1, "this line has no end: is this a text file?");
    if (!read_more()) {
      if (stream_ && !stream_->failure().empty()) throw FileError(file_.path(), number_ + 1, stream_->failure());
      break;
    }
    end = text_.find('\n', searched);
  }
  if (end == std::string::npos && begin_ == text_.size()) return std::nullopt;
  HeadLine line;
  line.text = text_.substr(begin_, std::min(end, text_.size()) - begin_);
  line.number = ++number_;
  begin_ = end == std::string::npos ? text_.size() : end + 1;
  line.end = begin_;
  while (line.text.ends_with('\r')) line.text.pop_back();
  return line;
}

} // namespace pregel
