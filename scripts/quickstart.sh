#!/usr/bin/env bash
# From a fresh clone to a first result: installs the dependencies, builds the programs, and ranks the vertices of a
# generated Kronecker graph by PageRank on several MPI ranks of this machine.
#
#   scripts/quickstart.sh [--ranks N] [--scale S] [--skip-install]
#
#   --ranks N       MPI ranks (default 4)
#   --scale S       the graph has 2^S vertices (default 18)
#   --skip-install  the dependencies are there; do not look
#
# Leaves results/quickstart/pagerank.txt ("id rank" a line) and results/quickstart/metrics.json. Exit code 0 only if all
# of it worked.
set -euo pipefail
source "$(dirname "$0")/lib/common.sh"

ranks=4
scale=18
install=yes
while [ $# -gt 0 ]; do
  case "$1" in
    --ranks | --scale)
      [[ "${2:-}" =~ ^[1-9][0-9]*$ ]] || { echo "quickstart.sh: $1 needs a positive number" >&2; exit 2; }
      if [ "$1" = --ranks ]; then ranks=$2; else scale=$2; fi
      shift 2
      ;;
    --skip-install) install=no; shift ;;
    -h | --help) print_usage "$0"; exit 0 ;;
    *) echo "quickstart.sh: unknown option $1 (see --help)" >&2; exit 2 ;;
  esac
done

[ "$install" = no ] || "$repository/scripts/install_dependencies.sh"
source "$repository/scripts/lib/mpi_env.sh" # after installing: it looks at mpirun
build_preset release pregel

results=$repository/results/quickstart
mkdir -p "$results"
rm -f "$results/pagerank.txt" "$results/metrics.json" # a failing run must not leave an old result to be believed

command=("$repository/build/release/bin/pregel" pagerank --generate "kron:scale=$scale,degree=16"
  --iterations 20 --output "$results/pagerank.txt" --metrics "$results/metrics.json")
say "mpirun -n $ranks pregel ${command[*]:1:5}"
run_ranks "$ranks" "${command[@]}"

# The value of a top-level key in the metrics: the match that is indented least.
metric() {
  awk -v key="\"$1\":" '$1 == key { match($0, /^ */); if (!found || RLENGTH < indent) { indent = RLENGTH; value = $2; found = 1 } }
    END { if (!found) exit 1; sub(/,$/, "", value); print value }' "$results/metrics.json" ||
    { echo "quickstart.sh: no $1 in $results/metrics.json" >&2; return 1; }
}
vertices=$(metric vertices)
edges=$(metric edges)
supersteps=$(metric supersteps)
messages=$(metric messages_sent)
seconds=$(metric run_seconds)
lines=$(wc -l <"$results/pagerank.txt")
if [ "$lines" -ne "$vertices" ]; then
  echo "quickstart.sh: $results/pagerank.txt has $lines lines for $vertices vertices" >&2
  exit 1
fi

say "the vertices that rank highest"
LC_ALL=C sort -k2,2gr -k1,1n "$results/pagerank.txt" | awk 'NR <= 5 {printf "   vertex %-10s %.6e\n", $1, $2}'
say "the run"
awk -v v="$vertices" -v e="$edges" -v k="$supersteps" -v s="$seconds" -v m="$messages" -v r="$ranks" 'BEGIN {
  printf("   graph        %d vertices, %d undirected edges\n", v, e)
  printf("   ranks        %d\n   supersteps   %d\n   seconds      %.3f\n", r, k, s)
  printf("   edges/s      %.4g (messages along edges, %d, per second)\n", (s > 0 ? m / s : 0), m) }'
say "results in results/quickstart: pagerank.txt, metrics.json"
