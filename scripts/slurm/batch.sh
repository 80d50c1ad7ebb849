# shellcheck shell=bash
# What the batch scripts here share. Sourced inside a Slurm job, with `set -euo pipefail`. Sets
#   repository   the checkout
#   results      this job's directory, made: ${SUPERSTEP_RESULTS:-SUBMIT_DIR/results}/JOBNAME-JOBID
#   programs     the directory of pregel, pstrain, ringbench, supervise
#   threads      of each rank: SLURM_CPUS_PER_TASK, else 1
#   launcher     an array: what stands before a program to start one rank a task; add_ranks N for fewer
# and sends all output to results/log.txt as well as to Slurm's own file.
#
# Environment, for all scripts:
#   SUPERSTEP_RESULTS    where the results directories go (must be seen by all nodes)
#   SUPERSTEP_BIN_DIR    the programs (default: build/release/bin of the checkout)
#   SUPERSTEP_MODULES    modules to load first: "gcc openmpi hdf5"
#   SUPERSTEP_SETUP      a shell file to source first, for anything else (spack, conda, a container's wrapper)
#   SUPERSTEP_LAUNCH   mpirun (default) or srun; srun needs Slurm and MPI built with a common PMI (srun --mpi=list)
#   SUPERSTEP_SRUN_MPI   the PMI of srun (pmix)
#   SUPERSTEP_BIND       core, none, or auto (default: core where the node has as many as the job's share of it uses)
#   SUPERSTEP_LAUNCH_FLAGS  further flags of the launcher
#   SUPERSTEP_PREFIX     words before each program: "apptainer exec superstep.sif"

: "${SLURM_JOB_ID:?to be submitted with sbatch}"
# shellcheck source=scripts/lib/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/../lib/common.sh"
results=$(mkdir -p "${SUPERSTEP_RESULTS:-$SLURM_SUBMIT_DIR/results}" && cd "${SUPERSTEP_RESULTS:-$SLURM_SUBMIT_DIR/results}" && pwd)/$SLURM_JOB_NAME-$SLURM_JOB_ID
mkdir -p "$results"
exec > >(tee -a "$results/log.txt") 2>&1

fail() {
  printf '%s: %s\n' "$SLURM_JOB_NAME" "$1"
  exit "${2:-2}"
}

if [ -n "${SUPERSTEP_MODULES:-}" ]; then
  command -v module >/dev/null 2>&1 || fail "SUPERSTEP_MODULES is set and this system has no 'module'"
  # shellcheck disable=SC2086 # a list of words
  module load $SUPERSTEP_MODULES
fi
# shellcheck disable=SC1090 # the user's own
if [ -n "${SUPERSTEP_SETUP:-}" ]; then source "$SUPERSTEP_SETUP"; fi

programs=${SUPERSTEP_BIN_DIR:-$repository/build/release/bin}
[ -x "$programs/pregel" ] || [ -n "${SUPERSTEP_PREFIX:-}" ] ||
  fail "no programs in $programs: build them (scripts/quickstart.sh) or set SUPERSTEP_BIN_DIR"
export SUPERSTEP_BIN_DIR=$programs
tasks=${SLURM_NTASKS:-1}
threads=${SLURM_CPUS_PER_TASK:-1}
read -ra prefix <<<"${SUPERSTEP_PREFIX:-}"
# shellcheck source=scripts/lib/mpi_env.sh
source "$repository/scripts/lib/mpi_env.sh"

set_launcher() {
  local bind=${SUPERSTEP_BIND:-auto} share=$(((tasks + SLURM_JOB_NUM_NODES - 1) / SLURM_JOB_NUM_NODES * threads)) more
  if [ "$bind" = auto ]; then
    bind=none
    # Several virtual nodes on one machine share its cores.
    if [ "$(nproc)" -ge "$share" ] && [ -z "${SUPERSTEP_VIRTUAL_NODES:-}" ]; then bind=core; fi
  fi
  read -ra more <<<"${SUPERSTEP_LAUNCH_FLAGS:-}"
  case "${SUPERSTEP_LAUNCH:-mpirun}" in
    mpirun)
      case $mpi_flavour in
        openmpi*)
          launcher=(mpirun)
          if [ "$bind" = core ]; then
            launcher+=(--map-by "slot:PE=$threads" --bind-to core)
          else
            launcher+=(--bind-to none --oversubscribe --mca mpi_yield_when_idle 1)
          fi
          if [ $mpi_flavour = openmpi5 ] && mpirun --with-ft ulfm --version >/dev/null 2>&1; then
            launcher+=(--with-ft ulfm)
          fi
          ;;
        mpich)
          launcher=(mpirun)
          if [ "$bind" = core ]; then launcher+=(-bind-to "core:$threads"); fi
          ;;
        none) fail "no mpirun here: load a module (SUPERSTEP_MODULES) or set SUPERSTEP_LAUNCH=srun" ;;
        *) launcher=(mpirun) ;;
      esac
      ;;
    srun)
      # Of a step that loses a task Slurm kills the others: supervise starts it again. Slurm 22 and later do not hand
      # --cpus-per-task on to steps.
      launcher=(srun "--mpi=${SUPERSTEP_SRUN_MPI:-pmix}" --kill-on-bad-exit=1 --cpus-per-task="$threads")
      if [ "$bind" = core ]; then launcher+=(--cpu-bind=cores); fi
      ;;
    *) fail "SUPERSTEP_LAUNCH=$SUPERSTEP_LAUNCH: mpirun or srun" ;;
  esac
  launcher+=("${more[@]}")
}
set_launcher

describe_job() {
  say "$SLURM_JOB_NAME, job $SLURM_JOB_ID${SLURM_RESTART_COUNT:+, started again $SLURM_RESTART_COUNT times}:" \
    "$tasks ranks x $threads threads on $SLURM_JOB_NUM_NODES nodes ($SLURM_JOB_NODELIST)"
  say "launcher: ${launcher[*]}"
  say "results: $results"
}
describe_job

# run COMMAND...: in the foreground, while Slurm's signals to this script (--signal=B:USR1@SECONDS, scancel) go on to the
# command. Its exit code.
run() {
  local status=0
  "$@" &
  local job=$!
  trap 'kill -USR1 $job 2>/dev/null || true' USR1
  trap 'kill -TERM $job 2>/dev/null || true' TERM
  while true; do
    status=0
    wait "$job" || status=$?
    # wait returns early for a signal that is trapped
    kill -0 "$job" 2>/dev/null || break
  done
  trap - USR1 TERM
  return "$status"
}

# finish STATUS: ends the script. 75 means: stopped on request, with a checkpoint; the job goes back into the queue and
# continues from there, with the same number and the same results directory.
finish() {
  if [ "$1" -eq 75 ] && [ "${SUPERSTEP_REQUEUE:-yes}" = yes ]; then
    say "stopped with a checkpoint; requeued"
    scontrol requeue "$SLURM_JOB_ID"
    # Slurm ends this script; without a pause it would be a failed job first.
    sleep 60
  fi
  exit "$1"
}

# draw SCRIPT ARGUMENTS...: a plot, where matplotlib is there: missing plots do not fail a job.
draw() {
  local python
  if python=$(python_with matplotlib); then
    "$python" "$repository/scripts/plots/$1" "${@:2}"
    return
  fi
  say "no plot: matplotlib is missing (Debian: python3-matplotlib); later: scripts/plots/$1 ${*:2}"
}
