#!/usr/bin/env bash
# Fuzzes every reader of graph files, on three ranks, with the tests of a build that is there already.
#
#   scripts/fuzz.sh [--preset asan] [SECONDS]
#
# SECONDS (20) are for each of the nine fuzzers: edge lists, gzip, vertex files, Matrix Market, METIS, DIMACS, adjacency
# lists, CSV, HDF5. A failure names the round; the same round makes the same file each time.
set -euo pipefail
source "$(dirname "$0")/lib/common.sh"
source "$repository/scripts/lib/mpi_env.sh"
preset=asan
seconds=20
while [ $# -gt 0 ]; do
  case "$1" in
    --preset)
      preset=${2:?"--preset needs a name"}
      shift 2
      ;;
    -h | --help)
      print_usage "$0"
      exit 0
      ;;
    *[!0-9]* | "")
      echo "fuzz.sh: unknown option $1 (see --help)" >&2
      exit 2
      ;;
    *)
      seconds=$1
      shift
      ;;
  esac
done
tests=$repository/build/$preset/tests/bin
cmake --build "$repository/build/$preset" --target reader_fuzz_test hdf5_graph_test
export SUPERSTEP_FUZZ_SECONDS=$seconds
export LSAN_OPTIONS=suppressions=$repository/scripts/sanitizers/lsan.supp:print_suppressions=0
for fuzzer in "reader_fuzz_test *" "hdf5_graph_test *random*"; do
  read -r program filter <<<"$fuzzer"
  run_ranks 3 "$tests/$program" --gtest_filter="$filter"
done
