#!/usr/bin/env bash
# Installs what Superstep is built from, on Debian 12 or 13 (and relatives), as root or through sudo.
#
#   scripts/install_dependencies.sh [--tests] [--list]
#
#   --tests   also a browser, for the test of the live view; the test is skipped where it cannot be had
#
# Does nothing when everything is there, and does not touch an MPI that is installed already (Open MPI or MPICH, also
# from a cluster's modules). --list prints the packages. On other systems install the list's equivalents yourself.
set -euo pipefail
source "$(dirname "$0")/lib/common.sh"

packages=(g++ cmake ninja-build libboost-serialization-dev libhdf5-dev zlib1g-dev libzstd-dev libfmt-dev libspdlog-dev
  nlohmann-json3-dev libcli11-dev libgtest-dev libbenchmark-dev libeigen3-dev libcpp-httplib-dev python3)
mpi_packages=(openmpi-bin libopenmpi-dev)

# Chromium and what drives it.
test_packages=(chromium chromium-driver python3-selenium)
if [ "${1:-}" = --tests ]; then
  shift
  if command -v dpkg-query >/dev/null 2>&1; then
    mapfile -t missing < <(missing_packages "${test_packages[@]}")
    [ ${#missing[@]} -eq 0 ] || install_packages install_test_dependencies "${missing[@]}" ||
      say "SKIPPED: the test of the live view in a browser, as ${missing[*]} cannot be installed"
  fi
fi

case "${1:-}" in
  "") ;;
  --list)
    printf '%s\n' "${packages[@]}" "${mpi_packages[@]}"
    exit 0
    ;;
  -h | --help)
    print_usage "$0"
    exit 0
    ;;
  *)
    echo "install_dependencies.sh: unknown option $1 (see --help)" >&2
    exit 2
    ;;
esac

if ! command -v mpicxx >/dev/null 2>&1 || ! command -v mpirun >/dev/null 2>&1; then
  packages+=("${mpi_packages[@]}")
fi

if ! command -v dpkg-query >/dev/null 2>&1; then
  echo "not a Debian system: make sure these (or their equivalents) are installed: ${packages[*]}"
  exit 0
fi

mapfile -t missing < <(missing_packages "${packages[@]}")
if [ ${#missing[@]} -eq 0 ]; then
  say "dependencies: all installed"
  exit 0
fi

if [ "$(id -u)" -ne 0 ] && ! command -v sudo >/dev/null 2>&1; then
  echo "install_dependencies.sh: neither root nor sudo; ask for these packages: ${missing[*]}" >&2
  exit 1
fi

say "dependencies: installing ${missing[*]} (log: build/install_dependencies.log)"
install_packages install_dependencies "${missing[@]}"
