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

"$repository/scripts/install_dependencies.sh"
source "$repository/scripts/lib/mpi_env.sh"
build_preset "$preset"

# A test counts as many processors as it has ranks, and starting mpirun is mostly waiting: so twice the cores.
say "test $preset"
cd "$repository"
ctest --preset "$preset" -j $((cores * 2)) "$@"
