#!/usr/bin/env bash
# Kills a random rank while a checkpoint is being written: from outside, at a random moment between the appearance of the
# checkpoint's directory and that of its index, and (every third time) from inside, when the rank's part is in place and
# ranks have not yet agreed. Each time: every checkpoint that has an index is whole, byte for byte; the one before is
# not lost; the job goes on from there and gives the same bytes; no temporary file stays.
#
#   scripts/drills/kill_during_checkpoint.sh [--recovery WAY] [--times N] [--ranks P] [--algorithm A] [--graph SPEC]
#
#   --recovery in-place|relaunch|all   relaunch is by hand here, with --resume on one rank less, so that the disk can be
#                        looked at in between (default all)
#   --times N            kills (6)
#   --ranks, --algorithm, --graph, --iterations (60), --checkpoint-every, --seed, --limit, --keep: as for kill_a_rank.sh
set -euo pipefail
source "$(dirname "$0")/lib/drill.sh"
run_drill kill_during_checkpoint "in-place relaunch" "$@"
