// The ranks of a running job, which may become fewer: where MPI survives failures, work is attempted again and again on
// whoever is left.
#pragma once

#include <deque>
#include <functional>
#include <vector>

#include "core/communicator.hpp"

namespace core {

/// Who died between two attempts.
struct Loss {
  std::vector<int> ranks;          ///< of the world before, ascending
  std::vector<int> launcher_ranks; ///< the same, by the numbers the launcher gave them
  int ranks_before = 0;
  int launched = 0; ///< ranks that the job began with
};

class Session {
 public:
  /// Duplicates MPI_COMM_WORLD twice. Collective.
  Session();

  /// The living ranks. The reference, and those to earlier worlds, stay valid as long as the session. Local.
  [[nodiscard]] const Communicator& world() const noexcept { return worlds_.back(); }
  /// For the end of the program only: a communicator of the living that the work does not use. Local.
  [[nodiscard]] const Communicator& closing() const noexcept { return closings_.back(); }
  /// This rank's number when the job began: the launcher's. Local.
  [[nodiscard]] int first_rank() const noexcept { return worlds_.front().rank(); }

  /// Collectives of few bytes on world() go through memory that the ranks share, where that can be
  /// (Communicator::use_node_memory). Collective; before the first attempt.
  void use_node_memory() { worlds_.back().use_node_memory(); }

  /// Runs `attempt` on every rank until it has completed on all that live. When a rank dies on the way, the others are
  /// interrupted, world() shrinks, and each survivor calls `lost`, which must not communicate, before the next attempt.
  /// An error that ranks have agreed on ends the attempts on all of them. Where MPI does not survive failures this is
  /// one plain call of `attempt`. Collective.
  void until_completed(const std::function<void()>& attempt, const std::function<void(const Loss&)>& lost);

  /// All living ranks have completed their work: nothing depends on a death any more. Local.
  [[nodiscard]] bool completed() const noexcept { return completed_; }
  /// A rank has died and the others went on. Local.
  [[nodiscard]] bool has_lost_ranks() const noexcept { return worlds_.size() > 1; }

 private:
  [[nodiscard]] Loss shrink_world();

  std::deque<Communicator> worlds_, closings_; // kept, because graphs and windows refer to them
  std::vector<int> launcher_ranks_;            // of the ranks of world()
  bool completed_ = false;
};

} // namespace core
