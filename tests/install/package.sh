#!/usr/bin/env bash
# The Debian package of a build: has everything in its place, its programs run, and their completion knows what they know.
#   package.sh SOURCE_DIR BUILD_DIR
set -euo pipefail
source_dir=$1
build_dir=$2
if ! command -v dpkg-deb >/dev/null 2>&1; then
  echo "SKIPPED: no dpkg-deb here"
  exit 77
fi
source "$source_dir/scripts/lib/mpi_env.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cpack --config "$build_dir/CPackConfig.cmake" -G DEB -B "$work" >"$work/cpack.log" 2>&1 || { cat "$work/cpack.log"; exit 1; }
package=$(ls "$work"/superstep_*.deb)
dpkg-deb --field "$package" Depends | grep -q openmpi-bin
dpkg-deb --extract "$package" "$work/root"
for file in bin/pregel bin/pstrain bin/ringbench bin/graphgen bin/supervise include/pregel/pregel.hpp \
  share/bash-completion/completions/pregel; do
  [ -f "$work/root/usr/$file" ] || { echo "the package has no $file"; exit 1; }
done
find "$work/root/usr" -name SuperstepConfig.cmake | grep -q .
run_ranks 2 "$work/root/usr/bin/pregel" wcc --generate chain:n=10 --output "$work/result.txt" --quiet
[ "$(wc -l <"$work/result.txt")" = 10 ]

# complete WORD PREVIOUS PROGRAM: what would be offered.
PATH=$work/root/usr/bin:$PATH
source "$work/root/usr/share/bash-completion/completions/pregel"
offered() {
  _superstep "$3" "$1" "$2"
  echo "${COMPREPLY[*]}"
}
expect() {
  if [ "$1" != "$2" ]; then
    echo "completion offers '$1', not '$2'"
    exit 1
  fi
}
expect "$(offered pager pregel pregel)" pagerank
expect "$(offered --iter pagerank pregel)" --iterations
expect "$(offered r --partition pregel)" range
expect "$(offered pager --then pregel)" pagerank
expect "$(offered '"degre' --then pregel)" degree
expect "$(offered ss --strategy pstrain)" ssp
expect "$(offered ri pstrain pstrain)" ridge
expect "$(offered x --output pregel)" ""
echo "package: complete, runs, and completes"
