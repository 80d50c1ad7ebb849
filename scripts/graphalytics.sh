#!/usr/bin/env bash
# Runs the LDBC Graphalytics kernels on all graphs of a directory and checks the results by the published rules.
#
#   scripts/graphalytics.sh DIR [--ranks N] [--threads T] [--graphs "NAME ..."] [--algorithms "bfs pr wcc cdlp lcc sssp"]
#                           [--results DIR]
#
# DIR holds NAME.properties, NAME.v, NAME.e and the reference outputs NAME-BFS, NAME-PR, … as Graphalytics publishes them.
# Parameters (sources, rounds, damping) and the algorithms of a graph are those of its .properties file. Rules: bfs and
# cdlp exactly; wcc up to the names of components; pr, lcc and sssp within a relative 1e-4. Prints a row a run: seconds
# to load and to process, EVPS (edges plus vertices a second), and the verdict; the same goes to graphalytics.csv in
# results/graphalytics. Exit code 1 if any result is wrong, 2 for bad usage. A graph without a reference output is run and
# reported as "no reference".
set -euo pipefail
source "$(dirname "$0")/lib/common.sh"
source "$repository/scripts/lib/mpi_env.sh"

case "${1:-}" in
  -h | --help | "") print_usage "$0"; if [ $# -gt 0 ]; then exit 0; else exit 2; fi ;;
esac
if [ -z "${SUPERSTEP_BIN_DIR:-}" ]; then
  build_preset release pregel >&2
  export SUPERSTEP_BIN_DIR=$repository/build/release/bin
fi
exec python3 "$repository/scripts/harness/graphalytics.py" --launch "mpirun ${mpi_flags[*]} -n" "$@"
