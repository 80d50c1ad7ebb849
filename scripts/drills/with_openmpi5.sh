#!/usr/bin/env bash
# Runs a command where MPI has ULFM (Open MPI 5), so that in-place recovery can be tested on a Debian 12 machine too.
#
#   scripts/drills/with_openmpi5.sh [--all] COMMAND [ARGUMENT...]
#
#   --all   build the tests as well, not only the programs
#
#   scripts/drills/with_openmpi5.sh mpirun --with-ft ulfm -n 4 pregel pagerank --generate kron:scale=12
#   scripts/drills/with_openmpi5.sh --all sh -c 'ctest --test-dir $SUPERSTEP_BUILD -L recovery'
#
# Where the machine's own Open MPI has ULFM, the project is built in a directory of its own and the command is run. Else it
# all happens in a Debian 13 tree, made by debootstrap when first needed (root; 1.3 GB; a few minutes). Tree and builds
# are kept below ${SUPERSTEP_CACHE:-$HOME/.cache/superstep}, never in the checkout; remove that directory to start anew.
#
# In the tree the command sees, at their usual paths: the checkout and ../shared (read-only, only results/ can be
# written), /tmp, the working directory, /dev/shm. It finds in its environment
#   PATH             the programs of the build first
#   SUPERSTEP_ULFM   1; scripts/lib/mpi_env.sh then starts jobs with --with-ft ulfm
#   SUPERSTEP_MPI_FLAGS  the flags of that file for mpirun, --with-ft ulfm among them
#   SUPERSTEP_BUILD  the build directory
# and settings that let mpirun start more ranks than there are cores, also as root. SUPERSTEP_DEBIAN_MIRROR names a mirror
# other than that of the machine's apt. The exit code is the command's; 77 when this machine cannot have such a tree (not
# root, no network), 1 when the project cannot be built in it, 2 for wrong usage.
set -euo pipefail
source "$(dirname "$0")/../lib/common.sh"
source "$repository/scripts/lib/debian_tree.sh"

fail() {
  echo "with_openmpi5.sh: $*" >&2
  exit "${exit_code:-77}"
}

suite=trixie
cache=${SUPERSTEP_CACHE:-${HOME:-/root}/.cache/superstep}

has_ulfm() {
  ompi_info 2>/dev/null | grep -q 'FT MPI support: yes' && mpirun --with-ft ulfm --version >/dev/null 2>&1
}

# with_lock FILE FUNCTION...: one at a time; says so when it has to wait. The lock is gone when the function has returned.
with_lock() {
  local file=$1 lock
  shift
  exec {lock}>"$file"
  if ! flock -n "$lock"; then
    say "waiting for another with_openmpi5.sh to finish building" >&2
    flock "$lock"
  fi
  "$@"
  exec {lock}>&-
}

# build DIRECTORY [PREFIX...]: incremental; PREFIX goes before cmake.
build() {
  local directory=$1
  shift
  mkdir -p "$directory"
  if [ ! -f "$directory/build.ninja" ]; then
    run_logged "$directory/configure.log" "$@" cmake -S "$repository" -B "$directory" -G Ninja -DCMAKE_BUILD_TYPE=Release \
      -DSUPERSTEP_BENCHMARKS=OFF >&2 || exit_code=1 fail "cannot configure in $directory"
  fi
  local target=drivers/all
  if [ "$everything" = yes ]; then target=all; fi
  say "building $target for Open MPI 5 on $jobs cores (log: $directory/build.log)" >&2
  run_logged "$directory/build.log" "$@" cmake --build "$directory" --target "$target" -j "$jobs" >&2 ||
    exit_code=1 fail "cannot build in $directory"
}

# set_environment: what the command finds; mpi_env.sh looks at the mpirun of this machine or tree.
set_environment() {
  export SUPERSTEP_ULFM=1 SUPERSTEP_BUILD=$build_directory PATH=$build_directory/bin:$PATH
  # The same for an mpirun without run_ranks: more ranks than cores, no pinning, no network on one host.
  export PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe PRTE_MCA_hwloc_default_binding_policy=none
  export OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_btl=^tcp
  source "$repository/scripts/lib/mpi_env.sh"
  export SUPERSTEP_MPI_FLAGS="${mpi_flags[*]}"
}

# show DIRECTORY [ro]: the tree sees a directory of the machine at the same path.
show() {
  mkdir -p "$tree$1"
  mount --bind "$1" "$tree$1"
  if [ "${2:-}" = ro ]; then mount -o remount,bind,ro "$tree$1"; fi
}

show_directories() {
  copy_network_settings "$tree"
  mount_system "$tree"
  show /tmp
  case "$PWD/" in
    // | /bin/* | /boot/* | /dev/* | /etc/* | /lib*/* | /proc/* | /run/* | /sbin/* | /sys/* | /tmp/* | /usr/* | /var/*) ;;
    *) show "$PWD" ;;
  esac
  local shared=${SUPERSTEP_SHARED:-$(dirname "$repository")/shared}
  if [ -d "$shared" ]; then show "$shared" ro; fi
  show "$repository" ro
  if [ -d "$repository/results" ]; then show "$repository/results"; fi
  mkdir -p "$build_directory"
  show "$build_directory"
}

# In the private mount namespace.
run_in_debian_13() {
  local packages
  # procps: drills look for processes.
  mapfile -t packages < <("$repository/scripts/install_dependencies.sh" --list && echo procps)
  tree=$cache/$suite
  with_lock "$tree.lock" make_tree "$tree" "$suite" "$tree.log" "${packages[@]}"
  show_directories
  with_lock "$tree.lock" install_packages "$tree" "$tree.log" "${packages[@]}"
  with_lock "$build_directory.lock" build "$build_directory" run_in_tree "$tree"

  unset LD_LIBRARY_PATH LD_PRELOAD CC CXX # of the machine's own compilers and libraries
  local tmp=${TMPDIR:-/tmp}
  [ -d "$tree$tmp" ] || tmp=/tmp
  exec chroot "$tree" env -C "$PWD" LC_ALL=C.UTF-8 TMPDIR="$tmp" \
    PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
    "$repository/scripts/drills/with_openmpi5.sh" --only-run "$build_directory" "$@"
}

stage=start
everything=no
while [ $# -gt 0 ]; do
  case "$1" in
    -h | --help) print_usage "$0"; exit 0 ;;
    --all) everything=yes; shift ;;
    --in-namespace) stage=namespace; shift ;; # the script calls itself with these two
    --only-run) stage=run; build_directory=$2; shift 2 ;;
    --) shift; break ;;
    -*) exit_code=2 fail "unknown option $1 (see --help)" ;;
    *) break ;;
  esac
done
[ $# -gt 0 ] || exit_code=2 fail "no command given (see --help)"

if [ "$stage" = start ] && [ "${SUPERSTEP_ULFM:-}" = 1 ] && [ -d "${SUPERSTEP_BUILD:-}" ]; then
  exec "$@" # a drill within a drill
fi
if [ "$stage" = run ]; then
  set_environment
  exec "$@"
fi

cache=$(realpath -m "$cache")
case "$cache/" in "$repository"/*) exit_code=2 fail "SUPERSTEP_CACHE must not be inside the checkout" ;; esac
mkdir -p "$cache" 2>/dev/null || fail "cannot write $cache (choose another directory by SUPERSTEP_CACHE)"
checkout_name=$(basename "$repository")-$(printf %s "$repository" | cksum | cut -d' ' -f1) # each checkout has its builds

if [ "$stage" = start ] && has_ulfm; then
  build_directory=$cache/build-native/$checkout_name
  mkdir -p "$build_directory"
  with_lock "$build_directory.lock" build "$build_directory" env
  set_environment
  exec "$@"
fi

build_directory=$cache/build-$suite/$checkout_name
mkdir -p "$build_directory"
if [ "$stage" = start ]; then
  [ "$(id -u)" -eq 0 ] || fail "this machine's MPI has no ULFM, and only root can make and enter a Debian 13 tree (sudo -E)"
  unshare --mount true 2>/dev/null || fail "cannot make a private mount namespace (in a container: --privileged)"
  options=(--in-namespace)
  if [ "$everything" = yes ]; then options+=(--all); fi
  exec unshare --mount -- "$repository/scripts/drills/with_openmpi5.sh" "${options[@]}" -- "$@"
fi
run_in_debian_13 "$@"
