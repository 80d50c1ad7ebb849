#!/usr/bin/env bash
# Results must be the same bytes whether compiled for any processor or for this one: runs the programs of the release and
# the native preset on the same graphs and compares what they write.
#
#   scripts/compare_builds.sh [ALGORITHM...]      default: pagerank sssp bfs wcc
set -euo pipefail
source "$(dirname "$0")/lib/common.sh"
case "${1:-}" in
  -h | --help)
    print_usage "$0"
    exit 0
    ;;
esac
algorithms=("$@")
[ $# -gt 0 ] || algorithms=(pagerank sssp bfs wcc)

source "$repository/scripts/lib/mpi_env.sh"
build_preset release pregel
build_preset native pregel

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
graphs=("kron:scale=12,degree=16,weights=real" "smallworld:n=3000,k=6,p=0.1,weights=real")
different=0
for algorithm in "${algorithms[@]}"; do
  for graph in "${graphs[@]}"; do
    for ranks in 1 3; do
      for build in release native; do
        run_ranks "$ranks" "$repository/build/$build/bin/pregel" "$algorithm" --generate "$graph" --quiet \
          --output "$work/$build.txt"
      done
      if cmp -s "$work/release.txt" "$work/native.txt"; then
        echo "same       $algorithm $graph ranks=$ranks"
      else
        echo "DIFFERENT  $algorithm $graph ranks=$ranks"
        diff "$work/release.txt" "$work/native.txt" | head -4 || true
        different=$((different + 1))
      fi
    done
  done
done
[ "$different" -eq 0 ]
