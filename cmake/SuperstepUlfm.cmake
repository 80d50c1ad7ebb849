# Does this MPI have user-level failure mitigation: can the survivors of a dead rank revoke, agree and shrink?
#
# Open MPI 5 declares the functions in <mpi-ext.h>. MPICH 4.0 declares them in <mpi.h> but its ch4 device asserts when
# they are called after a failure, so asking for <mpi-ext.h> leaves MPICH out on purpose. The answer is about the build;
# whether a job runs with it (mpirun --with-ft ulfm) is seen at run time.
include(CheckCXXSourceCompiles)
set(CMAKE_REQUIRED_LIBRARIES MPI::MPI_CXX)
set(CMAKE_REQUIRED_QUIET TRUE)
check_cxx_source_compiles("
#include <mpi.h>
#include <mpi-ext.h>
int main() {
  MPI_Comm survivors = MPI_COMM_NULL;
  int flag = 1;
  MPIX_Comm_revoke(MPI_COMM_WORLD);
  MPIX_Comm_agree(MPI_COMM_WORLD, &flag);
  return MPIX_Comm_shrink(MPI_COMM_WORLD, &survivors) == MPIX_ERR_PROC_FAILED;
}" SUPERSTEP_HAVE_ULFM)
unset(CMAKE_REQUIRED_LIBRARIES)
unset(CMAKE_REQUIRED_QUIET)

if(SUPERSTEP_HAVE_ULFM)
  target_compile_definitions(superstep_options INTERFACE SUPERSTEP_HAVE_ULFM=1)
  message(STATUS "MPI has ULFM: jobs can go on in place after a rank has died")
else()
  message(STATUS "MPI has no ULFM: jobs recover by being started again")
endif()
