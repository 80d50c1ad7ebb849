# shellcheck shell=bash disable=SC2034
# Starting MPI jobs on one machine the same way with Open MPI 4, Open MPI 5 and MPICH. Sourced. Sets mpi_flavour
# (openmpi4, openmpi5, mpich, other or none) and defines run_ranks. With SUPERSTEP_ULFM=1 in the environment
# (scripts/drills/with_openmpi5.sh) survivors of a dead rank go on. cmake/SuperstepMpiLauncher.cmake makes the same choice
# for the tests.

# Containers often run as root, which Open MPI refuses unless told twice (PRTE: the runtime of Open MPI 5).
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export PRTE_ALLOW_RUN_AS_ROOT=1 PRTE_ALLOW_RUN_AS_ROOT_CONFIRM=1

mpi_flavour=none
mpi_flags=()
if command -v mpirun >/dev/null 2>&1; then
  # A rank that waits gives its core to a rank that works: needed as soon as there are more ranks than cores.
  case "$(mpirun --version 2>&1)" in
    *"(Open MPI) "[1-4].* | *"(OpenRTE) "[1-4].*)
      mpi_flavour=openmpi4
      mpi_flags=(--oversubscribe --bind-to none --mca mpi_yield_when_idle 1)
      ;;
    *"(Open MPI) "*)
      mpi_flavour=openmpi5
      # One host needs no TCP, and version 5 complains at length where it finds no network.
      mpi_flags=(--oversubscribe --bind-to none --mca mpi_yield_when_idle 1 --mca btl ^tcp)
      if [ "${SUPERSTEP_ULFM:-}" = 1 ]; then mpi_flags=(--with-ft ulfm "${mpi_flags[@]}"); fi
      ;;
    *HYDRA* | *MPICH*) mpi_flavour=mpich ;; # oversubscribes and leaves ranks unbound by default
    *) mpi_flavour=other ;;
  esac
fi

# run_ranks N COMMAND...: on this machine.
run_ranks() {
  local ranks=$1
  shift
  mpirun "${mpi_flags[@]}" -n "$ranks" "$@"
}
