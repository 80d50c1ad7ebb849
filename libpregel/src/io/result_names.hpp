// Names of the vertices of a stretch of results, when ids are strings.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/communicator.hpp"
#include "pregel/graph/name_directory.hpp"
#include "pregel/io/results.hpp"

namespace pregel {

/// Names of `ids`; kNoVertex is "-1". Collective.
[[nodiscard]] std::vector<std::string> names_or_none(const core::Communicator& comm, const NameDirectory& names,
                                                     const std::vector<GlobalId>& ids);

/// What is printed for a table whose ids are strings: the names of the vertices and, for each column of ids, the names
/// of its values (empty for other columns).
struct TableNames {
  std::vector<std::string> ids;
  std::vector<std::vector<std::string>> columns;
};
/// Collective: the ranks' tables have the same columns.
[[nodiscard]] TableNames names_of_table(const core::Communicator& comm, const NameDirectory& names,
                                        const ResultTable& table);

} // namespace pregel
