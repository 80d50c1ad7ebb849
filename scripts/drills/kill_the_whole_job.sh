#!/usr/bin/env bash
# Kills all ranks of a job and its launcher at once, at a random moment, as a power failure does. No process is left; what
# lies on the disk is whole; and the job goes on from it, with the same bytes as the undisturbed run: by hand with
# --resume on a random number of ranks from 1 to P + 1, and by supervise, in turn.
#
#   scripts/drills/kill_the_whole_job.sh [--recovery WAY] [--times N] [--ranks P] [--algorithm A] [--graph SPEC]
#
#   --recovery relaunch|in-place|all   relaunch: with this machine's MPI; in-place: the same with an MPI that survives
#                        deaths (default all)
#   --times N            blows (4)
#   --ranks, --algorithm, --graph, --iterations (100), --checkpoint-every, --seed, --limit, --keep: as for kill_a_rank.sh
set -euo pipefail
source "$(dirname "$0")/lib/drill.sh"
run_drill kill_the_whole_job "relaunch in-place" "$@"
