#!/usr/bin/env bash
# Fills the disk that checkpoints go to, a small tmpfs, while the job runs, and keeps it full:
#
#   required       with --checkpoint-required the job ends: exit code 1, one line that says why, no result. When there is
#                  space again it goes on from the last checkpoint, on one rank less
#   not required   it warns and ends well
#   and a death    the same, and then a rank is killed: back to the last checkpoint that was written
#   no room        the disk has no room for a checkpoint from the start, with and without --checkpoint-required
#
# Each time what was on the disk before is whole, nothing temporary is left, and results have the bytes of the
# undisturbed run. Needs root and a mount namespace; exit code 77 (skipped) without.
#
#   scripts/drills/fill_the_disk.sh [--recovery WAY] [--times N] [--ranks P] [--algorithm A] [--graph SPEC]
#
#   --recovery relaunch|in-place|all   with this machine's MPI, and with one that survives deaths (default all)
#   --times N            each case so often (1)
#   --ranks, --algorithm, --graph, --iterations (100), --checkpoint-every, --seed, --limit, --keep: as for kill_a_rank.sh
set -euo pipefail
source "$(dirname "$0")/lib/drill.sh"
run_drill fill_the_disk "relaunch in-place" "$@"
