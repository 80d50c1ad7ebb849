#!/usr/bin/env bash
# Runs a command under a time limit and says by name what was killed:
#   run_with_limit.sh NAME SECONDS COMMAND...
# The command gets SIGTERM at the limit (mpirun then ends its ranks) and SIGKILL five seconds later.
set -u
name=$1
seconds=$2
shift 2
timeout -k 5 "$seconds" "$@"
status=$?
if [ "$status" -eq 124 ] || [ "$status" -eq 137 ]; then
  echo "TIME LIMIT: $name did not end within $seconds s and was killed" >&2
fi
exit "$status"
