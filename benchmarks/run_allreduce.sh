#!/usr/bin/env bash
# Builds the native preset and measures the all-reduce algorithms beside MPI's: on this machine with 2 and 4 ranks, 8 bytes
# to 64 MiB, and on a virtual cluster (scripts/drills/virtual_cluster.sh; root and Open MPI 4) with 2, 4 and 8 hosts at
# 200 Mbit/s, 8 MiB. Within a run all algorithms take turns. Tables, JSON and plots go to results/allreduce/.
#
#   benchmarks/run_allreduce.sh [--node-only | --cluster-only] [--seconds S] [--rounds N] [--bin DIR] [--results DIR]
#
#   --node-only, --cluster-only   one of the two parts
#   --seconds S     time for each size on one node (2)
#   --rounds N      rounds on the cluster (5)
#   --bin DIR       measure the ringbench in there, build nothing
#   --results DIR   (results/allreduce)
#
# Exit code 1 when a budget is missed, a result is wrong or a run fails. What cannot run here is left out, with a line that
# says so. Wants a machine that does nothing else: the load at the start of each run is in its JSON.
set -euo pipefail
source "$(dirname "$0")/../scripts/lib/common.sh"
# shellcheck disable=SC2154 # common.sh sets it
results=$repository/results/allreduce
node=yes cluster=yes seconds=2 rounds=5 bin=""
while [ $# -gt 0 ]; do
  case "$1" in
    -h | --help)
      print_usage "$0"
      exit 0
      ;;
    --node-only) cluster=no ;;
    --cluster-only) node=no ;;
    --seconds | --rounds | --bin | --results)
      [ $# -ge 2 ] || {
        echo "run_allreduce.sh: $1 needs a value" >&2
        exit 2
      }
      declare "${1#--}=$2"
      shift
      ;;
    *)
      echo "run_allreduce.sh: unknown option $1 (see --help)" >&2
      exit 2
      ;;
  esac
  shift
done

source "$repository/scripts/lib/mpi_env.sh"
if [ -z "$bin" ]; then
  build_preset native ringbench
  bin=$repository/build/native/bin
fi
mkdir -p "$results"
bin=$(cd "$bin" && pwd) results=$(cd "$results" && pwd)
compare=()
if [[ $mpi_flavour == openmpi* ]]; then compare=(--compare-mpi); fi

if [ "$node" = yes ]; then
  for ranks in 2 4; do
    say "one node, $ranks ranks"
    rm -f "$results/node-$ranks.json"
    run_ranks "$ranks" "$bin/ringbench" "${compare[@]}" --seconds "$seconds" --json "$results/node-$ranks.json" \
      --csv "$results/node-$ranks.csv" | tee "$results/node-$ranks.txt"
  done
fi

virtual=$repository/scripts/drills/virtual_cluster.sh
if [ "$cluster" = yes ] && { [ "$(id -u)" -ne 0 ] || [ "$mpi_flavour" != openmpi4 ]; }; then
  say "SKIPPED: the virtual cluster, which needs root and Open MPI 4"
  cluster=no
fi
if [ "$cluster" = yes ]; then
  # A name of its own: a cluster that somebody works with is left alone.
  export SUPERSTEP_CLUSTER=ssbench
  "$virtual" down >/dev/null
  trap '"$virtual" down >/dev/null' EXIT
  "$virtual" up 8 200mbit
  for hosts in 2 4 8; do
    say "virtual cluster, $hosts hosts at 200 Mbit/s"
    rm -f "$results/cluster-$hosts.json"
    "$virtual" run --hosts "$hosts" "$bin/ringbench" "${compare[@]}" --min 8M --max 8M --iterations "$rounds" \
      --warmup 1 --json "$results/cluster-$hosts.json" --csv "$results/cluster-$hosts.csv" |
      tee "$results/cluster-$hosts.txt"
  done
fi

if plotter=$(python_with matplotlib); then
  "$plotter" "$repository/scripts/plots/allreduce.py" --results "$results" --rate 200mbit
else
  say "SKIPPED: plots, which need python3-matplotlib"
fi
PYTHONDONTWRITEBYTECODE=1 python3 "$repository/benchmarks/allreduce_table.py" --results "$results" --rate 200mbit
