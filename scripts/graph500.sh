#!/usr/bin/env bash
# The Graph500 procedure: a Kronecker graph, searches from 64 random vertices, every tree checked, statistics as the
# specification prints them (graph500.org, benchmark specification 2.0, BFS and SSSP).
#
#   scripts/graph500.sh [--scale S] [--edgefactor F] [--searches N] [--ranks N] [--threads T] [--seed K] [--results DIR]
#
# Defaults: scale 16, edge factor 16, 64 searches, 2 ranks of 1 thread. Sources are drawn without replacement from the
# vertices that have an edge. Checked outside pregel, in numpy, for each search:
#   BFS   the tree reaches exactly the source's component; each parent is a neighbour, one level nearer to the source; no
#         edge joins levels more than one apart. Levels that fall by one along every parent leave no room for a cycle.
#   SSSP  the source is at 0; no edge offers a shorter way; each other vertex that was reached has an edge that explains
#         its distance exactly, and exactly the component was reached. With positive weights that proves the distances.
#
# Our generator drops loops and repeated edges, and TEPS count the edges that are left in the component of the source: the
# specification counts repeated ones too, about 6 % more at scale 16. Weights are real, in (0, 1]. Construction time is
# building the distributed graph from the generator.
#
# Needs python3-numpy and python3-h5py. Statistics also go to graph500-bfs.json and graph500-sssp.json in DIR
# (results/graph500). Exit code 1 if any check fails.
set -euo pipefail
source "$(dirname "$0")/lib/common.sh"
source "$repository/scripts/lib/mpi_env.sh"

case "${1:-}" in
  -h | --help) print_usage "$0"; exit 0 ;;
esac
if [ -z "${SUPERSTEP_BIN_DIR:-}" ]; then
  build_preset release pregel graphgen >&2
  export SUPERSTEP_BIN_DIR=$repository/build/release/bin
fi
if python=$(python_with numpy h5py); then
  exec "$python" "$repository/scripts/harness/graph500.py" --launch "mpirun ${mpi_flags[*]} -n" "$@"
fi
echo "graph500.sh: numpy or h5py is missing (Debian: apt-get install python3-numpy python3-h5py)" >&2
exit 1
