// Lines of a plain file: the byte ranges of text_lines.hpp, read block by block.
#include <algorithm>
#include <cstring>

#include "line_source.hpp"

namespace pregel {
namespace {

struct ByteRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

/// Cut `index` of `count` equal ones, 0 <= index <= count, without overflow.
[[nodiscard]] std::uint64_t cut(std::uint64_t size, std::uint64_t index, std::uint64_t count) {
  return size / count * index + std::min(size % count, index);
}

/// Reads the lines that begin in one range, in order.
class RangeReader {
 public:
  RangeReader(const InputFile& file, ByteRange range, const TextLimits& limits)
      : file_(file),
        range_(range),
        limits_(limits),
        capacity_(std::clamp<std::size_t>(limits.block_bytes, 1, limits.longest_line + 1)) {}

  [[nodiscard]] std::optional<LineFault> parse(int thread, const TextParser& parser) {
    if (range_.begin == range_.end) return std::nullopt;
    capacity_ = static_cast<std::size_t>(std::min<std::uint64_t>(capacity_, file_.size()));
    buffer_ = make_line_buffer(capacity_);
    std::uint64_t position = first_line();
    while (position < range_.end) {
      const std::size_t got = read_block(position);
      const bool at_end = position + got == file_.size();
      std::size_t length = whole_lines(got, range_.end - position, at_end);
      if (length == 0) { // the line that begins here is longer than what was read
        if (got > limits_.longest_line) return too_long(position, {buffer_.get(), got}, limits_);
        grow(got);
        continue;
      }
      const std::uint64_t next = position + length;
      if (buffer_[length - 1] != '\n') buffer_[length++] = '\n'; // the end of a file that has no newline there
      auto fault = parse_lines_at(position, {buffer_.get(), length}, thread, parser);
      if (fault) return fault;
      position = next;
    }
    return std::nullopt;
  }

 private:
  /// Where the first line that belongs to this range begins: after the first newline at or after begin-1.
  [[nodiscard]] std::uint64_t first_line() {
    if (range_.begin == 0) return 0;
    std::size_t step = std::min<std::size_t>(capacity_, 4096);
    for (std::uint64_t position = range_.begin - 1; position < range_.end - 1;) {
      const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(step, range_.end - 1 - position));
      file_.read_at(buffer_.get(), count, position);
      const auto* newline = static_cast<const char*>(std::memchr(buffer_.get(), '\n', count));
      if (newline != nullptr) return position + static_cast<std::uint64_t>(newline - buffer_.get()) + 1;
      position += count;
      step = capacity_;
    }
    return range_.end;
  }

  /// Fills the buffer from `position`: not beyond the file, and beyond the range only by what its last line may need.
  [[nodiscard]] std::size_t read_block(std::uint64_t position) {
    const std::uint64_t wanted = std::min(range_.end - position + overhang_, file_.size() - position);
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(capacity_, wanted));
    file_.read_at(buffer_.get(), count, position);
    return count;
  }

  /// How many of the `got` bytes are whole lines that begin among the first `remaining` bytes. At the end of the file
  /// the last line needs no newline.
  [[nodiscard]] std::size_t whole_lines(std::size_t got, std::uint64_t remaining, bool at_end) const {
    const char* const data = buffer_.get();
    if (got >= remaining) {
      const auto last = static_cast<std::size_t>(remaining) - 1; // the byte that the last line holds
      const auto* newline = static_cast<const char*>(std::memchr(data + last, '\n', got - last));
      if (newline != nullptr) return static_cast<std::size_t>(newline - data) + 1;
      if (at_end) return got;
    }
    for (std::size_t length = got; length > 0; --length) {
      if (data[length - 1] == '\n') return length;
    }
    return 0;
  }

  void grow(std::size_t got) {
    overhang_ = got * 2;
    if (capacity_ > got) return; // it was the overhang that was too short
    capacity_ = std::min(capacity_ * 2, limits_.longest_line + 1);
    buffer_ = make_line_buffer(capacity_);
  }

  const InputFile& file_;
  const ByteRange range_;
  const TextLimits& limits_;
  std::size_t capacity_;
  std::uint64_t overhang_ = 4096;
  std::unique_ptr<char[]> buffer_;
};

class PlainSource final : public LineSource {
 public:
  explicit PlainSource(InputFile file) : file_(std::move(file)) {}

  std::optional<LineFault> parse(Share share, core::ThreadTeam& team, const TextLimits& limits,
                                 const TextParser& parser) const override {
    const auto threads = static_cast<std::uint64_t>(team.size());
    const std::uint64_t ranges = share.count * threads;
    std::vector<std::optional<LineFault>> faults(threads);
    team.run([&](int thread) {
      const std::uint64_t index = share.index * threads + static_cast<std::uint64_t>(thread);
      const ByteRange range{cut(file_.size(), index, ranges), cut(file_.size(), index + 1, ranges)};
      faults[static_cast<std::size_t>(thread)] = RangeReader(file_, range, limits).parse(thread, parser);
    });
    return first_fault(faults);
  }

  bool in_order() const noexcept override { return true; }

  std::uint64_t line_number(std::uint64_t position) const override {
    std::vector<char> buffer(static_cast<std::size_t>(std::min<std::uint64_t>(position, std::uint64_t{1} << 20)));
    std::uint64_t line = 1;
    for (std::uint64_t offset = 0; offset < position; offset += buffer.size()) {
      const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(buffer.size(), position - offset));
      file_.read_at(buffer.data(), count, offset);
      line += static_cast<std::uint64_t>(std::count(buffer.data(), buffer.data() + count, '\n'));
    }
    return line;
  }

 private:
  InputFile file_;
};

} // namespace

std::unique_ptr<LineSource> make_plain_source(InputFile file) {
  return std::make_unique<PlainSource>(std::move(file));
}

} // namespace pregel
