#!/usr/bin/env bash
# Builds the native preset and measures the graph engine beside its yardsticks, in the same minutes on the same graph:
# shared-memory reference kernels and a bare MPI probe (benchmarks/reference). The tables go to results/engine/.
#
#   benchmarks/run_engine.sh [--scale S] [OPTIONS]         the table of work, reference, ratio and budget (default 20)
#   benchmarks/run_engine.sh --scales 16-22 [OPTIONS]      how costs grow with the graph, and the cost of a superstep
#   benchmarks/run_engine.sh --skip-build ...              measures what is built already
#
# Further options (--rounds, --ranks, --sources, --work, --results, --keep) are those of engine_table.py --help.
# The variable SCALE sets the default scale. Exit code 1 when a budget is missed, a result is wrong or a run fails.
set -euo pipefail
source "$(dirname "$0")/../scripts/lib/common.sh"

skip_build=no
arguments=()
for argument in "$@"; do
  case "$argument" in
    -h | --help)
      print_usage "$0"
      exit 0
      ;;
    --skip-build) skip_build=yes ;;
    *) arguments+=("$argument") ;;
  esac
done

source "$repository/scripts/lib/mpi_env.sh"
if [ "$skip_build" = no ]; then
  build_preset native pregel graphgen engine_reference pagerank_limit
fi
exec python3 "$repository/benchmarks/engine_table.py" --bin "$repository/build/native/bin" \
  --work "$repository/build/native/benchmark-graphs" --results "$repository/results/engine" \
  --scale "${SCALE:-20}" --launcher "mpirun ${mpi_flags[*]}" ${arguments[@]+"${arguments[@]}"}
