// What ranks agree on when they read a text file together, and the rare cases of single lines.
#include "pregel/io/text_lines.hpp"

#include <algorithm>
#include <limits>

#include "compressed_stream.hpp"
#include "core/agreement.hpp"
#include "core/collectives.hpp"
#include "core/error.hpp"
#include "line_source.hpp"
#include "pregel/error.hpp"

namespace pregel {
namespace {

constexpr char kZeroByte[] = "this line holds a zero byte: binary data or UTF-16, not a text file";
constexpr char kStrayReturn[] =
    "a carriage return inside the line: convert the line ends (tr '\\r' '\\n' for those of old Macs)";

/// Opens the file on every rank and checks that all see the same one.
[[nodiscard]] std::unique_ptr<LineSource> open_source(const core::Communicator& comm, const std::string& path) {
  std::uint64_t size = 0;
  auto source = core::agree(comm, [&] {
    InputFile file(path);
    size = file.size();
    return is_compressed(file) ? make_compressed_source(std::move(file)) : make_plain_source(std::move(file));
  });
  const std::uint64_t first = core::broadcast_value(comm, size, 0);
  core::agree(comm, [&] {
    if (size == first) return;
    throw core::InputError("cannot read " + path + ": ranks see files of different sizes (" + std::to_string(first) +
                           " and " + std::to_string(size) + " bytes); is it on a shared file system?");
  });
  return source;
}

} // namespace

void read_lines(const core::Communicator& comm, const std::string& path, core::ThreadTeam& team,
                const TextLimits& limits, const BlockParser& parse) {
  read_placed_lines(comm, path, team, limits, 0,
                    [&](int thread, std::uint64_t, std::string_view lines) { return parse(thread, lines); });
}

void read_placed_lines(const core::Communicator& comm, const std::string& path, core::ThreadTeam& team,
                       const TextLimits& limits, std::uint64_t first_byte, const PlacedParser& parse) {
  constexpr std::uint64_t kNoFault = std::numeric_limits<std::uint64_t>::max();
  const auto source = open_source(comm, path);
  const Share share{static_cast<std::uint64_t>(comm.rank()), static_cast<std::uint64_t>(comm.size())};
  const auto fault = core::agree(comm, [&]() -> std::optional<LineFault> {
    const TextParser parser{first_byte, parse};
    if (!limits.in_order || source->in_order()) return source->parse(share, team, limits, parser);
    core::ThreadTeam one(1);
    if (comm.rank() == 0) return source->parse({0, 1}, one, limits, parser);
    return std::nullopt;
  });

  // Only the rank with the first bad line counts the lines before it.
  const std::uint64_t mine = fault ? fault->position : kNoFault;
  const std::uint64_t first = core::all_reduce_value(comm, mine, core::Reduce::min);
  if (first == kNoFault) return;
  core::agree(comm, [&] {
    if (mine == first) throw FileError(path, source->line_number(first), fault->reason);
  });
}

std::optional<LineFault> parse_lines_at(std::uint64_t position, std::string_view lines, int thread,
                                        const TextParser& parser) {
  const auto skip = [&](std::uint64_t bytes) {
    lines.remove_prefix(static_cast<std::size_t>(bytes));
    position += bytes;
  };
  if (position == 0) {
    if (lines.starts_with(kByteOrderMark)) skip(kByteOrderMark.size());
    if (parser.first_byte == 0) {
      if (std::string reason = foreign_format(lines); !reason.empty()) return LineFault{0, reason};
    }
  }
  if (position < parser.first_byte) skip(std::min<std::uint64_t>(parser.first_byte - position, lines.size()));
  if (lines.empty()) return std::nullopt;
  auto bad = parser.parse(thread, position, lines);
  if (!bad) return std::nullopt;
  return LineFault{position + bad->offset, std::move(bad->reason)};
}

std::string foreign_format(std::string_view head) {
  struct Magic {
    std::string_view bytes;
    const char* reason;
  };
  static constexpr Magic kMagics[] = {
      {"\x89HDF", "this is an HDF5 file, not a text file"},
      {"\xff\xfe", "this is UTF-16 text: convert it (iconv -f UTF-16 -t UTF-8)"},
      {"\xfe\xff", "this is UTF-16 text: convert it (iconv -f UTF-16 -t UTF-8)"},
      {"\x1f\x8b", "the compressed data hold gzip data again: decompress the file once"},
      {"\x28\xb5\x2f\xfd", "the compressed data hold zstd data again: decompress the file once"},
      {"BZh9", "this is a bzip2 file: decompress it first (gzip and zstd are read as they are)"},
      {"\xfd"
       "7zXZ",
       "this is an xz file: decompress it first (gzip and zstd are read as they are)"},
      {"PK\x03\x04", "this is a zip archive: unpack it first (gzip and zstd are read as they are)"},
      {"%%MatrixMarket", "this is a Matrix Market file: its line of sizes would be taken for data"},
  };
  for (const Magic& magic : kMagics) {
    if (head.starts_with(magic.bytes)) return magic.reason;
  }
  return {};
}

LineFault too_long(std::uint64_t position, std::string_view begin, const TextLimits& limits) {
  const bool binary = begin.find('\0') != std::string_view::npos;
  return {position,
          binary ? kZeroByte
                 : "a line of more than " + std::to_string(limits.longest_line) + " bytes: is this a text file?"};
}

std::optional<LineFault> first_fault(std::vector<std::optional<LineFault>>& faults) {
  std::optional<LineFault> first;
  for (auto& fault : faults) {
    if (fault && (!first || fault->position < first->position)) first = std::move(fault);
  }
  return first;
}

namespace detail {

const char* skip_columns(const char* p) noexcept {
  for (; *p != '\n'; ++p) {
    if (*p == '\0') return nullptr;
    if (*p == '\r' && p[1] != '\n' && p[1] != '\r') return nullptr;
  }
  return p + 1;
}

const char* skip_comment(const char* p, const char* end) noexcept {
  const auto* newline = static_cast<const char*>(std::memchr(p, '\n', static_cast<std::size_t>(end - p)));
  const char* last = newline;
  while (last[-1] == '\r') --last; // ends at the comment sign at the latest
  return std::memchr(p, '\r', static_cast<std::size_t>(last - p)) == nullptr ? newline + 1 : nullptr;
}

} // namespace detail

std::string why_not_text(std::string_view line) {
  const std::size_t first = line.find_first_not_of(" \t");
  const bool comment = first != std::string_view::npos && (line[first] == '#' || line[first] == '%');
  if (!comment && line.find('\0') != std::string_view::npos) return kZeroByte;
  while (line.ends_with('\r')) line.remove_suffix(1);
  return line.find('\r') != std::string_view::npos ? kStrayReturn : "";
}

} // namespace pregel
