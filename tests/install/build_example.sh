#!/usr/bin/env bash
# Installs a build to a temporary prefix, builds an example against it and runs it on two ranks: NAME.edges here is its
# input, NAME.expected its result.
# node_classification draws its input, and must learn alike on any number of ranks.
#   build_example.sh NAME SOURCE_DIR BUILD_DIR GENERATOR COMPILER
set -euo pipefail
name=$1
source_dir=$2
build_dir=$3
generator=$4
compiler=$5
here=$(cd "$(dirname "$0")" && pwd)
source "$source_dir/scripts/lib/mpi_env.sh"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The example is copied away: it must not find anything through its place in the source tree.
cp -r "$source_dir/examples/$name" "$work/example"
cmake --install "$build_dir" --prefix "$work/prefix" >"$work/install.log" || { cat "$work/install.log"; exit 1; }
cmake -S "$work/example" -B "$work/build" -G "$generator" -DCMAKE_CXX_COMPILER="$compiler" \
  -DCMAKE_PREFIX_PATH="$work/prefix"
cmake --build "$work/build"

if [ "$name" = node_classification ]; then
  for ranks in 1 3; do
    run_ranks "$ranks" "$work/build/$name" --vertices 200 --epochs 3 --every 1 --metrics "$work/metrics.json" >"$work/$ranks.txt"
    grep ' epoch ' "$work/$ranks.txt" >"$work/$ranks.curve"
  done
  [ "$(wc -l <"$work/1.curve")" = 12 ] # three models after 0 to 3 updates
  diff "$work/1.curve" "$work/3.curve"
  grep -q '"test_accuracy"' "$work/metrics.json"
  echo "example: built against the installed package, learns alike on 1 and 3 ranks"
  exit
fi

run_ranks 2 "$work/build/$name" "$here/$name.edges" "$work/result.txt"
diff "$here/$name.expected" "$work/result.txt"
if [ "$name" = core_numbers ]; then # keeps checkpoints if told where: a second run goes on from the last
  for ranks in 2 3; do
    run_ranks "$ranks" "$work/build/$name" "$here/$name.edges" "$work/again.txt" "$work/checkpoints"
    diff "$here/$name.expected" "$work/again.txt"
  done
fi
echo "example: built against the installed package, result as expected"
