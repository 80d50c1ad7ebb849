#!/usr/bin/env bash
# Watches a recovery in place as a user does: in a browser (headless Chromium) that shows the live view of a job whose
# ranks survive each other (Open MPI 5). Rank 2 is killed, then rank 0, which serves the page; each death must be seen
# within 2 seconds, and the recovery. Ends with 77 where there is no browser, or no such MPI.
#
#   scripts/drills/watch_a_recovery.sh
set -euo pipefail
case "${1:-}" in
  -h | --help) source "$(dirname "$0")/../lib/common.sh"; print_usage "$0"; exit 0 ;;
  "") ;;
  *) echo "watch_a_recovery.sh: unknown option $1 (see --help)" >&2; exit 2 ;;
esac
source "$(dirname "$0")/lib/drill.sh"

"$drills/with_openmpi5.sh" true # what has to be built is built before anybody watches
# The browser is this machine's, the job may be in a tree of its own: they share the network and the process numbers.
# shellcheck disable=SC2016
in_the_tree='exec mpirun $SUPERSTEP_MPI_FLAGS -n "$@"'
export SUPERSTEP_ULFM_LAUNCHER="$drills/with_openmpi5.sh bash -c '$in_the_tree' mpirun"
say "a recovery in place, seen in a browser"
PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$repository/tests/cli \
  python3 "$repository/tests/cli/live_view/browser_test.py" BrowserTest.test_the_survivors_go_on_in_place
