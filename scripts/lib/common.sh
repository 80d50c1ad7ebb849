# shellcheck shell=bash
# Small things the scripts share. Sourced; sets repository (its root) and jobs.
repository=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)

# Compilers at once: one a core, but not more than memory allows (about 1.5 GB each), or a small machine would swap.
cores=$(nproc 2>/dev/null || echo 2)
memory_gb=$(awk '/MemAvailable/ {print int($2 / 1048576)}' /proc/meminfo 2>/dev/null || echo 4)
jobs=$((memory_gb * 2 / 3))
[ "$jobs" -le "$cores" ] || jobs=$cores
[ "$jobs" -ge 1 ] || jobs=1

say() { printf '== %s\n' "$*"; }

# Prints the comment at the head of a script as its --help.
print_usage() { awk 'NR > 1 { if (!/^#/) exit; sub(/^# ?/, ""); print }' "$1"; }

# run_logged LOG COMMAND...: silent when the command succeeds, else the end of its output and its exit code.
run_logged() {
  local log=$1
  shift
  mkdir -p "$(dirname "$log")"
  local status=0
  "$@" >"$log" 2>&1 || status=$?
  if [ "$status" -ne 0 ]; then
    printf 'failed (exit code %s): %s\n' "$status" "$*" >&2
    grep -nE 'error|FAILED' "$log" | head -20 >&2
    printf -- '--- end of %s\n' "$log" >&2
    tail -n 40 "$log" >&2
  fi
  return "$status"
}

# build_preset NAME [TARGET...]: configures and builds into build/NAME.
build_preset() {
  local preset=$1
  shift
  local targets=()
  [ $# -eq 0 ] || targets=(--target "$@")
  local directory=$repository/build/$preset
  say "configure and build $preset on $jobs cores (log: build/$preset/build.log)"
  (cd "$repository" && run_logged "$directory/configure.log" cmake --preset "$preset" &&
    run_logged "$directory/build.log" cmake --build --preset "$preset" -j "$jobs" "${targets[@]}")
}

# python_with MODULE...: prints a Python that has them, or fails. Debian's packages are for Debian's own Python, which need
# not be the first one.
python_with() {
  local python modules
  modules=$(printf ', %s' "$@")
  for python in python3 /usr/bin/python3; do
    if "$python" -c "import ${modules#, }" 2>/dev/null; then
      echo "$python"
      return
    fi
  done
  return 1
}

# missing_packages PACKAGE...: prints those that are not installed, a line each. Debian.
missing_packages() {
  local package status
  for package in "$@"; do
    status=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
    [ "$status" = installed ] || echo "$package"
  done
}

# install_packages LOG PACKAGE...: as root or through sudo, without recommended ones. The output goes to build/LOG.log.
install_packages() {
  local log=$repository/build/$1 as_root=()
  shift
  [ "$(id -u)" -eq 0 ] || as_root=(sudo)
  local apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -y -o Dpkg::Use-Pty=0)
  run_logged "$log.update.log" "${apt[@]}" update
  run_logged "$log.log" "${apt[@]}" install --no-install-recommends "$@"
}
