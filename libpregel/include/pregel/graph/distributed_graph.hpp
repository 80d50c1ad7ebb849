// One rank's part of a graph, laid out for the engine.
//
// Vertices are renumbered twice. Within the rank a vertex has a LocalId; hubs come first, because they share cache
// lines and are read most (measured: 1.3 x on Kronecker graphs). The message array has a Slot for each local vertex,
// then one MIRROR slot for each remote vertex that a local vertex has an arc from, grouped by owner, hubs first again.
// Arcs name slots, so the inner loop of a superstep never sees a global id or a rank. Each list of arcs is in ascending
// order of the senders' GLOBAL ids: the order in which messages are folded is then the same for every partition, and so
// are the bits of the result.
//
// The exchange plan is agreed once: for each peer, which local vertices it mirrors, in the order of its mirror slots.
// Later supersteps send values without ids.
//
// Pages of what a vertex's thread reads (in_arcs, out_degrees) lie with that thread (thread_ranges.hpp).
// arcs_from_slot, which every thread walks, lies with all of them in turn.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/communicator.hpp"
#include "core/huge_vector.hpp"
#include "pregel/graph/arc_weights.hpp"
#include "pregel/graph/id_index.hpp"
#include "pregel/graph/types.hpp"
#include "pregel/partition/partitioner.hpp"

namespace pregel {

/// Compressed sparse rows: row r owns entries offsets[r] .. offsets[r+1]-1.
template <class Entry>
struct Rows {
  core::UntouchedVector<std::uint64_t> offsets; ///< rows + 1, or empty when not built
  core::UntouchedVector<Entry> entries;
  ArcWeights weights; ///< one an entry, or empty

  [[nodiscard]] bool built() const noexcept { return !offsets.empty(); }
  [[nodiscard]] std::uint64_t length(std::size_t row) const noexcept { return offsets[row + 1] - offsets[row]; }
  [[nodiscard]] std::span<const Entry> row(std::size_t r) const noexcept {
    return {entries.data() + offsets[r], static_cast<std::size_t>(length(r))};
  }
};

/// Where a local vertex is mirrored: on `peer`, as the `position`-th of the vertices that this rank sends there.
struct MirrorReference {
  Rank peer{};
  std::uint32_t position = 0;
};

/// Who needs whose messages. Offsets are per peer, ranks + 1 of them, in vertices.
struct ExchangePlan {
  std::vector<std::size_t> send_offsets;
  std::vector<LocalId> send_vertices;       ///< for each peer the local vertices it mirrors, in its mirror order
  std::vector<std::size_t> receive_offsets; ///< mirrors of peer p: slots local_count + receive_offsets[p] ..
  Rows<MirrorReference> mirrors_of;         ///< a row a local vertex: the inverse of send_vertices
  bool fits_int = true;                     ///< the same on every rank: one MPI_Alltoallv can carry it all
  std::size_t mirrors_everywhere = 0;       ///< the same on every rank: mirrors of all ranks together
};

struct DistributedGraph {
  const core::Communicator* comm = nullptr;
  Partitioner partitioner = Partitioner::hash(1);

  // The whole graph, equal on every rank.
  std::uint64_t vertex_count = 0;
  std::uint64_t edge_count = 0;  ///< input edges after clean-up; undirected edges once
  std::uint64_t arc_count = 0;   ///< directions along which messages travel
  std::uint64_t largest_id = 0;  ///< a bound; ids of dropped loops count too
  std::uint64_t fingerprint = 0; ///< of ids, arcs and weights, whatever the partition
  bool directed = true;
  bool weighted = false;

  // This rank's part.
  std::uint32_t local_count = 0;
  std::vector<GlobalId> slot_ids;                   ///< a global id a slot: locals, then mirrors
  std::vector<LocalId> ascending;                   ///< the local vertices in ascending order of global id
  core::UntouchedVector<std::uint32_t> out_degrees; ///< per local vertex: arcs its messages leave along (all ranks)
  Rows<Slot> in_arcs;                               ///< per local vertex: the senders' slots, ascending by global id
  Rows<LocalId> arcs_from_slot; ///< per slot: the local vertices that have an arc from it, ascending (for PUSH)
  Rows<GlobalId> out_edges;     ///< per local vertex: targets by ascending id (only when asked for)
  ExchangePlan plan;
  IdIndex index; ///< ids that occur on this rank -> ordinal
  std::vector<std::uint32_t> slot_of_ordinal;

  [[nodiscard]] std::uint32_t slot_count() const noexcept { return static_cast<std::uint32_t>(slot_ids.size()); }
  [[nodiscard]] GlobalId id_of(LocalId v) const noexcept { return slot_ids[pregel::index(v)]; }
  [[nodiscard]] int owner(GlobalId id) const noexcept { return partitioner.owner(id); }
  /// The rank that owns a slot. Local.
  [[nodiscard]] int owner_of(Slot slot) const noexcept;
  /// The vertex if this rank owns it. Local.
  [[nodiscard]] std::optional<LocalId> find(GlobalId id) const noexcept {
    const std::optional<std::uint32_t> ordinal = index.find(number(id));
    if (!ordinal || slot_of_ordinal[*ordinal] >= local_count) return std::nullopt;
    return LocalId{slot_of_ordinal[*ordinal]};
  }
  /// True on every rank if any rank owns `id`. Collective.
  [[nodiscard]] bool exists(GlobalId id) const;
  /// Bytes held by the arrays above. Local.
  [[nodiscard]] std::uint64_t bytes() const noexcept;
};

} // namespace pregel
