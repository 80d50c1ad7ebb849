// Checkpoints without a disk ("diskless checkpointing": Plank, Li, Puening, IEEE TPDS 9(10), 1998; in buddy form as in
// Zheng, Shi, Kale, "FTC-Charm++", CLUSTER 2004): each rank keeps what it saves in its own memory and a copy in that of
// its partner, the next rank. When a rank dies, its partner has what it had. Two neighbours dying at once lose a part,
// and then there is only the disk.
//
// The last two generations are kept, because a rank may die while a new one is being copied: some ranks then have it
// and others do not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/checkpoint/table.hpp"
#include "core/communicator.hpp"

namespace core::checkpoint {

class PartnerMemory {
 public:
  /// `generations`: how many are kept.
  explicit PartnerMemory(std::size_t generations = 2) : generations_(generations) {}

  /// Keeps this rank's part of generation (`world`, `number`), and a copy at the partner's. `world` counts how often
  /// the ranks have become fewer, so that a number that is saved again by fewer ranks is another generation. `meta` is
  /// equal on all ranks. Collective.
  void save(const Communicator& comm, std::uint64_t world, std::uint64_t number, const Part& mine,
            const nlohmann::json& meta);

  /// What restore() brings: parts of a whole generation, each on one of the ranks.
  struct Restored {
    std::uint64_t number = 0;
    nlohmann::json meta;
    std::vector<Part> parts; ///< this rank's share: its own, and those of dead ranks whose partner it is
  };
  /// The newest generation of which every part is still in somebody's memory; nothing if there is none. Parts
  /// of newer ones, which will never be whole, are forgotten: kept, they would push this one out when the next is
  /// copied, and a death at that moment would leave none. Collective.
  [[nodiscard]] std::optional<Restored> restore(const Communicator& comm);

  /// Bytes held. Local.
  [[nodiscard]] std::size_t bytes() const noexcept;

 private:
  struct Block {
    std::uint64_t world, number;
    int rank, ranks; ///< whose part, of how many
    std::vector<std::byte> packed;
    nlohmann::json meta;
  };

  std::size_t generations_;
  std::deque<Block> mine_, copies_; // oldest first
};

} // namespace core::checkpoint
