#!/usr/bin/env bash
# The worked example of a worker that dies, on real ranks: shortest paths on six vertices by three workers, a checkpoint
# every two supersteps; worker 2 is killed in superstep 5. Its two vertices go to workers 0 and 1, everything rolls back
# to the checkpoint of superstep 4, one superstep is computed again, and distances, supersteps (7), messages (10) and
# wake-ups (3) are those of the undisturbed run.
#
#   scripts/drills/table7.sh [--recovery in-place|memory|all]      (default all)
set -euo pipefail
source "$(dirname "$0")/lib/drill.sh"
run_drill table7 "in-place memory" "$@"
