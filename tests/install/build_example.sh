#!/usr/bin/env bash
# Installs a build to a temporary prefix, builds the example against it and runs it on two ranks:
#   build_example.sh SOURCE_DIR BUILD_DIR GENERATOR COMPILER
set -euo pipefail
source_dir=$1
build_dir=$2
generator=$3
compiler=$4
source "$source_dir/scripts/lib/mpi_env.sh"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The example is copied away: it must not find anything through its place in the source tree.
cp -r "$source_dir/examples/largest_in_component" "$work/example"
cmake --install "$build_dir" --prefix "$work/prefix" >"$work/install.log" || { cat "$work/install.log"; exit 1; }
cmake -S "$work/example" -B "$work/build" -G "$generator" -DCMAKE_CXX_COMPILER="$compiler" \
  -DCMAKE_PREFIX_PATH="$work/prefix"
cmake --build "$work/build"

# Two components, {1 2 3} and {10 20}, and a loop at 7.
printf '# u v\n1 2\n2 3\n20 10\n7 7\n' >"$work/graph.txt"
printf '1 3\n2 3\n3 3\n7 7\n10 20\n20 20\n' >"$work/expected.txt"
run_ranks 2 "$work/build/largest_in_component" "$work/graph.txt" "$work/result.txt"
diff "$work/expected.txt" "$work/result.txt"
echo "example: built against the installed package, result as expected"
