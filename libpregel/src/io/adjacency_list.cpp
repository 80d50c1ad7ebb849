// Adjacency lists: a line a vertex, followed by those that its edges lead to,
//
//   vertex neighbour neighbour ...          or          vertex: neighbour neighbour ...
//
// and with weights each neighbour by its weight: `vertex neighbour weight neighbour weight ...`. A vertex may have a
// line of its own, several lines, or none; a line with a vertex alone makes one without edges. Each neighbour is one
// edge: where a file lists undirected edges at both ends, read it as directed, or drop the repeats.
#include <string>

#include <fmt/format.h>

#include "pregel/io/fields.hpp"
#include "reading.hpp"

namespace pregel {
namespace {

/// The vertex that begins a line, and a colon if there is one. Returns where the neighbours begin, or null.
template <class Id>
[[nodiscard]] const char* parse_vertex(const char* p, Id& vertex) {
  const char* const end = end_of_field(p);
  if (end - p > 1 && end[-1] == ':')
    return read_id(std::string_view(p, static_cast<std::size_t>(end - 1 - p)), vertex) ? skip_blanks(end) : nullptr;
  if ((p = parse_field(p, vertex)) == nullptr) return nullptr;
  p = skip_blanks(p);
  return *p == ':' && ends_field(p[1]) ? skip_blanks(p + 1) : p;
}

/// Why a line was refused: the first field that is not what it should be.
[[nodiscard]] std::string why_not(std::string_view line, bool names, bool weighted) {
  std::vector<std::string_view> fields = split_columns(line);
  if (fields[0].size() > 1 && fields[0].ends_with(':'))
    fields[0].remove_suffix(1);
  else if (fields.size() > 1 && fields[1] == ":")
    fields.erase(fields.begin() + 1);
  std::uint64_t id = 0;
  double weight = 0;
  std::string scratch;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (weighted && i > 0 && i % 2 == 0) {
      if (!read_weight(fields[i], weight, scratch)) return why_not_a_weight(fields[i], "weight");
    } else if (!names && !read_id(fields[i], id)) {
      return why_not_an_id(fields[i]);
    }
  }
  return "expected 'vertex neighbour weight neighbour weight ...': the last neighbour has no weight";
}

template <class Id, bool kWeighted>
[[nodiscard]] std::optional<BadLine> parse_lists(std::string_view lines, ThreadShare& share) {
  const auto parse_line = [&](const char* p) -> const char* {
    Id vertex{};
    if ((p = parse_vertex(p, vertex)) == nullptr) return nullptr;
    const GlobalId source = to_id(vertex, share.table);
    bool alone = true;
    while (!ends_field(*p)) {
      Id neighbour{};
      double weight = 1;
      if ((p = parse_field(p, neighbour)) == nullptr) return nullptr;
      p = skip_blanks(p);
      if constexpr (kWeighted) {
        if ((p = parse_weight(p, weight)) == nullptr) return nullptr;
        p = skip_blanks(p);
      }
      share.edges.append({source, to_id(neighbour, share.table)}, weight);
      alone = false;
    }
    if (alone) share.vertices.push_back(source);
    while (*p == '\r') ++p;
    return *p == '\n' ? p + 1 : nullptr;
  };
  return for_each_line(lines, parse_line, [](std::string_view line) {
    return why_not(line, std::is_same_v<Id, std::string_view>, kWeighted);
  });
}

template <class Id>
[[nodiscard]] ThreadShares read_lists(const Reading& reading) {
  ThreadShares shares = make_shares(reading, reading.options.weighted);
  read_lines(reading.comm, reading.options.graph_file, reading.team, reading.options.limits,
             [&](int thread, std::string_view lines) {
               ThreadShare& share = of_thread(shares, thread);
               return reading.options.weighted ? parse_lists<Id, true>(lines, share)
                                               : parse_lists<Id, false>(lines, share);
             });
  return shares;
}

} // namespace

GraphInput read_adjacency_list(const Reading& reading) {
  const bool names = reading.options.ids == IdKind::text;
  return join(reading, names ? read_lists<std::string_view>(reading) : read_lists<std::uint64_t>(reading));
}

} // namespace pregel
