// The line formats of graphs, as parsers of blocks of lines (text_lines.hpp):
//
//   edge list             source target [weight] [further columns]     SNAP, KONECT, Graphalytics .e
//   vertex list           vertex [further columns]                     Graphalytics .v
//   value list            vertex value [further columns]               --values
//
// Columns are separated by any number of blanks and tabs, which may also stand at both ends of a line. Blank lines, and
// lines whose first other character is # or %, are skipped. Without weights a third column is one of the further
// columns, which are ignored: time stamps of temporal graphs, for instance.
//
// Each parser is a template over what an id is (std::uint64_t, or std::string_view for names) and over a sink, which
// receives what a line says and returns false to refuse it; so loading and searching for a bad line share one grammar.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "pregel/io/fields.hpp"
#include "pregel/io/text_lines.hpp"

namespace pregel {

enum class Column { vertex, source, target, weight, value };

/// Why a line that should hold `columns` was refused: a missing column, or the first field that is not what it should
/// be. `names`: ids are names.
[[nodiscard]] std::string why_not_columns(std::string_view line, std::initializer_list<Column> columns, bool names);

/// Calls sink(source, target, weight) for each edge; the weight is 1 unless `kWeighted`.
template <class Id, bool kWeighted, class Sink>
[[nodiscard]] std::optional<BadLine> parse_edge_lines(std::string_view lines, Sink&& sink) {
  const auto parse_line = [&](const char* p) -> const char* {
    Id source{};
    Id target{};
    double weight = 1;
    if ((p = parse_field(p, source)) == nullptr) return nullptr;
    if ((p = parse_field(skip_blanks(p), target)) == nullptr) return nullptr;
    if constexpr (kWeighted) {
      if ((p = parse_weight(skip_blanks(p), weight)) == nullptr) return nullptr;
    }
    if ((p = finish_line(p)) == nullptr) return nullptr;
    return sink(source, target, weight) ? p : nullptr;
  };
  return for_each_line(lines, parse_line, [](std::string_view line) {
    constexpr bool kNames = std::is_same_v<Id, std::string_view>;
    return kWeighted ? why_not_columns(line, {Column::source, Column::target, Column::weight}, kNames)
                     : why_not_columns(line, {Column::source, Column::target}, kNames);
  });
}

/// Calls sink(vertex) for each line.
template <class Id, class Sink>
[[nodiscard]] std::optional<BadLine> parse_vertex_lines(std::string_view lines, Sink&& sink) {
  const auto parse_line = [&](const char* p) -> const char* {
    Id vertex{};
    if ((p = parse_field(p, vertex)) == nullptr) return nullptr;
    if ((p = finish_line(p)) == nullptr) return nullptr;
    return sink(vertex) ? p : nullptr;
  };
  return for_each_line(lines, parse_line, [](std::string_view line) {
    return why_not_columns(line, {Column::vertex}, std::is_same_v<Id, std::string_view>);
  });
}

/// Calls sink(vertex, value) for each line; a value may be infinite.
template <class Id, class Sink>
[[nodiscard]] std::optional<BadLine> parse_value_lines(std::string_view lines, Sink&& sink) {
  const auto parse_line = [&](const char* p) -> const char* {
    Id vertex{};
    double value = 0;
    if ((p = parse_field(p, vertex)) == nullptr) return nullptr;
    if ((p = parse_value(skip_blanks(p), value)) == nullptr) return nullptr;
    if ((p = finish_line(p)) == nullptr) return nullptr;
    return sink(vertex, value) ? p : nullptr;
  };
  return for_each_line(lines, parse_line, [](std::string_view line) {
    return why_not_columns(line, {Column::vertex, Column::value}, std::is_same_v<Id, std::string_view>);
  });
}

} // namespace pregel
