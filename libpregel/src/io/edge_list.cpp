// Reasons for refusing a line of the formats in edge_list.hpp.
#include "pregel/io/edge_list.hpp"

#include <vector>

namespace pregel {
namespace {

[[nodiscard]] const char* name_of(Column column) {
  switch (column) {
    case Column::vertex: return "vertex";
    case Column::source: return "source";
    case Column::target: return "target";
    case Column::weight: return "weight";
    case Column::value: return "value";
  }
  return "column";
}

/// Null-terminated copy with padding, as the field parsers need it.
template <class Parse>
[[nodiscard]] bool accepts(std::string_view field, Parse&& parse) {
  std::string copy(field);
  copy += '\n';
  copy.append(kFieldPadding, '\0');
  return parse(copy.data()) != nullptr;
}

/// Empty when the field is what it should be.
[[nodiscard]] std::string why_not_column(std::string_view field, Column column, bool names) {
  std::uint64_t id = 0;
  double number = 0;
  switch (column) {
    case Column::weight:
      if (accepts(field, [&](const char* p) { return parse_weight(p, number); })) return {};
      return why_not_a_weight(field, "weight");
    case Column::value:
      if (accepts(field, [&](const char* p) { return parse_value(p, number); })) return {};
      return why_not_a_weight(field, "value");
    default:
      if (names || accepts(field, [&](const char* p) { return parse_field(p, id); })) return {};
      return why_not_an_id(field);
  }
}

} // namespace

std::string why_not_columns(std::string_view line, std::initializer_list<Column> columns, bool names) {
  const std::vector<std::string_view> fields = split_columns(line);
  std::size_t index = 0;
  for (const Column column : columns) {
    if (index == fields.size()) break;
    if (std::string reason = why_not_column(fields[index], column, names); !reason.empty()) return reason;
    ++index;
  }
  std::string expected;
  for (const Column column : columns) {
    if (!expected.empty()) expected += ' ';
    expected += name_of(column);
  }
  std::string reason = "expected '" + expected + "', found " + std::to_string(fields.size()) +
                       (fields.size() == 1 ? " column" : " columns");
  const std::size_t separator = line.find_first_of(",;|");
  if (separator != std::string_view::npos) {
    reason += " (columns must be separated by blanks or tabs, not by '";
    reason += line[separator];
    reason += "')";
  }
  return reason;
}

} // namespace pregel
