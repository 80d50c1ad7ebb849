#!/usr/bin/env bash
# Builds the release preset and runs its tests: the command to run before every commit, and what CI runs.
#
#   scripts/test.sh [--preset NAME] [CTEST OPTIONS]
#
#   scripts/test.sh                      everything
#   scripts/test.sh -R exact_sum         tests whose name matches
#   scripts/test.sh -L pregel -LE slow   by label
#   scripts/test.sh --preset asan        another preset of CMakePresets.json
#
# Without ctest options the release build goes through a few fault drills first (scripts/drills/smoke.sh): whole jobs that
# lose ranks. In place they need an MPI with ULFM, for which a machine without one makes a Debian 13 tree once, as root
# (scripts/drills/with_openmpi5.sh; a few minutes); where that cannot be they are left out, with a line that says so.
# SUPERSTEP_DRILLS=off leaves all drills out.
#
# Prints a line a test, the whole output of those that fail, and ctest's summary. Exit code 0 only if all passed.
set -euo pipefail
source "$(dirname "$0")/lib/common.sh"

preset=release
case "${1:-}" in
  -h | --help)
    print_usage "$0"
    exit 0
    ;;
  --preset)
    preset=${2:?--preset needs a name}
    shift 2
    ;;
esac

"$repository/scripts/install_dependencies.sh" --tests
source "$repository/scripts/lib/mpi_env.sh"
build_preset "$preset"

# Whole jobs that lose ranks.
drills=passed
run_drills() {
  say "fault drills (log: build/$preset/drills.log)"
  local options=() status=0 log=$repository/build/$preset/drills.log
  "$repository/scripts/drills/with_openmpi5.sh" true || status=$?
  case "$status" in
    0) ;;
    77) say "SKIPPED: recovery in place, as no MPI with ULFM can be had here"; options=(--relaunch-only) ;;
    *) return 1 ;;
  esac
  run_logged "$log" "$repository/scripts/drills/smoke.sh" "${options[@]}" && tail -n 1 "$log"
}
if [ "$preset" = release ] && [ $# -eq 0 ] && [ "${SUPERSTEP_DRILLS:-on}" != off ]; then
  run_drills || drills=failed
fi

# A test counts as many processors as it has ranks, and starting mpirun is mostly waiting: so twice the cores.
say "test $preset"
cd "$repository"
ctest --preset "$preset" -j $((cores * 2)) "$@"
if [ "$drills" = failed ]; then
  say "FAILED: the fault drills, see above" >&2
  exit 1
fi
