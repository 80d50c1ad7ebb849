#!/usr/bin/env bash
# A cluster on one machine: hosts with a network of limited speed between them, and MPI jobs that run across it. Needs
# root, iproute2 (ip, tc) and Open MPI 4.
#
#   scripts/drills/virtual_cluster.sh up N RATE            N hosts, links of RATE (200mbit, 1gbit) in both directions
#   scripts/drills/virtual_cluster.sh run [OPTIONS] COMMAND…   one rank on each host
#   scripts/drills/virtual_cluster.sh status               the hosts, their limits and their processes
#   scripts/drills/virtual_cluster.sh down                 removes all of it; nothing to do is no error
#
#   run -n RANKS        ranks, dealt out host by host (default: as many as hosts)
#       --hosts H       the first H hosts only
#       --links L       TCP connections between two ranks (default 4; with 8, all-reduces of Open MPI 4.1.4 itself hang)
#       --buffer BYTES  send and receive buffer of each connection (default 262144; 0: the system's)
#       --mca KEY VALUE any other parameter of mpirun, may be repeated
#
# Hosts are network namespaces with a host name of their own. They are joined by a bridge in a further namespace, so the
# machine's own network neither sees nor is seen. Each link has a token bucket at both ends. Ranks are started by an rsh
# agent (lib/enter_virtual_host.sh) and talk TCP only, although they share the machine's memory. A launch that fails to
# connect is tried again, three times in all; a job that has begun is not. SUPERSTEP_CLUSTER (default superstep) is the
# prefix of all names: clusters with different ones do not meet.
#
# The exit code of run is the job's.
set -euo pipefail
# shellcheck disable=SC2154 # common.sh and mpi_env.sh set variables
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source "$here/../lib/common.sh"

program=virtual_cluster.sh
cluster=${SUPERSTEP_CLUSTER:-superstep}
network=10.213.77
switch=$cluster-switch
state=/run/$cluster-virtual-cluster

fail() {
  printf '%s: %s\n' "$program" "$1" >&2
  exit "${2:-1}"
}

host_name() { echo "$cluster-host$1"; }

require_ability() {
  [ "$(id -u)" -eq 0 ] || fail "needs root, to make network namespaces"
  local tool
  for tool in ip tc unshare; do
    command -v "$tool" >/dev/null 2>&1 || fail "$tool is not installed (Debian: iproute2 and util-linux)"
  done
  [[ $cluster =~ ^[a-z][a-z0-9]{0,30}$ ]] || fail "SUPERSTEP_CLUSTER=$cluster: lower-case letters and digits" 2
}

# The namespaces of this cluster, and of no other.
our_namespaces() {
  ip netns list 2>/dev/null | awk '{print $1}' | grep -E "^$cluster-(host[0-9]+|switch)\$" | sort -V || true
}

hosts_up() { our_namespaces | grep -c -- "-host" || true; }

# Kills what runs in there and removes it; devices go with their namespaces.
down() {
  local name pids
  for name in $(our_namespaces); do
    pids=$(ip netns pids "$name" 2>/dev/null || true)
    # shellcheck disable=SC2086 # one word a process
    [ -z "$pids" ] || kill -KILL $pids 2>/dev/null || true
    ip netns del "$name" 2>/dev/null || true
  done
  rm -f "$state"
}

limit() { # NAMESPACE DEVICE
  # What waits longer than 50 ms is dropped, which slows a TCP sender down.
  ip netns exec "$1" tc qdisc add dev "$2" root tbf rate "$rate" burst 256kb latency 50ms
}

make_host() {
  local number=$1 name
  name=$(host_name "$number")
  ip netns add "$name"
  ip -n "$name" link add eth0 type veth peer name "port$number" netns "$switch"
  ip -n "$switch" link set "port$number" master bridge up
  ip -n "$name" addr add "$network.$number/24" dev eth0
  ip -n "$name" link set eth0 up
  ip -n "$name" link set lo up
  limit "$name" eth0
  limit "$switch" "port$number"
}

up() {
  [ $# -eq 2 ] || fail "up N RATE, for example: up 4 200mbit" 2
  local hosts=$1 number
  rate=$2
  if ! [[ $hosts =~ ^[1-9][0-9]?$ ]] || [ "$hosts" -gt 64 ]; then fail "up $hosts: 1 to 64 hosts" 2; fi
  [[ $rate =~ ^[0-9]+(\.[0-9]+)?[kmg]bit$ ]] || fail "up $hosts $rate: a rate such as 200mbit or 1gbit" 2
  if [ "$(hosts_up)" -gt 0 ]; then
    [ "$(cat "$state" 2>/dev/null)" = "$hosts $rate" ] ||
      fail "another cluster is up ($(cat "$state" 2>/dev/null || echo incomplete)); $program down removes it"
    say "already up: $hosts hosts, $rate"
    return
  fi
  trap down EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM
  ip netns add "$switch"
  ip -n "$switch" link add bridge type bridge
  ip -n "$switch" link set bridge up
  for ((number = 1; number <= hosts; ++number)); do make_host "$number"; done
  echo "$hosts $rate" >"$state"
  trap - EXIT INT TERM
  say "up: $hosts hosts, $rate"
}

status() {
  local name
  if [ "$(hosts_up)" -eq 0 ]; then
    say "down"
    return
  fi
  say "up: $(cat "$state" 2>/dev/null || echo incomplete) (hosts, rate)"
  for name in $(our_namespaces); do
    [ "$name" != "$switch" ] || continue
    printf '%-20s %-16s %s processes, %s\n' "$name" "$(ip -n "$name" -4 -o addr show dev eth0 | awk '{print $4}')" \
      "$(ip netns pids "$name" | wc -l)" "$(ip netns exec "$name" tc qdisc show dev eth0 | grep -o 'rate [^ ]*')"
  done
}

# What mpirun says when its daemons did not find each other; the job has not begun then.
launch_failed() {
  grep -qE 'unable to reliably start one or more daemons|ORTE has lost communication|unable to make a TCP connection|failed to connect|was unable to launch|daemon on .* unexpectedly' \
    "$1" && ! grep -qE 'MPI_ABORT was invoked|exited with non-zero status|exited on signal' "$1"
}

# Our end is the job's end, whatever ends us.
end_of_run() {
  rm -f "$log"
  if [ -n "$job" ]; then
    kill -TERM "$job" 2>/dev/null || true
    wait "$job" 2>/dev/null || true
  fi
}

run() {
  local ranks="" hosts="" links=4 buffer=262144 extra=() total
  while [ $# -gt 0 ]; do
    case "$1" in
      -n) ranks=${2:-} && shift 2 ;;
      --hosts) hosts=${2:-} && shift 2 ;;
      --links) links=${2:-} && shift 2 ;;
      --buffer) buffer=${2:-} && shift 2 ;;
      --mca) extra+=(--mca "${2:-}" "${3:-}") && shift 3 ;;
      --) shift && break ;;
      -*) fail "run: unknown option $1 (see --help)" 2 ;;
      *) break ;;
    esac
  done
  [ $# -gt 0 ] || fail "run: which command?" 2
  total=$(hosts_up)
  [ "$total" -gt 0 ] || fail "no cluster is up; $program up N RATE makes one"
  hosts=${hosts:-$total}
  ranks=${ranks:-$hosts}
  local number
  for number in "$hosts" "$ranks" "$links"; do
    [[ $number =~ ^[1-9][0-9]*$ ]] || fail "run: $number is not a number of hosts, ranks or links" 2
  done
  [[ $buffer =~ ^[0-9]+$ ]] || fail "run: --buffer $buffer: bytes" 2
  [ "$hosts" -le "$total" ] || fail "run --hosts $hosts: only $total are up" 2

  source "$repository/scripts/lib/mpi_env.sh"
  [ "$mpi_flavour" = openmpi4 ] || fail "needs Open MPI 4, to start ranks in namespaces; found: $mpi_flavour"
  local list="" slots=$(((ranks + hosts - 1) / hosts))
  for ((number = 1; number <= hosts; ++number)); do list+=${list:+,}$network.$number:$slots; done
  local command=(mpirun "${mpi_flags[@]}" --host "$list" --map-by node -n "$ranks"
    --mca plm_rsh_agent "$here/lib/enter_virtual_host.sh" --mca oob_tcp_if_include "$network.0/24"
    --mca pml ob1 --mca btl tcp,self --mca btl_tcp_if_include "$network.0/24" --mca btl_tcp_links "$links"
    --mca btl_tcp_sndbuf "$buffer" --mca btl_tcp_rcvbuf "$buffer" "${extra[@]}" "$@")

  local attempt result=0
  log=$(mktemp) # not local: traps read it
  job=""
  trap end_of_run EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM
  export SUPERSTEP_CLUSTER=$cluster
  for attempt in 1 2 3; do
    result=0
    : >"$log"
    "$here/lib/enter_virtual_host.sh" "$network.1" "$(printf '%q ' exec "${command[@]}")" 2> >(tee "$log" >&2) &
    job=$!
    wait "$job" || result=$?
    job=""
    [ "$result" -ne 0 ] || return 0
    sleep 0.2 # the last words of standard error
    launch_failed "$log" || return "$result"
    printf '%s: the launch failed, attempt %s of 3\n' "$program" "$attempt" >&2
  done
  return "$result"
}

action=${1:-}
[ $# -eq 0 ] || shift
case "$action" in
  -h | --help) print_usage "$0" ;;
  up | run | status)
    require_ability
    "$action" "$@"
    ;;
  down)
    if [ "$(id -u)" -eq 0 ]; then down; fi
    say "down"
    ;;
  "") fail "up N RATE, run COMMAND, status or down (see --help)" 2 ;;
  *) fail "unknown word $action (see --help)" 2 ;;
esac
