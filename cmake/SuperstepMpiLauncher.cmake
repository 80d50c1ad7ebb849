# How to start more ranks than the machine has cores, as root if need be, for the mpiexec that belongs to the MPI we
# compile with. Sets
#   SUPERSTEP_MPI_FLAVOUR         openmpi4, openmpi5, mpich or other
#   SUPERSTEP_MPI_LAUNCHER_FLAGS  flags between mpiexec and -n
#   SUPERSTEP_MPI_ENVIRONMENT     NAME=VALUE list for CTest
# scripts/lib/mpi_env.sh makes the same choice for the shell.
execute_process(COMMAND ${MPIEXEC_EXECUTABLE} --version
  OUTPUT_VARIABLE superstep_mpiexec_version ERROR_VARIABLE superstep_mpiexec_version)

set(SUPERSTEP_MPI_FLAVOUR other)
set(SUPERSTEP_MPI_LAUNCHER_FLAGS)
if(superstep_mpiexec_version MATCHES "\\((Open MPI|OpenRTE)\\) ([0-9]+)")
  if(CMAKE_MATCH_2 GREATER_EQUAL 5)
    set(SUPERSTEP_MPI_FLAVOUR openmpi5)
  else()
    set(SUPERSTEP_MPI_FLAVOUR openmpi4)
  endif()
  # A rank that waits must give its core to a rank that works, or a test on four ranks and two cores crawls.
  set(SUPERSTEP_MPI_LAUNCHER_FLAGS --oversubscribe --bind-to none --mca mpi_yield_when_idle 1)
  if(SUPERSTEP_MPI_FLAVOUR STREQUAL openmpi5)
    # One host needs no TCP, and version 5 complains at length where it finds no network.
    list(APPEND SUPERSTEP_MPI_LAUNCHER_FLAGS --mca btl ^tcp)
  endif()
elseif(superstep_mpiexec_version MATCHES "HYDRA|MPICH")
  set(SUPERSTEP_MPI_FLAVOUR mpich) # oversubscribes and leaves ranks unbound by default
endif()
message(STATUS "MPI launcher: ${MPIEXEC_EXECUTABLE} (${SUPERSTEP_MPI_FLAVOUR})")

set(SUPERSTEP_MPI_ENVIRONMENT
  OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
  PRTE_ALLOW_RUN_AS_ROOT=1 PRTE_ALLOW_RUN_AS_ROOT_CONFIRM=1
  PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe)
