// Text files read in parallel, line by line, for every line format: the format supplies a function that parses a block
// of whole lines, and this file sees to who reads what, long lines, line ends, compression and error lines.
//
// A plain file is cut into as many equal byte ranges as there are threads on all ranks. A line belongs to the range in
// which its first byte lies; so a range begins after the first line end at or after its cut and runs on to the end of
// its last line, and the ranges together hold each line once. Blocks are read by pread into one buffer a thread: the
// memory in use does not depend on the file.
//
// A gzip or zstd stream (recognised by its first bytes, whatever its name; several members or frames in a row are one
// stream) cannot be entered in the middle. Every rank inflates all of it and parses every size-th block; inflating
// costs about 3 ns a byte (zstd: 1 ns) and limits what ranks can gain.
//
// The format's function reports its first bad line by its offset. Ranks agree on the smallest one, and only then is the
// file read again up to it, to count lines: no line is counted in a file that is good.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "core/communicator.hpp"
#include "core/thread_team.hpp"
#include "pregel/io/fields.hpp"

namespace pregel {

/// Sizes of the reader's buffers. Tests lower them to meet every boundary in a small file.
struct TextLimits {
  std::size_t block_bytes = std::size_t{2} << 20;   ///< read at once by a thread
  std::size_t longest_line = std::size_t{64} << 20; ///< longer lines, comments too, are refused
  /// Ranks, and on a rank threads, get the lines in the order of the file. Plain files are dealt out so anyway; a
  /// compressed one is then parsed by rank 0 alone.
  bool in_order = false;
};

/// A line that a format refuses.
struct BadLine {
  std::size_t offset = 0; ///< of its first byte in the block
  std::string reason;
};

/// Parses whole lines, called on thread `thread` of the team (0 .. size-1), any number of times. Each line ends with
/// '\n', also the last of a file that does not; kFieldPadding readable bytes follow. Returns the first bad line.
using BlockParser = std::function<std::optional<BadLine>(int thread, std::string_view lines)>;

/// Has every line of the file at `path` parsed once, on some rank and thread; a thread gets its lines in ascending
/// order, and for equal ranks and threads the same ones each time. A leading UTF-8 byte order mark is removed. Throws
/// FileError with the first bad line of the file, InputError if the file cannot be read; the same on all ranks.
/// Collective.
void read_lines(const core::Communicator& comm, const std::string& path, core::ThreadTeam& team,
                const TextLimits& limits, const BlockParser& parse);

/// The same for formats with a header, and for those in which the place of a line says something: lines before
/// `first_byte`, which begins a line, are left out, and the parser learns at which byte of the (inflated) text its
/// lines begin. For equal ranks, threads and limits the blocks are the same each time.
using PlacedParser = std::function<std::optional<BadLine>(int thread, std::uint64_t position, std::string_view lines)>;
void read_placed_lines(const core::Communicator& comm, const std::string& path, core::ThreadTeam& team,
                       const TextLimits& limits, std::uint64_t first_byte, const PlacedParser& parse);

namespace detail {

/// The start of the next line when the rest of this one, from `p`, is blank or further columns; null when it holds a
/// zero byte or a carriage return that no line end follows.
[[nodiscard]] const char* skip_columns(const char* p) noexcept;
/// The same for a comment, in which zero bytes do no harm.
[[nodiscard]] const char* skip_comment(const char* p, const char* end) noexcept;

} // namespace detail

/// Ends a line after its last wanted column: skips blanks, further columns and the line end. Returns the start of the
/// next line, or null for binary data and stray carriage returns.
[[nodiscard]] inline const char* finish_line(const char* p) noexcept {
  p = skip_blanks(p);
  return *p == '\n' ? p + 1 : detail::skip_columns(p);
}

/// Why finish_line() or a comment refused `line`; empty when it would not. `line` is without its '\n'.
[[nodiscard]] std::string why_not_text(std::string_view line);

/// Walks the lines of a block. Blank lines and comments (first byte that is not blank: # or %) are skipped; for the
/// others parse_line(p), with p at the first byte that is not blank, returns the start of the next line (finish_line)
/// or null to refuse the line; explain(line) then gives the reason. With `kBlankCounts` blank lines are parsed too;
/// with `kWholeLine` p is the first byte of the line, because blanks separate columns.
template <bool kBlankCounts = false, bool kWholeLine = false, class ParseLine, class Explain>
[[nodiscard]] std::optional<BadLine> for_each_line(std::string_view lines, ParseLine&& parse_line, Explain&& explain) {
  const char* const end = lines.data() + lines.size();
  for (const char* line = lines.data(); line != end;) {
    const char* p = skip_blanks(line);
    const char* next = nullptr;
    if (!kBlankCounts && *p == '\n') {
      next = p + 1;
    } else if (*p == '#' || *p == '%') {
      next = detail::skip_comment(p, end);
    } else if (!kBlankCounts && *p == '\r') {
      next = detail::skip_columns(p);
    } else {
      next = parse_line(kWholeLine ? line : p);
    }
    if (next == nullptr) [[unlikely]] {
      const auto length = static_cast<std::size_t>(
          static_cast<const char*>(std::memchr(line, '\n', static_cast<std::size_t>(end - line))) - line);
      const std::string_view text(line, length);
      std::string reason = why_not_text(text);
      if (reason.empty()) reason = explain(text);
      return BadLine{static_cast<std::size_t>(line - lines.data()), std::move(reason)};
    }
    line = next;
  }
  return std::nullopt;
}

} // namespace pregel
