// A slot for each rank in memory that the ranks of a node share. Collectives of few bytes go through it instead of MPI:
// every rank writes what it has into its slot, all meet, and every rank reads what it wants (collectives.cpp).
//
// Why not MPI's: a meeting costs a third of a microsecond instead of three, and a rank that waits in MPI yields its
// core, which beside a busy program costs a time slice (waiting.hpp).
#pragma once

#include <cstddef>
#include <vector>

#include <mpi.h>

#include "core/communicator.hpp"
#include "core/shared_board.hpp"
#include "core/window.hpp"

namespace core {

class NodeSlots {
 public:
  /// Room for `bytes` bytes a rank. All ranks of `comm`, whose handle must outlive this, are on one node. Throws
  /// core::Error on all ranks where the node has not enough shared memory. Construction and destruction are collective.
  NodeSlots(const Communicator& comm, std::size_t bytes);
  NodeSlots(const NodeSlots&) = delete;
  NodeSlots& operator=(const NodeSlots&) = delete;

  /// The most that a rank may write. Local.
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
  /// This rank's slot, to be written before the next meet(). Local.
  [[nodiscard]] std::byte* mine() const noexcept { return slot(rank_, board_.next_buffer()); }
  /// Waits until all ranks have called it, and lets MPI progress if that takes long. Collective.
  void meet();
  /// What that rank had in its slot; until the next meet(). Local.
  [[nodiscard]] const std::byte* of(int rank) const noexcept { return slot(rank, board_.buffer()); }

 private:
  [[nodiscard]] std::byte* slot(int rank, std::size_t buffer) const noexcept {
    return parts_[static_cast<std::size_t>(rank)] + sizeof(BoardLine) + buffer * bytes_;
  }
  void let_mpi_progress() const;

  MPI_Comm comm_;
  int rank_;
  std::size_t bytes_;
  SharedWindow<std::byte> window_;
  std::vector<std::byte*> parts_; ///< where each rank's line and its two slots begin
  SharedBoard board_;
};

} // namespace core
