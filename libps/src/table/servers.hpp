// The ranks that hold the shards of a table, checked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/communicator.hpp"

namespace ps::detail {

/// Returns `servers` when they are what a table can live on: at least one, ranks of `comm`, none twice, and together
/// with `size` and `options` (a fingerprint) the same on all ranks. Throws PsError on all ranks otherwise. `what` names
/// the table in messages. Collective.
[[nodiscard]] std::vector<int> checked_servers(const core::Communicator& comm, const char* what, std::size_t size,
                                               std::vector<int> servers, std::uint64_t options = 0);

/// Where `rank` is in the list; the list's length if nowhere. Local.
[[nodiscard]] std::size_t shard_index_of(const std::vector<int>& servers, int rank) noexcept;

/// Throws PsError unless [first, first + count) is within a vector of `size`. Local.
void require_range(const char* what, std::size_t first, std::size_t count, std::size_t size);

} // namespace ps::detail
