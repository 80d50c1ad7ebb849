#!/usr/bin/env bash
# Damages the newest checkpoint of a job: a part is cut off, a bit of a dataset or of HDF5's own structures is flipped, a
# part or the index is missing, a bit of the index is flipped, the index is empty or of a newer format. The job must say
# so in a warning that names file and dataset, go on from the checkpoint before, and give the bytes of the undisturbed
# run. When all checkpoints are damaged it must end with exit code 1 and one line; when all indexes are missing nothing
# was ever committed, and it starts from the start.
#
#   scripts/drills/corrupt_a_checkpoint.sh [--recovery WAY] [--times N] [--ranks P] [--algorithm A] [--graph SPEC]
#
#   --recovery relaunch|in-place|all   relaunch: the job has ended, and is resumed on one rank less; in-place: the damage
#                        is done while it runs, and then a rank dies (default all)
#   --times N            each kind of damage so often, at random places (1)
#   --ranks, --algorithm, --graph, --iterations (20), --checkpoint-every (2), --seed, --limit, --keep: as for kill_a_rank.sh
set -euo pipefail
source "$(dirname "$0")/lib/drill.sh"
run_drill corrupt_a_checkpoint "relaunch in-place" "$@"
