// A communicator that frees itself and reports errors as exceptions.
#pragma once

#include <memory>

#include <mpi.h>

namespace core {

class NodeSlots;

/// Owns (or, for the world, refers to) an MPI communicator whose errors are returned and thrown as MpiError.
/// Move-only. Rank and size are cached: reading them is free.
class Communicator {
 public:
  /// MPI_COMM_WORLD, not owned. Local.
  [[nodiscard]] static Communicator world();
  /// Takes ownership of `handle`. Local.
  [[nodiscard]] static Communicator adopt(MPI_Comm handle);

  Communicator(Communicator&& other) noexcept;
  Communicator& operator=(Communicator&& other) noexcept;
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;
  ~Communicator();

  [[nodiscard]] int rank() const noexcept { return rank_; }
  [[nodiscard]] int size() const noexcept { return size_; }
  [[nodiscard]] MPI_Comm native() const noexcept { return handle_; }

  /// Same group, separate context. Collective.
  [[nodiscard]] Communicator duplicate() const;
  /// Ranks with equal `color` together, ordered by `key`. Collective.
  [[nodiscard]] Communicator split(int color, int key) const;
  /// Never frees the handle: for communicators that were revoked, or may have lost ranks. Local.
  void leave_unfreed() noexcept { owned_ = false; }
  /// The ranks that share this node's memory. Collective.
  [[nodiscard]] Communicator split_shared() const;

  /// From now on collectives of few bytes (collectives.hpp) go through memory that the ranks share, if all of them are
  /// on one node that has room for it; says whether. Results are the same. A rank that waits then enters MPI only now
  /// and then: not for ranks whose windows (window.hpp) others reach through MPI's progress. False, too, where MPI
  /// survives failures, for shared memory does not tell of a death. Collective.
  bool use_node_memory();
  /// The slots of that memory; null without. Local.
  [[nodiscard]] NodeSlots* node_slots() const noexcept { return slots_.get(); }

 private:
  Communicator(MPI_Comm handle, bool owned);
  void release() noexcept;

  MPI_Comm handle_ = MPI_COMM_NULL;
  bool owned_ = false;
  std::shared_ptr<NodeSlots> slots_;
  int rank_ = 0;
  int size_ = 1;
};

/// True when this MPI was built with user-level failure mitigation (revoke, agree, shrink). Compile-time knowledge; the
/// running job may still have it switched off.
[[nodiscard]] bool built_with_ulfm() noexcept;

} // namespace core
