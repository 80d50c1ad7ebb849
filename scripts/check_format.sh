#!/usr/bin/env bash
# Are all C++ files as clang-format would write them? Lists those that are not; skipped where clang-format is missing.
#
#   scripts/check_format.sh [--fix]
set -euo pipefail
source "$(dirname "$0")/lib/common.sh"
mode=(--dry-run -Werror)
case "${1:-}" in
  "") ;;
  --fix) mode=(-i) ;;
  -h | --help)
    print_usage "$0"
    exit 0
    ;;
  *)
    echo "check_format.sh: unknown option $1 (see --help)" >&2
    exit 2
    ;;
esac
if ! command -v clang-format >/dev/null 2>&1; then
  say "format: skipped, clang-format is not installed"
  exit 0
fi
cd "$repository"
git ls-files -z -- '*.cpp' '*.hpp' | xargs -0 -r clang-format "${mode[@]}"
say "format: clean"
