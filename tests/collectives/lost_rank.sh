#!/usr/bin/env bash
# A rank that is frozen or killed in an all-reduce: the job ends, with an error, soon, and leaves no process behind. Where
# the launcher does not end the job by itself (a frozen rank), every other rank says whom it has waited for.
#   lost_rank.sh PROBE HOW ALGORITHM LAUNCHER...      (four ranks)
set -u
probe=$1
how=$2
algorithm=$3
shift 3
timeout=2
mark=lost-rank-$$-$RANDOM

begin=$SECONDS
output=$("$@" "$probe" "$how" "$algorithm" "$timeout" "$mark" 2>&1 </dev/null)
status=$?
seconds=$((SECONDS - begin))

fail() {
  echo "FAILED: $how, $algorithm: $1; exit code $status after $seconds s; output:"
  echo "$output" | sed 's/^/    /'
  pkill -KILL -f "$mark"
  exit 1
}

[ "$status" -ne 0 ] || fail "the job ended as if all were well"
[ "$seconds" -le 25 ] || fail "it took too long"
for _ in 1 2 3 4 5 6 7 8 9 10; do # the launcher may end before its last process
  pgrep -f "$mark " >/dev/null || pgrep -f "$mark\$" >/dev/null || break
  sleep 0.5
done
if pgrep -f "$mark" >/dev/null; then fail "processes are left"; fi
if [ "$how" = stop ]; then
  for rank in 0 1 3; do
    grep -qE "^probe says: rank $rank has waited $timeout s in collective call [0-9]+ \([a-z_]+\) for rank 2$" \
      <<<"$output" || fail "rank $rank did not name rank 2"
  done
fi
