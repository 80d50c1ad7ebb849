// String ids. Names become numbers 0 .. V-1 in bytewise order, so that "ascending by id" and "ascending by name" agree
// and results do not depend on who read which line. Names stay distributed: rank r holds a contiguous range of them.
// The communicator given later must be the one of build(), or one of as many ranks in the same order.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/communicator.hpp"
#include "pregel/graph/types.hpp"

namespace pregel {

class NameDirectory {
 public:
  /// Numbers the distinct names of all ranks. `mine` holds this rank's names (repeats allowed); `ids[i]` becomes the id
  /// of mine[i]. Collective.
  static NameDirectory build(const core::Communicator& comm, std::span<const std::string> mine,
                             std::vector<GlobalId>& ids);

  /// Number of distinct names on all ranks.
  [[nodiscard]] std::uint64_t size() const noexcept { return first_id_.back(); }
  /// The id of `name`, nothing if unknown. Collective: every rank asks for the same name.
  [[nodiscard]] std::optional<GlobalId> find(const core::Communicator& comm, const std::string& name) const;
  /// The ids of this rank's `names`, which may be any; kNoVertex for unknown ones. Collective.
  [[nodiscard]] std::vector<GlobalId> ids_of(const core::Communicator& comm, std::span<const std::string> names) const;
  /// The names of `ids` (any ids, any order). An id that has no name gets the empty string. Collective.
  [[nodiscard]] std::vector<std::string> names_of(const core::Communicator& comm, std::span<const GlobalId> ids) const;
  /// This rank's names, ascending. Local.
  [[nodiscard]] std::span<const std::string> local_names() const noexcept { return names_; }

 private:
  std::vector<std::string> names_;         // this rank's, ascending; id of names_[i] is first_id_[rank] + i
  std::vector<std::uint64_t> first_id_{0}; // per rank, one more at the end: the total
};

} // namespace pregel
