// Where lines come from: a plain file (plain_source.cpp) or a compressed stream (compressed_source.cpp). One rank's
// view; what ranks agree on is in text_lines.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/thread_team.hpp"
#include "input_file.hpp"
#include "pregel/io/text_lines.hpp"

namespace pregel {

/// Where a source stopped: the first byte of a line, as an offset into the (inflated) text, and why.
struct LineFault {
  std::uint64_t position = 0;
  std::string reason;
};

/// Part `index` of `count`.
struct Share {
  std::uint64_t index = 0;
  std::uint64_t count = 1;
};

/// What becomes of the lines: those before `first_byte` are left out.
struct TextParser {
  std::uint64_t first_byte = 0;
  const PlacedParser& parse;
};

class LineSource {
 public:
  LineSource() = default;
  LineSource(const LineSource&) = delete;
  LineSource& operator=(const LineSource&) = delete;
  virtual ~LineSource() = default;

  /// Has the lines of this rank's share parsed by the team. Returns the first fault in it. Local.
  [[nodiscard]] virtual std::optional<LineFault> parse(Share share, core::ThreadTeam& team, const TextLimits& limits,
                                                       const TextParser& parser) const = 0;
  /// Whether shares and threads get consecutive parts of the text. Local.
  [[nodiscard]] virtual bool in_order() const noexcept = 0;
  /// The number, from 1, of the line that begins at `position`. Reads everything before it. Local.
  [[nodiscard]] virtual std::uint64_t line_number(std::uint64_t position) const = 0;
};

[[nodiscard]] std::unique_ptr<LineSource> make_plain_source(InputFile file);
[[nodiscard]] std::unique_ptr<LineSource> make_compressed_source(InputFile file);

/// Zeroed memory for `bytes` bytes of lines, a line end and the padding.
[[nodiscard]] inline std::unique_ptr<char[]> make_line_buffer(std::size_t bytes) {
  return std::make_unique<char[]>(bytes + 1 + kFieldPadding);
}

/// Parses a block of whole lines that begins at `position`. At the beginning of the text it removes a byte order mark
/// and, unless a header was read already, refuses what other programs' magic numbers show not to be text.
[[nodiscard]] std::optional<LineFault> parse_lines_at(std::uint64_t position, std::string_view lines, int thread,
                                                      const TextParser& parser);

/// What the first bytes of a text show it to be, if not text; empty if they show nothing.
[[nodiscard]] std::string foreign_format(std::string_view head);
/// A byte order mark that begins a text and belongs to no line.
inline constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

/// The fault of a line that is longer than limits.longest_line; `begin` is what was read of it.
[[nodiscard]] LineFault too_long(std::uint64_t position, std::string_view begin, const TextLimits& limits);

/// The fault nearest to the beginning.
[[nodiscard]] std::optional<LineFault> first_fault(std::vector<std::optional<LineFault>>& faults);

} // namespace pregel
