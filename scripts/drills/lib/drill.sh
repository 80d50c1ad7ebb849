# shellcheck shell=bash
# How the drills start: where the binaries are, and which MPI. Sourced; the sourcing script's head comment is its --help.
#
# A drill in place, or with copies in memory, needs an MPI whose jobs survive a death: it runs itself through
# with_openmpi5.sh. Relaunching works with the machine's own MPI and the release build (or SUPERSTEP_BIN_DIR). What a
# drill does once it is there is the Python script of the same name in this directory.
drills=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
source "$drills/../lib/common.sh"

# run_python SCRIPT WAY ARGUMENT...: in the environment that is there.
run_python() {
  local script=$1 way=$2
  shift 2
  PYTHONDONTWRITEBYTECODE=1 python3 "$drills/lib/$script.py" --recovery "$way" "$@"
}

# run_natively SCRIPT WAY ARGUMENT...: with this machine's MPI and its release build.
run_natively() {
  if [ -z "${SUPERSTEP_BIN_DIR:-}" ]; then
    build_preset release pregel supervise >&2
    export SUPERSTEP_BIN_DIR=$repository/build/release/bin
  fi
  source "$repository/scripts/lib/mpi_env.sh"
  SUPERSTEP_MPI_FLAGS="${mpi_flags[*]}" run_python "$@"
}

# run_way SCRIPT WAY ARGUMENT...: one way of recovery, where it works.
run_way() {
  local script=$1 way=$2
  shift 2
  if [ "$way" = relaunch ]; then
    run_natively "$script" "$way" "$@"
  elif [ "${SUPERSTEP_ULFM:-}" = 1 ]; then
    run_python "$script" "$way" "$@"
  else
    "$drills/with_openmpi5.sh" env PYTHONDONTWRITEBYTECODE=1 python3 "$drills/lib/$script.py" --recovery "$way" "$@"
  fi
}

# run_drill SCRIPT "WAYS" ARGUMENT...: each way that --recovery names (default, and `all`: WAYS), one after the other.
# Exit code 0 only if all passed; 77 if all of them were skipped.
run_drill() {
  local script=$1 all=$2 ways="" others=()
  shift 2
  while [ $# -gt 0 ]; do
    case "$1" in
      -h | --help) print_usage "$0"; exit 0 ;;
      --recovery) ways+=" ${2:?--recovery needs a word}"; shift 2 ;;
      --recovery=*) ways+=" ${1#*=}"; shift ;;
      *) others+=("$1"); shift ;;
    esac
  done
  ways=${ways//,/ }
  case " $ways " in *" all "* | "  ") ways=$all ;; esac
  local way status failed=0 passed=0 skipped=0
  for way in $ways; do
    case " $all " in
      *" $way "*) ;;
      *) echo "$(basename "$0"): --recovery $way: it knows ${all// /, } and all" >&2; exit 2 ;;
    esac
  done
  for way in $ways; do
    status=0
    run_way "$script" "$way" "${others[@]}" || status=$?
    case $status in
      0) passed=$((passed + 1)) ;;
      2) exit 2 ;;
      77) skipped=$((skipped + 1)) ;;
      130 | 143) exit "$status" ;;
      *) failed=$((failed + 1)) ;;
    esac
  done
  [ "$failed" -eq 0 ] || exit 1
  if [ "$passed" -eq 0 ] && [ "$skipped" -gt 0 ]; then exit 77; fi
}
