// The format of the 9th DIMACS implementation challenge, shortest paths (.gr):
//
//   c comment
//   p sp n m               before the first arc
//   a source target weight m times, vertices numbered from 1
//
// Arcs are directed (road networks list both directions), and the vertices are 1 .. n, those without an arc included.
#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "core/agreement.hpp"
#include "pregel/error.hpp"
#include "pregel/io/fields.hpp"
#include "reading.hpp"
#include "text_head.hpp"

namespace pregel {
namespace {

struct Header {
  HeaderLine line;
  std::uint64_t vertices = 0, arcs = 0;
};

/// Local.
[[nodiscard]] Header read_header(const Reading& reading) {
  TextHead head(reading.options.graph_file);
  std::uint64_t last = 1;
  while (const std::optional<HeadLine> line = head.next()) {
    last = line->number;
    const auto refuse = [&](const std::string& reason) {
      throw FileError(reading.options.graph_file, line->number, reason);
    };
    const std::vector<std::string_view> words = split_columns(line->text);
    if (words.empty() || words[0][0] == 'c' || words[0][0] == '#' || words[0][0] == '%') continue;
    if (words[0] != "p") refuse("expected 'p sp vertices arcs' before anything but comments (c)");
    if (words.size() < 2 || words[1] != "sp")
      refuse("this is no shortest-path file: its problem line must be 'p sp vertices arcs'");
    if (words.size() != 4) refuse(fmt::format("expected 'p sp vertices arcs', found {} words", words.size()));
    const auto vertices = parse_count(words[2]), arcs = parse_count(words[3]);
    if (!vertices || !arcs) refuse(in_quotes(words[vertices ? 3 : 2]) + " is no size: expected 'p sp vertices arcs'");
    const Header header{{line->number, line->end}, *vertices, *arcs};
    require_vertex_room(reading, header.line, header.vertices);
    return header;
  }
  throw FileError(reading.options.graph_file, last, "the file ends before the line 'p sp vertices arcs'");
}

[[nodiscard]] std::string why_not(std::string_view line, std::uint64_t vertices) {
  const std::vector<std::string_view> fields = split_columns(line);
  if (fields[0] == "p") return "a second problem line: a file holds one graph";
  if (fields[0] != "a")
    return in_quotes(fields[0]) + " begins no line of this format: expected 'a source target weight'";
  for (std::size_t i = 1; i < std::min<std::size_t>(3, fields.size()); ++i) {
    const auto id = parse_count(fields[i]);
    if (!id) return why_not_an_id(fields[i]);
    if (*id == 0 || *id > vertices)
      return fmt::format("{} is not a vertex of this graph: they go from 1 to {}", *id, vertices);
  }
  if (fields.size() != 4) return fmt::format("expected 'a source target weight', found {} columns", fields.size());
  return why_not_a_weight(fields[3], "weight");
}

[[nodiscard]] std::optional<BadLine> parse_arcs(std::string_view lines, const Header& header, ThreadShare& share) {
  const auto parse_line = [&](const char* p) -> const char* {
    if (*p == 'c' && ends_field(p[1])) return finish_line(p + 1);
    if (*p != 'a' || !is_blank(p[1])) return nullptr;
    std::uint64_t source = 0, target = 0;
    double weight = 1;
    if ((p = parse_field(skip_blanks(p + 1), source)) == nullptr) return nullptr;
    if ((p = parse_field(skip_blanks(p), target)) == nullptr) return nullptr;
    if (source - 1 >= header.vertices || target - 1 >= header.vertices) return nullptr;
    if ((p = parse_weight(skip_blanks(p), weight)) == nullptr) return nullptr;
    p = skip_blanks(p);
    while (*p == '\r') ++p;
    if (*p != '\n') return nullptr;
    ++share.entries;
    share.edges.append({GlobalId{source}, GlobalId{target}}, weight);
    return p + 1;
  };
  return for_each_line(lines, parse_line, [&](std::string_view line) { return why_not(line, header.vertices); });
}

} // namespace

GraphInput read_dimacs(const Reading& reading) {
  require_numbers(reading, "DIMACS");
  const Header header = core::agree(reading.comm, [&] { return read_header(reading); });
  ThreadShares shares = make_shares(reading, reads_weights(reading, header.line, true, ""));
  read_placed_lines(reading.comm, reading.options.graph_file, reading.team, reading.options.limits, header.line.end,
                    [&](int thread, std::uint64_t, std::string_view lines) {
                      return parse_arcs(lines, header, of_thread(shares, thread));
                    });
  require_entries(reading, shares, header.line, header.arcs, "arcs");
  GraphInput input = join(reading, std::move(shares));
  input.contiguous_first = 1;
  input.contiguous_vertices = header.vertices;
  return input;
}

} // namespace pregel
