#!/usr/bin/env bash
# The shortest run that shows all ways of recovery at work, for continuous integration: the worked example, a few kills
# in place, from memory and by relaunch, a kill during a checkpoint, a frozen rank, a recovery seen in a browser. About a minute once everything is
# built.
#
#   scripts/drills/smoke.sh [--relaunch-only]
#
#   --relaunch-only      leave out what needs an MPI that survives deaths (and, where the machine's own does not, root)
set -euo pipefail
drills=$(cd "$(dirname "$0")" && pwd)
source "$drills/../lib/common.sh"

only=no
case "${1:-}" in
  -h | --help) print_usage "$0"; exit 0 ;;
  --relaunch-only) only=yes ;;
  "") ;;
  *) echo "smoke.sh: unknown option $1 (see --help)" >&2; exit 2 ;;
esac

small=(--graph kron:scale=13 --ranks 3 --limit 60)
failed=()
drill() {
  local script=$1 status=0
  shift
  "$drills/$script" "$@" || status=$?
  case $status in
    0) ;;
    77) say "SKIPPED: $script $*" ;;
    *) failed+=("$script $*") ;;
  esac
}

if [ "$only" = no ]; then
  drill table7.sh --recovery in-place
  drill kill_a_rank.sh "${small[@]}" --recovery in-place --times 3
  drill kill_a_rank.sh "${small[@]}" --recovery memory --times 2
  drill kill_during_checkpoint.sh "${small[@]}" --recovery in-place --times 2
  drill freeze_a_rank.sh "${small[@]}" --recovery in-place --times 1 --timeout 1
  drill watch_a_recovery.sh
fi
drill kill_a_rank.sh "${small[@]}" --recovery relaunch --times 3
drill kill_during_checkpoint.sh "${small[@]}" --recovery relaunch --times 2

if [ ${#failed[@]} -gt 0 ]; then
  printf 'FAILED: scripts/drills/%s\n' "${failed[@]}"
  exit 1
fi
say "all drills passed in $SECONDS s"
