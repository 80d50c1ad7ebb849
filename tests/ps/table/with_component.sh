#!/usr/bin/env bash
# Runs a test through one of Open MPI's one-sided components:
#   with_component.sh COMPONENT PROBE TEST LAUNCHER...
# Exit code 77, with a line that says so, when the component cannot run on this machine.
set -u
component=$1
probe=$2
test=$3
shift 3
if ! output=$(timeout -k 5 20 "$@" --mca osc "$component" "$probe" 2>&1); then
  echo "SKIPPED: the one-sided component '$component' does not run here:"
  echo "$output" | grep -v '^ *$' | head -5
  exit 77
fi
exec "$@" --mca osc "$component" "$test"
