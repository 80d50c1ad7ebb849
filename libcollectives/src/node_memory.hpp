// The memory that the ranks of a node share, as one of them sees it. Whoever owns the memory (a window of MPI; in a
// test, the heap) hands in where each rank's part begins.
//
// A rank's part: its line of the board, two slots for small vectors, two blocks that it fills for others to reduce, and
// two for results that others copy out. Which of two is next is counted here, on and on across calls: what was used
// last may still be read by a slower rank, what was used before that may not (core/shared_board.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "call.hpp"
#include "core/shared_board.hpp"

namespace collectives::detail {

using core::BoardLine;
using core::Note;
using core::SharedBoard;

class NodeMemory {
 public:
  /// The sizes are the same on all ranks of the node, and multiples of 64. `parts` are zero, aligned to 128, and
  /// part_bytes() long. Local.
  NodeMemory(const std::vector<std::byte*>& parts, int rank, std::size_t small_bytes, std::size_t block_bytes);
  [[nodiscard]] static std::size_t part_bytes(std::size_t small_bytes, std::size_t block_bytes) noexcept {
    return sizeof(BoardLine) + 2 * small_bytes + 4 * block_bytes;
  }

  [[nodiscard]] int rank() const noexcept { return rank_; }
  [[nodiscard]] int size() const noexcept { return static_cast<int>(parts_.size()); }
  [[nodiscard]] std::size_t small_bytes() const noexcept { return small_bytes_; }
  [[nodiscard]] std::size_t block_bytes() const noexcept { return block_bytes_; }
  [[nodiscard]] SharedBoard& board() noexcept { return board_; }

  /// The slot, incoming block or outgoing block number `turn` of a rank.
  [[nodiscard]] std::byte* small(int rank, std::uint64_t turn) const noexcept {
    return part(rank) + sizeof(BoardLine) + turn % 2 * small_bytes_;
  }
  [[nodiscard]] std::byte* incoming(int rank, std::uint64_t turn) const noexcept {
    return part(rank) + sizeof(BoardLine) + 2 * small_bytes_ + turn % 2 * block_bytes_;
  }
  [[nodiscard]] std::byte* outgoing(int rank, std::uint64_t turn) const noexcept {
    return part(rank) + sizeof(BoardLine) + 2 * small_bytes_ + (2 + turn % 2) * block_bytes_;
  }
  std::uint64_t small_turn = 0, incoming_turn = 0, outgoing_turn = 0; ///< the next to be used

  /// Calls use the memory one after the other, in the order in which they were started.
  [[nodiscard]] std::uint64_t draw_ticket() noexcept { return next_ticket_++; }

  /// Holds the memory for one call; awaited with until_turn().
  class Turn {
   public:
    Turn(NodeMemory& node, std::uint64_t ticket) : node_(node), ticket_(ticket) {}
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;
    ~Turn() {
      if (node_.serving_ == ticket_) ++node_.serving_;
    }
    [[nodiscard]] bool ready() const noexcept { return node_.serving_ == ticket_; }
    /// Another call of this rank has the memory: what it waits for comes through MPI or its own round.
    void sleep(std::chrono::microseconds longest) const noexcept { nap(longest); }
    [[nodiscard]] std::vector<int> missing() const { return {}; }

   private:
    NodeMemory& node_;
    std::uint64_t ticket_;
  };

  /// A round of the board, to be awaited after arriving.
  class Round {
   public:
    explicit Round(NodeMemory& node) : node_(node) {}
    [[nodiscard]] bool ready() noexcept { return node_.board_.all_arrived(); }
    void sleep(std::chrono::microseconds longest) noexcept { node_.board_.sleep(longest); }
    [[nodiscard]] std::vector<int> missing() const;

   private:
    NodeMemory& node_;
  };
  /// Numbers of the node's ranks in the reducer; empty: the same.
  std::vector<int> numbers;

 private:
  [[nodiscard]] std::byte* part(int rank) const noexcept { return parts_[static_cast<std::size_t>(rank)]; }

  std::vector<std::byte*> parts_;
  int rank_;
  std::size_t small_bytes_, block_bytes_;
  SharedBoard board_;
  std::uint64_t next_ticket_ = 0, serving_ = 0;
};

} // namespace collectives::detail
