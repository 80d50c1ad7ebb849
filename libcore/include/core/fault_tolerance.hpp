// What survivors of a dead rank can do where MPI has user-level failure mitigation (ULFM: Bland, Bouteiller, Herault,
// Bosilca, Dongarra, "Post-failure recovery of MPI communication capability", IJHPCA 2013): interrupt each other,
// agree, and go on without the dead. Open MPI 5 has it when it is started with `mpirun --with-ft ulfm`; everywhere else
// survives_failures() is false, a death ends the whole job, and none of the other functions may be called.
//
// A communicator that was revoked is never freed: Open MPI up to 5.0.9 touches it afterwards.
#pragma once

#include <vector>

#include "core/communicator.hpp"

namespace core {

/// True when this job's survivors are told of a death (MpiError::is_process_failure) instead of being ended. Local.
[[nodiscard]] bool survives_failures() noexcept;

/// Makes all communication on `comm`, pending and future, fail on every rank, except for agree_flags and shrink: what
/// wakes ranks that wait for somebody who has gone to recover. Local.
void revoke(const Communicator& comm) noexcept;

/// The bitwise AND of the flags of all living ranks: the same on all of them, even if more die meanwhile. Works on a
/// revoked communicator. Collective over the living.
[[nodiscard]] int agree_flags(const Communicator& comm, int flags);

/// The living ranks of `comm`, in the same order. Works on a revoked communicator. Collective over the living.
[[nodiscard]] Communicator shrink(const Communicator& comm);

/// The ranks of `before` that are not in `after`, ascending. Local.
[[nodiscard]] std::vector<int> lost_ranks(const Communicator& before, const Communicator& after);

} // namespace core
