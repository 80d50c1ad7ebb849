#include "core/fault_tolerance.hpp"

#include <cstdlib>
#include <numeric>
#include <string_view>

#include "core/error.hpp"
#ifdef SUPERSTEP_HAVE_ULFM
#include <mpi-ext.h>
#endif

namespace core {

#ifdef SUPERSTEP_HAVE_ULFM

bool survives_failures() noexcept {
  // Open MPI has the functions always and the behaviour only when its launcher was told; this is how it tells the
  // ranks.
  const char* const enabled = std::getenv("OMPI_MCA_mpi_ft_enable");
  return enabled != nullptr && std::string_view(enabled) != "0" && std::string_view(enabled) != "false";
}

void revoke(const Communicator& comm) noexcept {
  (void)MPIX_Comm_revoke(comm.native());
}

int agree_flags(const Communicator& comm, int flags) {
  const int code = MPIX_Comm_agree(comm.native(), &flags);
  // A failure that not everybody has acknowledged is reported beside the flags, which are right.
  if (code != MPI_SUCCESS) {
    const MpiError error("MPIX_Comm_agree", code);
    if (!error.is_process_failure()) throw error;
  }
  return flags;
}

Communicator shrink(const Communicator& comm) {
  MPI_Comm survivors = MPI_COMM_NULL;
  check_mpi(MPIX_Comm_shrink(comm.native(), &survivors), "MPIX_Comm_shrink");
  return Communicator::adopt(survivors);
}

#else

bool survives_failures() noexcept {
  return false;
}
void revoke(const Communicator&) noexcept {}
int agree_flags(const Communicator&, int) {
  throw Error("this MPI cannot agree after a failure");
}
Communicator shrink(const Communicator&) {
  throw Error("this MPI cannot shrink a communicator");
}

#endif

std::vector<int> lost_ranks(const Communicator& before, const Communicator& after) {
  MPI_Group old_group = MPI_GROUP_NULL, new_group = MPI_GROUP_NULL;
  check_mpi(MPI_Comm_group(before.native(), &old_group), "MPI_Comm_group");
  check_mpi(MPI_Comm_group(after.native(), &new_group), "MPI_Comm_group");
  std::vector<int> ranks(static_cast<std::size_t>(before.size())), translated(ranks.size());
  std::iota(ranks.begin(), ranks.end(), 0);
  check_mpi(MPI_Group_translate_ranks(old_group, before.size(), ranks.data(), new_group, translated.data()),
            "MPI_Group_translate_ranks");
  MPI_Group_free(&old_group);
  MPI_Group_free(&new_group);
  std::erase_if(ranks, [&](int rank) { return translated[static_cast<std::size_t>(rank)] != MPI_UNDEFINED; });
  return ranks;
}

} // namespace core
