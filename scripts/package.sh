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
build=$repository/build/package
directory=${1:-$build}
build_preset package
mkdir -p "$directory"
run_logged "$build/cpack.log" cpack --config "$build/CPackConfig.cmake" -B "$directory"
ls "$directory"/superstep_*.deb
