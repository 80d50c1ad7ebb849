#!/usr/bin/env bash
# Freezes a random rank at a random moment (kill -STOP): it is alive, and silent. Each time it must be named and killed
# within --timeout + 2 seconds, the job must recover and give the same bytes as the undisturbed run, and no process,
# stopped or not, is left behind.
#
#   scripts/drills/freeze_a_rank.sh [--recovery WAY] [--times N] [--timeout S] [--ranks P] [--algorithm A] [--graph SPEC]
#
#   --recovery in-place|memory|relaunch|all   as for kill_a_rank.sh (default all)
#   --times N            blows (3)
#   --timeout S          the job's own --timeout (2)
#   --ranks, --algorithm, --graph, --iterations (100), --checkpoint-every, --seed, --limit, --keep: as for kill_a_rank.sh
set -euo pipefail
source "$(dirname "$0")/lib/drill.sh"
run_drill freeze_a_rank "in-place memory relaunch" "$@"
