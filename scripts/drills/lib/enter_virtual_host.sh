#!/usr/bin/env bash
# enter_virtual_host.sh [ssh's options] HOST COMMAND…: runs a command on a host of the virtual cluster (its address, or
# its number), under the host's name. What mpirun takes for ssh.
set -euo pipefail
while [[ ${1:-} == -* ]]; do shift; done
name=${SUPERSTEP_CLUSTER:-superstep}-host${1##*.}
shift
exec ip netns exec "$name" unshare --uts sh -c "hostname $name; $*"
