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
different=0

# compare WHAT: outputs of both builds under $work/release and $work/native.
compare() {
  if diff -rq "$work/release" "$work/native" >"$work/differences"; then
    echo "same       $1"
  else
    echo "DIFFERENT  $1"
    sed 's/^/           /' "$work/differences"
    different=$((different + 1))
  fi
}

graphs=("kron:scale=12,degree=16,weights=real" "smallworld:n=3000,k=6,p=0.1,weights=real")
for algorithm in "${algorithms[@]}"; do
  source_options=()
  case "$algorithm" in sssp | bfs) source_options=(--source 1) ;; esac
  for graph in "${graphs[@]}"; do
    for ranks in 1 3; do
      for build in release native; do
        mkdir -p "$work/$build"
        run_ranks "$ranks" "$repository/build/$build/bin/pregel" "$algorithm" --generate "$graph" --quiet \
          "${source_options[@]}" --output "$work/$build/output.txt"
      done
      compare "$algorithm $graph ranks=$ranks"
    done
  done
done

# The outputs that the tests of determinism compare over ranks, threads and partitioners.
for build in release native; do
  rm -rf "${work:?}/$build"
  mkdir "$work/$build"
  for ranks in 1 3; do
    PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$repository/tests/cli SUPERSTEP_BIN_DIR=$repository/build/$build/bin \
      SUPERSTEP_LAUNCHER="mpirun ${mpi_flags[*]} -n" \
      python3 "$repository/tests/cli/determinism/jobs.py" "$work/$build" "$ranks"
  done
done
compare "outputs of tests/cli/determinism"
[ "$different" -eq 0 ]
