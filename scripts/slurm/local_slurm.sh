#!/usr/bin/env bash
# A real Slurm on this machine, to try batch scripts before a cluster sees them: munge, slurmctld and one slurmd for each
# of a few virtual nodes. Needs root and Debian's packages slurmctld, slurmd, slurm-client and munge, which `up` installs.
#
#   scripts/slurm/local_slurm.sh up [--nodes N] [--cpus C]   starts it (default: 2 nodes of 4 processors each)
#   scripts/slurm/local_slurm.sh run COMMAND…                with SLURM_CONF set: sbatch, squeue, srun, scancel, …
#   scripts/slurm/local_slurm.sh wait JOB [SECONDS]          until a job has ended (default 300); prints its state;
#                                                            exit code 0 only for COMPLETED
#   scripts/slurm/local_slurm.sh status                      nodes and jobs
#   scripts/slurm/local_slurm.sh down                        ends jobs and daemons and removes all files; always allowed
#
# Everything lies in ${SUPERSTEP_SLURM_DIR:-/run/superstep-slurm}: configuration, keys, state, logs, and an `environment`
# to source. A Slurm that the machine has already is not touched: ports and sockets are our own
# (SUPERSTEP_SLURM_PORT, default 16817, and the N + 1 after it).
#
# The virtual nodes share one machine: its cores (Slurm believes in N times C) and its memory. Open MPI takes ranks on two
# of them for ranks on two hosts and would still try shared memory between them, and crash; and each node would bind its
# ranks to the same first cores. So jobs get OMPI_MCA_btl=tcp,self and SUPERSTEP_VIRTUAL_NODES=1 through `environment`,
# and with Open MPI 4 OMPI_MCA_osc=^rdma: Debian's settings leave out the one-sided components that go over TCP.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=scripts/lib/common.sh
source "$here/../lib/common.sh"
# shellcheck source=scripts/lib/mpi_env.sh
source "$here/../lib/mpi_env.sh"

program=local_slurm.sh
directory=${SUPERSTEP_SLURM_DIR:-/run/superstep-slurm}
port=${SUPERSTEP_SLURM_PORT:-16817}

fail() {
  printf '%s: %s\n' "$program" "$1" >&2
  exit "${2:-1}"
}

require_root() { [ "$(id -u)" -eq 0 ] || fail "needs root, to start Slurm's daemons"; }

install_slurm() {
  local missing
  mapfile -t missing < <(missing_packages munge slurmctld slurmd slurm-client)
  [ ${#missing[@]} -gt 0 ] || return 0
  command -v apt-get >/dev/null 2>&1 || fail "install Slurm's and munge's daemons first (Debian: ${missing[*]})"
  say "installing ${missing[*]}"
  install_packages install_slurm "${missing[@]}"
}

write_configuration() { # NODES CPUS
  local host memory
  host=$(hostname -s)
  memory=$(awk '/MemTotal/ {print int($2 / 1024 * 0.9)}' /proc/meminfo)
  cat >"$directory/slurm.conf" <<EOF
ClusterName=superstep
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$port
AuthType=auth/munge
AuthInfo=socket=$directory/munge/socket
CredType=cred/munge
SlurmUser=root
SlurmdUser=root
StateSaveLocation=$directory/state
SlurmdSpoolDir=$directory/spool-%n
SlurmctldPidFile=$directory/slurmctld.pid
SlurmdPidFile=$directory/slurmd-%n.pid
SlurmctldLogFile=$directory/slurmctld.log
SlurmdLogFile=$directory/slurmd-%n.log
JobCompType=jobcomp/filetxt
JobCompLoc=$directory/completed_jobs.txt
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
MpiDefault=none
ReturnToService=2
SlurmdTimeout=300
KillWait=10
JobRequeue=1
MinJobAge=3600
NodeName=superstep-n[1-$1] NodeHostname=$host NodeAddr=127.0.0.1 Port=[$((port + 1))-$((port + $1))] CPUs=$2 RealMemory=$memory
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
EOF
  cat >"$directory/environment" <<EOF
export SLURM_CONF=$directory/slurm.conf OMPI_MCA_btl=tcp,self SUPERSTEP_VIRTUAL_NODES=1
EOF
  if [ "$mpi_flavour" = openmpi4 ]; then echo "export OMPI_MCA_osc=^rdma" >>"$directory/environment"; fi
}

# The process whose id a file holds, if it lives and is what the name says.
living() { # FILE NAME
  local pid
  pid=$(cat "$1" 2>/dev/null) || return 1
  [ "$(cat "/proc/$pid/comm" 2>/dev/null)" = "$2" ] && echo "$pid"
}

is_up() { living "$directory/slurmctld.pid" slurmctld >/dev/null; }

node_names() { sed -n 's/^NodeName=superstep-n\[1-\([0-9]*\)\].*/\1/p' "$directory/slurm.conf" | xargs seq -f 'superstep-n%g'; }

start_daemons() {
  # The machine may have a munge of its own: this one has its own key and socket.
  mkdir -p -m 0755 "$directory/munge"
  (umask 077 && head -c 128 /dev/urandom >"$directory/munge/key")
  munged --force --key-file="$directory/munge/key" --socket="$directory/munge/socket" --seed-file="$directory/munge/seed" \
    --pid-file="$directory/munge/munged.pid" --log-file="$directory/munge/munged.log" ||
    fail "munged does not start, see $directory/munge/munged.log"
  slurmctld -c || fail "slurmctld does not start, see $directory/slurmctld.log"
  local name
  for name in $(node_names); do
    slurmd -c -N "$name" || fail "slurmd does not start, see $directory/slurmd-$name.log"
  done
}

wait_for_nodes() {
  local try
  for ((try = 0; try < 150; ++try)); do
    if [ "$(sinfo --noheader --Node --format %T 2>/dev/null | sort -u)" = idle ]; then return; fi
    sleep 0.2
  done
  sinfo --Node --long >&2 || true
  fail "the nodes did not come up within 30 s; logs: $directory"
}

up() {
  local nodes=2 cpus=4
  while [ $# -gt 0 ]; do
    case "$1" in
      --nodes) nodes=${2:-} && shift 2 ;;
      --cpus) cpus=${2:-} && shift 2 ;;
      *) fail "up: unknown option $1 (see --help)" 2 ;;
    esac
  done
  [[ $nodes =~ ^[1-9]$ ]] || fail "--nodes $nodes: 1 to 9" 2
  [[ $cpus =~ ^[1-9][0-9]?$ ]] || fail "--cpus $cpus: 1 to 99" 2
  require_root
  if is_up; then
    say "already up; to use it: source $directory/environment"
    return
  fi
  install_slurm
  down >/dev/null
  mkdir -p -m 0755 "$directory" "$directory/state"
  export SLURM_CONF=$directory/slurm.conf
  write_configuration "$nodes" "$cpus"
  # A Slurm that half works is worse than none.
  trap 'down >/dev/null 2>&1' EXIT
  start_daemons
  wait_for_nodes
  trap - EXIT
  say "up: $nodes nodes of $cpus processors; to use it: source $directory/environment"
}

down() {
  if [ ! -d "$directory" ]; then
    say "down"
    return
  fi
  require_root
  [ -f "$directory/slurm.conf" ] || [ -z "$(ls -A "$directory")" ] ||
    fail "$directory holds something else than a Slurm of ours: remove it yourself"
  export SLURM_CONF=$directory/slurm.conf
  local file pid pids=() try
  if is_up; then timeout 10 scancel --user root 2>/dev/null || true; fi
  for file in "$directory"/slurmd-*.pid; do
    if pid=$(living "$file" slurmd); then pids+=("$pid"); fi
  done
  if pid=$(living "$directory/slurmctld.pid" slurmctld); then pids+=("$pid"); fi
  if pid=$(living "$directory/munge/munged.pid" munged); then pids+=("$pid"); fi
  # Job steps are looked after by slurmstepd, which outlives slurmd.
  for ((try = 0; try < 50; ++try)); do
    pgrep -f "^slurmstepd: " >/dev/null || break
    sleep 0.1
  done
  for pid in "${pids[@]}"; do kill -TERM "$pid" 2>/dev/null || true; done
  for ((try = 0; try < 100; ++try)); do
    local alive=no
    for pid in "${pids[@]}"; do if kill -0 "$pid" 2>/dev/null; then alive=yes; fi; done
    [ "$alive" = yes ] || break
    sleep 0.1
  done
  for pid in "${pids[@]}"; do kill -KILL "$pid" 2>/dev/null || true; done
  rm -rf "$directory"
  say "down"
}

use() {
  is_up || fail "no Slurm of ours is up: $program up"
  # shellcheck disable=SC1091 # written by up
  source "$directory/environment"
}

# The state of a job that has ended or has not.
job_state() { scontrol --oneliner show job "$1" 2>/dev/null | grep -oE 'JobState=[A-Z_]+' | head -1 | cut -d= -f2; }

wait_for_job() {
  [ $# -ge 1 ] || fail "wait JOB [SECONDS]" 2
  use
  local job=$1 end=$((SECONDS + ${2:-300})) state
  while true; do
    state=$(job_state "$job")
    case "$state" in
      "") fail "no job $job" ;;
      PENDING | RUNNING | COMPLETING | CONFIGURING | SUSPENDED | REQUEUED | REQUEUE_HOLD | SPECIAL_EXIT) ;;
      *) break ;;
    esac
    [ "$SECONDS" -lt "$end" ] || fail "job $job is still $state after ${2:-300} s"
    sleep 0.2
  done
  echo "$state"
  [ "$state" = COMPLETED ]
}

status() {
  if ! is_up; then
    say "down"
    return
  fi
  use
  sinfo --Node --long
  squeue
}

case "${1:-}" in
  -h | --help) print_usage "$0" ;;
  up) shift && up "$@" ;;
  down) down ;;
  status) status ;;
  wait) shift && wait_for_job "$@" ;;
  run)
    shift
    [ $# -gt 0 ] || fail "run: a command" 2
    use
    exec "$@"
    ;;
  *) fail "up, run, wait, status or down (see --help)" 2 ;;
esac
