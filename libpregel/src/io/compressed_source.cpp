// Lines of a compressed file. Every rank inflates the whole stream and cuts it into the same blocks of whole lines;
// block k is parsed by rank k mod size. A rank collects as many of its blocks as it has threads, then parses them side
// by side.
#include <algorithm>
#include <cstring>

#include "compressed_stream.hpp"
#include "line_source.hpp"

namespace pregel {
namespace {

/// A buffer of inflated text that begins at a line.
struct TextBlock {
  std::unique_ptr<char[]> data;
  std::size_t capacity = 0;
  std::uint64_t position = 0; // of data[0] in the text
  std::size_t used = 0;       // bytes inflated into it
  std::size_t lines = 0;      // bytes of whole lines among them

  /// Makes room for `bytes`, keeping what is there.
  void reserve(std::size_t bytes) {
    if (bytes <= capacity) return;
    auto larger = make_line_buffer(bytes);
    std::copy_n(data.get(), used, larger.get());
    data = std::move(larger);
    capacity = bytes;
  }
  [[nodiscard]] std::string_view tail() const { return {data.get() + lines, used - lines}; }
};

/// Cuts the stream into blocks, the same ones on every rank.
class BlockCutter {
 public:
  BlockCutter(const InputFile& file, const TextLimits& limits)
      : stream_(open_compressed(file)),
        limits_(limits),
        block_bytes_(std::clamp<std::size_t>(limits.block_bytes, 1, limits.longest_line + 1)) {}

  /// Fills `block` with the next whole lines, after `tail`, the incomplete line that ended the block before (which may
  /// lie in the same buffer). False when nothing is left, or fault() says what is wrong with the next line.
  [[nodiscard]] bool next(TextBlock& block, std::string_view tail) {
    if (!fault_.reason.empty()) return false;
    start(block, tail);
    for (std::size_t wanted = block_bytes_;; wanted = std::min(wanted * 2, limits_.longest_line + 1)) {
      block.reserve(wanted);
      if (block.used < wanted) block.used += stream_->read(block.data.get() + block.used, wanted - block.used);
      block.lines = whole_lines(block);
      if (block.lines > 0 || stream_->ended()) break;
      if (block.used > limits_.longest_line) {
        fault_ = too_long(block.position, {block.data.get(), block.used}, limits_);
        return false;
      }
    }
    position_ = block.position + block.lines;
    if (!stream_->failure().empty()) {
      fault_ = {position_, stream_->failure()};
    } else if (stream_->ended() && block.lines < block.used) {
      block.data[block.used++] = '\n'; // the end of a text that has no newline there
      block.lines = block.used;
    }
    return block.lines > 0;
  }

  /// What stopped the cutter; empty reason if nothing did.
  [[nodiscard]] const LineFault& fault() const { return fault_; }

 private:
  void start(TextBlock& block, std::string_view tail) {
    if (block.capacity < std::max(tail.size(), block_bytes_)) {
      TextBlock fresh;
      fresh.reserve(std::max(tail.size(), block_bytes_));
      std::copy_n(tail.data(), tail.size(), fresh.data.get());
      block = std::move(fresh);
    } else if (!tail.empty()) {
      std::memmove(block.data.get(), tail.data(), tail.size());
    }
    block.position = position_;
    block.used = tail.size();
    block.lines = 0;
  }

  [[nodiscard]] static std::size_t whole_lines(const TextBlock& block) {
    for (std::size_t length = block.used; length > 0; --length) {
      if (block.data[length - 1] == '\n') return length;
    }
    return 0;
  }

  std::unique_ptr<CompressedStream> stream_;
  const TextLimits& limits_;
  std::size_t block_bytes_;
  std::uint64_t position_ = 0; // of the next block in the text
  LineFault fault_;
};

class CompressedSource final : public LineSource {
 public:
  explicit CompressedSource(InputFile file) : file_(std::move(file)) {}

  std::optional<LineFault> parse(Share share, core::ThreadTeam& team, const TextLimits& limits,
                                 const TextParser& parser) const override {
    const auto threads = static_cast<std::size_t>(team.size());
    BlockCutter cutter(file_, limits);
    std::vector<TextBlock> mine(threads); // blocks of this share that wait for being parsed
    TextBlock spare;                      // blocks of others
    std::string_view tail;
    std::size_t waiting = 0;
    for (std::uint64_t block = 0;; ++block) {
      const bool owned = block % share.count == share.index;
      TextBlock& target = owned ? mine[waiting] : spare;
      const bool more = cutter.next(target, tail);
      if (more) tail = target.tail();
      if (more && owned) ++waiting;
      if (waiting == threads || !more) {
        if (auto fault = parse_side_by_side(mine, waiting, team, parser)) return fault;
        waiting = 0;
      }
      if (!more) break;
    }
    if (!cutter.fault().reason.empty()) return cutter.fault();
    return std::nullopt;
  }

  bool in_order() const noexcept override { return false; }

  std::uint64_t line_number(std::uint64_t position) const override {
    const auto stream = open_compressed(file_);
    std::vector<char> buffer(std::size_t{1} << 18);
    std::uint64_t line = 1;
    while (position > 0) {
      const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(position, buffer.size()));
      const std::size_t got = stream->read(buffer.data(), wanted);
      if (got == 0) break;
      line += static_cast<std::uint64_t>(std::count(buffer.data(), buffer.data() + got, '\n'));
      position -= got;
    }
    return line;
  }

 private:
  [[nodiscard]] static std::optional<LineFault> parse_side_by_side(const std::vector<TextBlock>& blocks,
                                                                   std::size_t count, core::ThreadTeam& team,
                                                                   const TextParser& parser) {
    std::vector<std::optional<LineFault>> faults(count);
    const auto parse_one = [&](int thread) {
      const auto index = static_cast<std::size_t>(thread);
      if (index >= count) return;
      const TextBlock& block = blocks[index];
      faults[index] = parse_lines_at(block.position, {block.data.get(), block.lines}, thread, parser);
    };
    if (count > 1) {
      team.run(parse_one);
    } else {
      parse_one(0);
    }
    return first_fault(faults);
  }

  InputFile file_;
};

} // namespace

std::unique_ptr<LineSource> make_compressed_source(InputFile file) {
  return std::make_unique<CompressedSource>(std::move(file));
}

} // namespace pregel
