#!/usr/bin/env bash
# Measures what checkpoints and recovery cost, and prints the table that docs/performance.md shows.
#
#   benchmarks/run_recovery.sh [--rounds N] [--scale S] [--recovery-scale R] [--directory DIR] [--skip-build]
#
# Checkpoints: PageRank states of kron:scale=S (default 20) on 2 ranks, each beside a `dd conv=fsync` of as many bytes to
# the same disk in the same minute. Recovery: kron:scale=R (default 18) on 4 ranks, one of which is killed, from the disk
# and from a partner's memory; through scripts/drills/with_openmpi5.sh where this machine's MPI has no ULFM. DIR is where
# checkpoints go (default: below build/). Exit code 1 when a budget of DESIGN.md section 6 is missed or a run fails.
set -euo pipefail
source "$(dirname "$0")/../scripts/lib/common.sh"

rounds=5 scale=20 recovery_scale=18 skip_build=no directory=
while [ $# -gt 0 ]; do
  case "$1" in
    -h | --help) print_usage "$0"; exit 0 ;;
    --rounds) rounds=${2:?--rounds needs a number}; shift 2 ;;
    --scale) scale=${2:?--scale needs a number}; shift 2 ;;
    --recovery-scale) recovery_scale=${2:?--recovery-scale needs a number}; shift 2 ;;
    --directory) directory=${2:?--directory needs a path}; shift 2 ;;
    --skip-build) skip_build=yes; shift ;;
    *) echo "run_recovery.sh: unknown option $1 (see --help)" >&2; exit 2 ;;
  esac
done

source "$repository/scripts/lib/mpi_env.sh"
[ "$skip_build" = yes ] || build_preset native pregel
work=$(mktemp -d "${TMPDIR:-/tmp}/superstep-recovery.XXXXXX")
disk=$(mktemp -d "${directory:-$repository/build/native}/checkpoints.XXXXXX")
trap 'rm -rf "$work" "$disk"' EXIT

status=0
python3 "$repository/benchmarks/recovery_table.py" checkpoints --bin "$repository/build/native/bin" --rounds "$rounds" \
  --scale "$scale" --launcher "mpirun ${mpi_flags[*]}" --disk "$disk" --work "$work" || status=1
# Inside the tree only the temporary directory can be written, and the build has its programs on the PATH.
"$repository/scripts/drills/with_openmpi5.sh" bash -c '
  python3 "$1/benchmarks/recovery_table.py" recovery --bin "$SUPERSTEP_BUILD/bin" --rounds "$2" --scale "$3" \
    --launcher "mpirun $SUPERSTEP_MPI_FLAGS" --disk "$4" --work "$4"' \
  run_recovery "$repository" "$rounds" "$recovery_scale" "$work" || status=1
exit "$status"
