// Matrix Market, as it is specified by NIST (Boisvert, Pozo, Remington: The Matrix Market Exchange Formats, 1996):
//
//   %%MatrixMarket matrix coordinate real|integer|pattern general|symmetric|skew-symmetric
//   % comments
//   rows columns entries
//   row column [value]                                  `entries` times, numbered from 1
//
// An entry is an edge from its row to its column, and the vertices are 1 .. n, those without an entry included; so the
// matrix must be square. A symmetric matrix is stored by half (which half does not matter here) and is an undirected
// graph. A skew-symmetric one is directed: an entry stands for an edge with its value and for the opposite edge with
// the opposite value. Dense (array), complex and Hermitian matrices are refused.
#include <algorithm>
#include <array>
#include <cctype>
#include <string>

#include <fmt/format.h>

#include "core/agreement.hpp"
#include "core/error.hpp"
#include "pregel/error.hpp"
#include "pregel/io/fields.hpp"
#include "reading.hpp"
#include "text_head.hpp"

namespace pregel {
namespace {

enum class Values { pattern, integer, real };
enum class Symmetry { general, symmetric, skew };

struct Header {
  HeaderLine line; // of the sizes
  Values values = Values::pattern;
  Symmetry symmetry = Symmetry::general;
  std::uint64_t vertices = 0, entries = 0;
};

[[nodiscard]] std::string lower_case(std::string_view word) {
  std::string lower(word);
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return lower;
}

/// The first line. Returns why it is refused, empty if it is not.
[[nodiscard]] std::string parse_banner(std::string_view line, Header& header) {
  std::vector<std::string> words;
  for (const std::string_view word : split_columns(line)) words.push_back(lower_case(word));
  if (words.empty() || words[0] != "%%matrixmarket")
    return "a Matrix Market file begins with '%%MatrixMarket matrix coordinate ...': if this is another format, say "
           "so (--format)";
  if (words.size() != 5)
    return fmt::format("expected '%%MatrixMarket object format values symmetry', found {} words", words.size());
  if (words[1] != "matrix") return in_quotes(words[1]) + " is no graph: the object must be 'matrix'";
  if (words[2] == "array") return "this is a dense matrix (array): a graph is a sparse one (coordinate)";
  if (words[2] != "coordinate") return in_quotes(words[2]) + ": the format must be 'coordinate'";
  if (words[3] == "complex") return "the values are complex: weights are real";
  if (words[3] == "pattern")
    header.values = Values::pattern;
  else if (words[3] == "integer")
    header.values = Values::integer;
  else if (words[3] == "real" || words[3] == "double")
    header.values = Values::real;
  else
    return in_quotes(words[3]) + ": values must be 'pattern', 'integer' or 'real'";
  if (words[4] == "general")
    header.symmetry = Symmetry::general;
  else if (words[4] == "symmetric")
    header.symmetry = Symmetry::symmetric;
  else if (words[4] == "skew-symmetric")
    header.symmetry = Symmetry::skew;
  else
    return in_quotes(words[4]) + ": the symmetry must be 'general', 'symmetric' or 'skew-symmetric'";
  if (header.symmetry == Symmetry::skew && header.values == Values::pattern)
    return "a skew-symmetric matrix has values: 'pattern' cannot be";
  return {};
}

/// The line of sizes.
[[nodiscard]] std::string parse_sizes(std::string_view line, Header& header) {
  const std::vector<std::string_view> words = split_columns(line);
  if (words.size() != 3) return fmt::format("expected 'rows columns entries', found {} columns", words.size());
  std::array<std::uint64_t, 3> sizes{};
  for (std::size_t i = 0; i < 3; ++i) {
    const auto size = parse_count(words[i]);
    if (!size) return in_quotes(words[i]) + " is no size: expected 'rows columns entries'";
    sizes[i] = *size;
  }
  if (sizes[0] != sizes[1])
    return fmt::format("a graph is a square matrix, and this one has {} rows and {} columns", sizes[0], sizes[1]);
  header.vertices = sizes[0];
  header.entries = sizes[2];
  return {};
}

/// Local.
[[nodiscard]] Header read_header(const Reading& reading) {
  Header header;
  TextHead head(reading.options.graph_file);
  const auto refuse = [&](std::uint64_t line, const std::string& reason) {
    throw FileError(reading.options.graph_file, line, reason);
  };
  const std::optional<HeadLine> banner = head.next();
  if (!banner) refuse(1, "the file is empty: expected '%%MatrixMarket matrix coordinate ...'");
  if (const std::string reason = parse_banner(banner->text, header); !reason.empty()) refuse(1, reason);
  std::uint64_t last = 1;
  while (const std::optional<HeadLine> line = head.next()) {
    last = line->number;
    const std::size_t first = line->text.find_first_not_of(" \t");
    if (first == std::string::npos || line->text[first] == '%') continue;
    header.line = {line->number, line->end};
    if (const std::string reason = parse_sizes(line->text, header); !reason.empty()) refuse(line->number, reason);
    require_vertex_room(reading, header.line, header.vertices);
    return header;
  }
  refuse(last, "the file ends before the line 'rows columns entries'");
  return header;
}

/// The lines of entries. Only yes or no in the loop; the reason is worked out on the line that was refused.
class EntryParser {
 public:
  EntryParser(const Header& header, bool weighted, bool both) : header_(header), weighted_(weighted), both_(both) {}

  [[nodiscard]] std::optional<BadLine> parse(std::string_view lines, ThreadShare& share) const {
    return for_each_line(
        lines, [&](const char* p) { return parse_entry(p, share); },
        [&](std::string_view line) { return why_not(line); });
  }

 private:
  const char* parse_entry(const char* p, ThreadShare& share) const {
    std::uint64_t row = 0, column = 0;
    double value = 1;
    if ((p = parse_field(p, row)) == nullptr || (p = parse_field(skip_blanks(p), column)) == nullptr) return nullptr;
    if (row - 1 >= header_.vertices || column - 1 >= header_.vertices) return nullptr;
    if (header_.values != Values::pattern) {
      if ((p = parse_value_of_entry(skip_blanks(p), value)) == nullptr) return nullptr;
    }
    p = skip_blanks(p);
    while (*p == '\r') ++p;
    if (*p != '\n' || (header_.symmetry == Symmetry::skew && row == column)) return nullptr;
    ++share.entries;
    if (!weighted_) value = 1;
    share.edges.append({GlobalId{row}, GlobalId{column}}, value);
    if (both_ && row != column)
      share.edges.append({GlobalId{column}, GlobalId{row}},
                         header_.symmetry == Symmetry::skew && weighted_ ? -value : value);
    return p + 1;
  }

  const char* parse_value_of_entry(const char* p, double& value) const {
    const char* const end = parse_weight(p, value);
    if (end == nullptr || header_.values == Values::real) return end;
    return std::all_of(p, end, [](char c) { return (c >= '0' && c <= '9') || c == '-' || c == '+'; }) ? end : nullptr;
  }

  [[nodiscard]] std::string why_not(std::string_view line) const {
    const std::vector<std::string_view> fields = split_columns(line);
    const bool pattern = header_.values == Values::pattern;
    for (std::size_t i = 0; i < std::min<std::size_t>(2, fields.size()); ++i) {
      const auto id = parse_count(fields[i]);
      if (!id) return why_not_an_id(fields[i]);
      if (*id == 0 || *id > header_.vertices)
        return fmt::format("{} is not an index of this matrix: they go from 1 to {}", *id, header_.vertices);
    }
    if (fields.size() != (pattern ? 2U : 3U)) {
      return fmt::format("expected '{}', found {} column{}", pattern ? "row column" : "row column value", fields.size(),
                         fields.size() == 1 ? "" : "s");
    }
    if (header_.symmetry == Symmetry::skew && fields[0] == fields[1])
      return "a skew-symmetric matrix has no entries on the diagonal";
    if (header_.values == Values::integer && fields[2].find_first_not_of("+-0123456789") != std::string_view::npos)
      return in_quotes(fields[2]) + " is not an integer, as the header promises";
    return why_not_a_weight(fields[2], "value");
  }

  const Header& header_;
  bool weighted_, both_;
};

} // namespace

GraphInput read_matrix_market(const Reading& reading) {
  require_numbers(reading, "Matrix Market");
  const Header header = core::agree(reading.comm, [&] { return read_header(reading); });
  const bool weighted = core::agree(reading.comm, [&] {
    return reads_weights(reading, header.line, header.values != Values::pattern, "a pattern matrix has no values");
  });
  const bool as_directed = reading.options.directed.value_or(header.symmetry != Symmetry::symmetric);
  const EntryParser parser(header, weighted, as_directed && header.symmetry != Symmetry::general);
  ThreadShares shares = make_shares(reading, weighted);
  read_placed_lines(reading.comm, reading.options.graph_file, reading.team, reading.options.limits, header.line.end,
                    [&](int thread, std::uint64_t, std::string_view lines) {
                      return parser.parse(lines, of_thread(shares, thread));
                    });
  require_entries(reading, shares, header.line, header.entries, "entries");
  GraphInput input = join(reading, std::move(shares));
  input.contiguous_first = 1;
  input.contiguous_vertices = header.vertices;
  input.directed = header.symmetry != Symmetry::symmetric;
  return input;
}

} // namespace pregel
