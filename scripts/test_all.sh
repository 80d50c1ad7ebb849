#!/usr/bin/env bash
# The long check: test.sh, then the suites under the sanitizers, an hour of fuzzing, then portable against native results byte for byte.
#
#   scripts/test_all.sh
#
# Goes through all stages even if one fails; exit code 0 only if all passed.
set -uo pipefail
source "$(dirname "$0")/lib/common.sh"
case "${1:-}" in
  "") ;;
  -h | --help)
    print_usage "$0"
    exit 0
    ;;
  *)
    echo "test_all.sh: unknown option $1 (see --help)" >&2
    exit 2
    ;;
esac

failed=()
stage() {
  local name=$1
  shift
  say "stage $name"
  "$@" || failed+=("$name")
}

stage format "$repository/scripts/check_format.sh"
stage release env SUPERSTEP_STRESS_ROUNDS=1000000 "$repository/scripts/test.sh"
stage asan "$repository/scripts/test.sh" --preset asan
stage fuzz "$repository/scripts/fuzz.sh" --preset asan 400
stage fuzz-coverage "$repository/scripts/fuzz.sh" --coverage 20
stage tsan "$repository/scripts/test.sh" --preset tsan
stage native-against-portable "$repository/scripts/compare_builds.sh"

if [ ${#failed[@]} -gt 0 ]; then
  say "FAILED: ${failed[*]}"
  exit 1
fi
say "all stages passed"
