#!/usr/bin/env bash
# Builds the Debian package: programs, headers, static libraries, CMake package and bash completion.
#
#   scripts/package.sh [DIRECTORY]
#
# Leaves superstep_VERSION_ARCHITECTURE.deb in DIRECTORY (build/package) and prints its path; needs what
# scripts/install_dependencies.sh installs. `apt-get install ./superstep_….deb` brings the libraries that the programs use.
set -euo pipefail
source "$(dirname "$0")/lib/common.sh"
case "${1:-}" in
  -h | --help)
    print_usage "$0"
    exit 0
    ;;
  -*)
    echo "package.sh: unknown option $1 (see --help)" >&2
    exit 2
    ;;
esac
directory=${1:-$repository/build/package}
(cd "$repository" && run_logged build/package/configure.log cmake --preset release -B build/package/build \
  -DSUPERSTEP_TESTS=OFF -DSUPERSTEP_BENCHMARKS=OFF)
say "build the programs on $jobs cores (log: build/package/build.log)"
run_logged "$repository/build/package/build.log" cmake --build "$repository/build/package/build" -j "$jobs"
mkdir -p "$directory"
run_logged "$repository/build/package/cpack.log" cpack --config "$repository/build/package/build/CPackConfig.cmake" -B "$directory"
ls "$directory"/superstep_*.deb
