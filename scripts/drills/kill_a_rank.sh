#!/usr/bin/env bash
# Kills a random rank of a running job at a random moment, from outside (kill -9), many times. Each time the job must end
# with exit code 0 and the same bytes as the undisturbed run on the same number of ranks, report the recovery, and leave
# no process behind.
#
#   scripts/drills/kill_a_rank.sh [--recovery WAY] [--times N] [--victims N] [--ranks P] [--algorithm A] [--graph SPEC]
#
#   --recovery in-place|memory|relaunch|all   the survivors go on from checkpoints on disk; the same from copies in each
#                        other's memory; supervise starts the job again on fewer ranks (default all, one after the other)
#   --times N            kills (5), each of a new job; a fifth of them hit rank 0
#   --victims N          at once, or each up to half a second after the one before; at least one rank must be left (1)
#   --ranks P            ranks of the job (4)
#   --algorithm A        pagerank, wcc or any other without a source (pagerank)
#   --graph SPEC         a generator's spec or a file (kron:scale=16)
#   --iterations N       of pagerank (100)
#   --checkpoint-every N supersteps (5; 1 for others than pagerank)
#   --seed S             of victims and moments (random, and printed)
#   --between A,B        moments from A to B only, as fractions of the undisturbed run's time (0,1)
#   --limit SECONDS      a job that takes longer hangs (180)
#   --keep               keep the files of a failed drill
#
# The moments are even over the whole job, from when its ranks are up until its result is there: loading, checkpoints and
# writing of results included. Every second one is even over the supersteps, which may be the smaller part (not from
# memory, where they cannot be told apart from outside). A kill that comes when the job is done does not count and is
# drawn again. In a relaunch "in superstep" is what the progress line, ten times a second, showed last. In place and
# memory run through with_openmpi5.sh where this machine's MPI ends a job whose rank has died.
set -euo pipefail
source "$(dirname "$0")/lib/drill.sh"
run_drill kill_a_rank "in-place memory relaunch" "$@"
