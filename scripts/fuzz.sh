#!/usr/bin/env bash
# Fuzzes every reader of graph files, on three ranks.
#
#   scripts/fuzz.sh [--preset asan] [SECONDS]
#   scripts/fuzz.sh --coverage [SECONDS]
#
# SECONDS (20) are for each of the ten fuzzers: edge lists, gzip, vertex files, Matrix Market, METIS, DIMACS,
# adjacency lists, CSV, HDF5, rows of start values. A failure names the round; the same round makes the same file each
# time. --coverage builds with counters instead of sanitizers and prints which lines and branches of the readers the
# fuzzers reached (gcovr); the whole table is left in build/coverage/fuzz.txt.
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
    --coverage)
      preset=coverage
      shift
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
directory=$repository/build/$preset
build_preset "$preset" reader_fuzz_test hdf5_graph_test value_rows_test
if [ "$preset" = coverage ]; then
  mapfile -t missing < <(missing_packages gcovr)
  [ ${#missing[@]} -eq 0 ] || install_packages gcovr "${missing[@]}"
  find "$directory" -name '*.gcda' -delete
fi
export SUPERSTEP_FUZZ_SECONDS=$seconds
export ASAN_OPTIONS=detect_leaks=1:fast_unwind_on_malloc=0 # MPI has no frame pointers: suppressions need whole stacks
export LSAN_OPTIONS=suppressions=$repository/scripts/sanitizers/lsan.supp:print_suppressions=0
for fuzzer in "reader_fuzz_test *" "hdf5_graph_test *random*" "value_rows_test *random*"; do
  read -r program filter <<<"$fuzzer"
  run_ranks 3 "$directory/tests/bin/$program" --gtest_filter="$filter"
done
if [ "$preset" = coverage ]; then
  gcovr --root "$repository" --filter libpregel/src/io/ --filter libpregel/include/pregel/io/ \
    --exclude '.*writer.*' --exclude '.*(generator|kronecker|result|top_vertices|summary).*' \
    --exclude-throw-branches "$directory" | tee "$directory/fuzz.txt"
fi
