// Progress and probing.
#include "core/progress.hpp"

#include "core/error.hpp"

namespace core {

void progress() {
  // A probe drives all of MPI, not only the communicator it asks about.
  int found = 0;
  check_mpi(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF, &found, MPI_STATUS_IGNORE), "MPI_Iprobe");
}

std::optional<Arrival> detail::probe(const Communicator& comm, int tag, MPI_Datatype type) {
  int found = 0;
  MPI_Status status;
  check_mpi(MPI_Iprobe(MPI_ANY_SOURCE, tag, comm.native(), &found, &status), "MPI_Iprobe");
  if (found == 0) return std::nullopt;
  int count = 0;
  check_mpi(MPI_Get_count(&status, type, &count), "MPI_Get_count");
  return Arrival{status.MPI_SOURCE, static_cast<std::size_t>(count)};
}

} // namespace core
