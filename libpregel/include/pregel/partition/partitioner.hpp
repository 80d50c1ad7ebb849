// Which rank owns a vertex. A value type, the same on every rank, whose owner() is cheap enough for the loader's inner
// loop.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/communicator.hpp"
#include "core/random.hpp"
#include "pregel/graph/edge_blocks.hpp"
#include "pregel/graph/types.hpp"

namespace pregel {

enum class PartitionKind {
  hash,   ///< mix64(id) scaled to the number of ranks: even whatever the ids look like
  modulo, ///< id mod ranks: the textbook's
  range,  ///< contiguous id ranges with about equal numbers of edge endpoints, from a sample of the edges
};

/// "hash", "modulo" or "range"; InputError otherwise. Local.
[[nodiscard]] PartitionKind parse_partition_kind(std::string_view name);
[[nodiscard]] std::string_view partition_name(PartitionKind kind);

class Partitioner {
 public:
  [[nodiscard]] static Partitioner hash(int ranks);
  [[nodiscard]] static Partitioner modulo(int ranks);
  /// `first_ids[r]` is the smallest id of rank r+1 (ranks-1 ascending values).
  [[nodiscard]] static Partitioner range(std::vector<std::uint64_t> first_ids);
  /// Ranges balanced by a sample of every rank's edges and of `contiguous_vertices` ids from
  /// `contiguous_first` on. Collective.
  [[nodiscard]] static Partitioner sampled_range(const core::Communicator& comm, const EdgeBlocks& edges,
                                                 const std::vector<GlobalId>& vertices,
                                                 std::uint64_t contiguous_vertices, std::uint64_t contiguous_first = 0);

  /// After the ranks `lost` (ascending) have died: the survivors, renumbered in order, keep what they have, and what
  /// the dead owned is dealt out evenly to all of them. Local.
  [[nodiscard]] Partitioner without(std::span<const int> lost) const;

  [[nodiscard]] PartitionKind kind() const noexcept { return kind_; }
  [[nodiscard]] int ranks() const noexcept { return ranks_; }

  [[nodiscard]] int owner(GlobalId id) const noexcept {
    const int first = first_owner(id);
    return losses_.empty() ? first : owner_after_losses(id, first);
  }

 private:
  /// What one failure did to the numbering.
  struct Loss {
    std::vector<int> survivor; // new number of each rank, -1 if it died
    int ranks;                 // that were left
  };

  Partitioner(PartitionKind kind, int ranks) : kind_(kind), ranks_(ranks), first_ranks_(ranks) {}

  [[nodiscard]] int first_owner(GlobalId id) const noexcept {
    const std::uint64_t n = number(id);
    switch (kind_) {
      case PartitionKind::hash:
        return static_cast<int>((static_cast<core::Uint128>(core::mix64(n)) * static_cast<unsigned>(first_ranks_)) >>
                                64);
      case PartitionKind::modulo: return static_cast<int>(n % static_cast<unsigned>(first_ranks_));
      case PartitionKind::range: break;
    }
    return static_cast<int>(std::upper_bound(first_ids_.begin(), first_ids_.end(), n) - first_ids_.begin());
  }
  [[nodiscard]] int owner_after_losses(GlobalId id, int owner) const noexcept;

  PartitionKind kind_;
  int ranks_;
  int first_ranks_; // before any loss
  std::vector<std::uint64_t> first_ids_;
  std::vector<Loss> losses_;
};

} // namespace pregel
