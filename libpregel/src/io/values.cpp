// read_values(): start values from a text file.
#include <unordered_set>

#include "core/collectives.hpp"
#include "core/error.hpp"
#include "core/thread_team.hpp"
#include "name_table.hpp"
#include "pregel/io/edge_list.hpp"
#include "pregel/io/results.hpp"

namespace pregel {
namespace {

using Values = std::vector<std::pair<GlobalId, double>>;

/// Names that no vertex has are an error at their first line. Collective.
void refuse_unknown(const core::Communicator& comm, const std::string& path, core::ThreadTeam& team,
                    std::span<const std::string> names, std::span<const GlobalId> ids) {
  std::unordered_set<std::string_view> unknown;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] == kNoVertex) unknown.insert(names[i]);
  }
  if (core::all_reduce_value<std::uint64_t>(comm, unknown.size(), core::Reduce::sum) == 0) return;
  read_lines(comm, path, team, {}, [&](int, std::string_view lines) {
    std::string reason;
    auto bad = parse_value_lines<std::string_view>(lines, [&](std::string_view name, double) {
      if (!unknown.contains(name)) return true;
      reason = in_quotes(name) + " is not a vertex of the graph";
      return false;
    });
    if (bad) bad->reason = reason;
    return bad;
  });
  throw core::InputError("cannot read " + path + ": it changed while it was read");
}

} // namespace

Values read_values(const core::Communicator& comm, const std::string& path, const NameDirectory* names) {
  core::ThreadTeam team(1); // a line a vertex: small beside the graph
  Values values;
  NameTable table;
  read_lines(comm, path, team, {}, [&](int, std::string_view lines) {
    if (names == nullptr) {
      return parse_value_lines<std::uint64_t>(lines, [&](std::uint64_t id, double value) {
        values.emplace_back(GlobalId{id}, value);
        return true;
      });
    }
    return parse_value_lines<std::string_view>(lines, [&](std::string_view name, double value) {
      values.emplace_back(GlobalId{table.index_of(name)}, value);
      return true;
    });
  });
  if (names == nullptr) return values;
  const std::vector<GlobalId> ids = names->ids_of(comm, table.names());
  refuse_unknown(comm, path, team, table.names(), ids);
  for (auto& [id, value] : values) id = ids[static_cast<std::size_t>(number(id))];
  return values;
}

} // namespace pregel
