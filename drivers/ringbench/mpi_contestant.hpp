// MPI's own collectives, which the project's are compared with. The one place outside the libraries that calls MPI
// itself: here the call is what is measured.
//
// Open MPI chooses among its algorithms by size. To compare with each of them in one run, --compare-mpi sets the
// control variable coll_tuned_allreduce_algorithm (MPI's tool interface) and duplicates the communicator: a
// communicator keeps the algorithm that was forced when it was made. Open MPI heeds the variable only where
// coll_tuned_use_dynamic_rules was on when MPI was initialised, which allow_forced_mpi_algorithms() sees to.
#pragma once

#include <memory>
#include <vector>

#include "collectives/element.hpp"
#include "collectives/operation.hpp"
#include "contestant.hpp"

namespace ringbench {

/// Before MPI is initialised, where the command line has --compare-mpi. Local.
void allow_forced_mpi_algorithms(int argc, char** argv);

/// False for averages, and for types of 16 bits that MPI does not know. Local.
[[nodiscard]] bool mpi_has(Collective collective, collectives::ElementType type, collectives::Operation operation);

/// Collective.
[[nodiscard]] std::unique_ptr<Contestant> make_mpi_contestant(const core::Communicator& world, const Options& options);
/// Open MPI's recursive doubling, ring, segmented ring and Rabenseifner's. Throws core::InputError where the MPI is
/// another one. Collective.
[[nodiscard]] std::vector<std::unique_ptr<Contestant>> make_forced_mpi_contestants(const core::Communicator& world,
                                                                                   const Options& options);

} // namespace ringbench
