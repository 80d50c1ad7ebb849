#!/usr/bin/env bash
# What a slow worker costs under every consistency model, on real ranks and in real seconds: ridge regression by four
# workers and one server, worker 3 four times slower (gradients are stretched to 50 ms by sleeping, so that ranks may
# outnumber cores), to the same loss. Prints the table beside the textbook's, which comes from a discrete-event model,
# and checks what must hold.
#
#   scripts/drills/straggler_study.sh [--runs N] [--keep DIR]      medians of N runs (default 5, about three minutes)
set -euo pipefail
source "$(dirname "$0")/../lib/common.sh"
case "${1:-}" in -h | --help) print_usage "$0"; exit 0 ;; esac
if [ -z "${SUPERSTEP_BIN_DIR:-}" ]; then
  build_preset release pstrain >&2
  export SUPERSTEP_BIN_DIR=$repository/build/release/bin
fi
source "$repository/scripts/lib/mpi_env.sh"
SUPERSTEP_MPI_FLAGS="${mpi_flags[*]}" PYTHONDONTWRITEBYTECODE=1 \
  exec python3 "$repository/scripts/drills/lib/straggler_study.py" "$@"
