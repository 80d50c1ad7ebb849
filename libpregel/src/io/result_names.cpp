#include "result_names.hpp"

#include <utility>
#include <variant>

namespace pregel {

std::vector<std::string> names_or_none(const core::Communicator& comm, const NameDirectory& names,
                                       const std::vector<GlobalId>& ids) {
  std::vector<GlobalId> known;
  known.reserve(ids.size());
  for (const GlobalId id : ids)
    if (id != kNoVertex) known.push_back(id);
  std::vector<std::string> found = names.names_of(comm, known);
  if (known.size() == ids.size()) return found;

  std::vector<std::string> all;
  all.reserve(ids.size());
  auto next = found.begin();
  for (const GlobalId id : ids) {
    if (id == kNoVertex)
      all.emplace_back("-1");
    else
      all.push_back(std::move(*next++));
  }
  return all;
}

TableNames names_of_table(const core::Communicator& comm, const NameDirectory& names, const ResultTable& table) {
  TableNames result;
  result.ids = names.names_of(comm, table.ids);
  for (const NamedColumn& column : table.columns) {
    const auto* ids = std::get_if<std::vector<GlobalId>>(&column.values);
    result.columns.push_back(ids == nullptr ? std::vector<std::string>{} : names_or_none(comm, names, *ids));
  }
  return result;
}

} // namespace pregel
