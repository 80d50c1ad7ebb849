// Faults on order, for drills: `rank=2,superstep=5,signal=KILL,where=compute`.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace pregel {

enum class FaultPlace {
  compute,    ///< at the start of the compute phase
  exchange,   ///< after the barrier, before messages are exchanged
  checkpoint, ///< when its part of a checkpoint is written, before ranks agree
  recovery    ///< when it has begun to restore a state
};

struct Fault {
  int rank = 0; ///< the launcher's number of the victim
  std::uint64_t superstep = 0;
  int signal = 9;
  FaultPlace place = FaultPlace::compute;
  std::uint64_t failing_write = 0; ///< instead of a signal: the n-th write of a checkpoint on this rank fails
};

/// `rank=R` and `superstep=S` (recovery and write= need none), with optional `signal=KILL|STOP|TERM|USR1|SEGV|ABRT|...`
/// (or a number), `where=compute|exchange|checkpoint|recovery`, or `write=N` instead of both. InputError otherwise.
/// Local.
[[nodiscard]] Fault parse_fault(std::string_view spec);

/// The faults of this process. Each strikes once.
class FaultInjector {
 public:
  FaultInjector() = default;
  /// Those of `faults` whose rank is `first_rank`. Local.
  FaultInjector(const std::vector<Fault>& faults, int first_rank);
  /// Raises the signal if a fault waits for this place and superstep (recovery: any superstep). Local.
  void pass(FaultPlace place, std::uint64_t superstep);

 private:
  std::vector<Fault> pending_;
};

} // namespace pregel
