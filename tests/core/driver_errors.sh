#!/usr/bin/env bash
# How errors of a driver look from the shell: our lines on standard error, and the exit code.
#   driver_errors.sh PROBE RANKS LAUNCHER...
set -u
probe=$1
ranks=$2
shift 2
failures=0
# Every rank ends by itself here; else Open MPI's launcher waits two seconds for those that have gone already.
export OMPI_MCA_odls_base_sigkill_timeout=0 PRTE_MCA_odls_base_sigkill_timeout=0

# expect HOW EXIT_CODE LINE...: exactly these of our lines (in any order), whatever else the launcher prints.
expect() {
  local how=$1 code=$2 output status ours wanted
  shift 2
  output=$("${launcher[@]}" "$probe" "$how" 2>&1 </dev/null)
  status=$?
  ours=$(grep -E '^(\[rank [0-9]+\] )?(probe: error: |information|details|warning: )' <<<"$output" | sort)
  wanted=$(printf '%s\n' "$@" | sed '/^$/d' | sort)
  if [ "$status" -ne "$code" ] || [ "$ours" != "$wanted" ]; then
    echo "FAILED: $how on $ranks ranks: exit code $status (expected $code), our lines:"
    echo "$ours" | sed 's/^/    /'
    echo "  expected:"
    echo "$wanted" | sed 's/^/    /'
    failures=$((failures + 1))
  fi
}

launcher=("$@")
last=$((ranks - 1))
rank_prefix="[rank $last] "
on_rank=" (on rank $last)"
if [ "$ranks" -eq 1 ]; then
  rank_prefix=""
  on_rank=""
fi

expect well 0 ""
expect requeue 75 ""
expect option 2 "probe: error: unknown option --frobnicate"
expect agreed 1 "probe: error: disk full$on_rank"
expect agreed-input 2 "probe: error: graph.e:7: not a number"
expect alone-waited-for 1 "${rank_prefix}probe: error: lost my way"
expect alone-at-the-end 1 "${rank_prefix}probe: error: out of memory"
expect no-exception-class 1 "probe: error: unknown exception"

each=()
warnings=("information" "warning: careful")
for ((rank = 0; rank < ranks; ++rank)); do
  prefix="[rank $rank] "
  if [ "$ranks" -eq 1 ]; then prefix=""; fi
  each+=("${prefix}probe: error: rank $rank has its own trouble")
  if [ "$rank" -gt 0 ]; then warnings+=("[rank $rank] warning: careful"); fi
done
expect each-its-own 1 "${each[@]}"
expect log 0 "${warnings[@]}"

exit $((failures > 0))
