// read_value_rows(): a file of rows is first read as one of single values, whose reader resolves names and refuses
// vertices that do not exist or repeat; then again for the rows, which come in the same order.
#include "pregel/io/value_rows.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "core/collectives.hpp"
#include "core/error.hpp"
#include "core/thread_team.hpp"
#include "pregel/io/results.hpp"
#include "pregel/io/text_lines.hpp"

namespace pregel {
namespace {

[[nodiscard]] bool is_finite_number(std::string_view field) {
  std::string copy(field);
  copy += '\n';
  copy.append(kFieldPadding, '\0');
  double value = 0;
  return parse_weight(copy.data(), value) != nullptr;
}

[[nodiscard]] std::string why_not_a_row(std::string_view line, std::size_t width) {
  const std::vector<std::string_view> fields = split_columns(line);
  for (const std::string_view field : std::span(fields).subspan(1))
    if (!is_finite_number(field)) return why_not_a_weight(field, "value");
  return "expected " + std::to_string(width) + (width == 1 ? " value" : " values") + " as in the first line, found " +
         std::to_string(fields.size() - 1);
}

/// The number of values in the first row of the file; 0 if there is none. Collective.
[[nodiscard]] std::size_t first_width(const core::Communicator& comm, const std::string& path) {
  core::ThreadTeam team(1);
  std::size_t mine = 0; // of this rank's first row
  read_lines(comm, path, team, {}, [&](int, std::string_view lines) {
    const auto parse_line = [&](const char* p) {
      if (mine != 0) return finish_line(p);
      for (p = skip_blanks(end_of_field(p)); *p != '\n' && *p != '\r'; ++mine) p = skip_blanks(end_of_field(p));
      return finish_line(p);
    };
    return for_each_line(lines, parse_line, [](std::string_view) { return std::string(); }); // read_values() refused it
  });
  const std::vector<std::size_t> widths = core::all_gather_varying(comm, std::span<const std::size_t>(&mine, 1));
  const auto first = std::ranges::find_if(widths, [](std::size_t width) { return width != 0; });
  return first == widths.end() ? 0 : *first;
}

/// The values of this rank's lines, `width` each. Collective.
[[nodiscard]] std::vector<double> read_rows(const core::Communicator& comm, const std::string& path,
                                            std::size_t width) {
  core::ThreadTeam team(1); // as in read_values(), so that this rank gets the same lines
  std::vector<double> values;
  read_lines(comm, path, team, {}, [&](int, std::string_view lines) {
    const auto parse_line = [&](const char* p) -> const char* {
      p = skip_blanks(end_of_field(p));
      std::size_t found = 0;
      for (; *p != '\n' && *p != '\r'; ++found) {
        double value = 0;
        if ((p = parse_weight(p, value)) == nullptr) return nullptr;
        values.push_back(value);
        p = skip_blanks(p);
      }
      return found == width ? finish_line(p) : nullptr;
    };
    return for_each_line(lines, parse_line, [&](std::string_view line) { return why_not_a_row(line, width); });
  });
  return values;
}

} // namespace

ValueRows read_value_rows(const core::Communicator& comm, const std::string& path, const NameDirectory* names,
                          const DistributedGraph& graph) {
  const std::vector<std::pair<GlobalId, double>> firsts = read_values(comm, path, names);
  require_values_of(comm, path, names, graph, firsts);
  ValueRows rows;
  rows.width = first_width(comm, path);
  if (rows.width == 0) throw core::InputError("cannot read " + path + ": it has no line with values");
  rows.values = read_rows(comm, path, rows.width);
  const bool complete = rows.values.size() == rows.width * firsts.size();
  if (core::all_reduce_value(comm, complete ? 1 : 0, core::Reduce::min) == 0)
    throw core::InputError("cannot read " + path + ": it changed while it was read");
  for (const auto& [id, value] : firsts) rows.ids.push_back(id);
  return rows;
}

} // namespace pregel
