#!/usr/bin/env bash
# Fetches real handwritten digits for training: 1,797 images of 8 x 8 pixels (UCI, optical recognition of handwritten
# digits), out of the Debian package python3-sklearn. The package is downloaded and unpacked, not installed.
#
#   scripts/get_digits.sh [DIRECTORY]
#
#   DIRECTORY   where the files go (default ./digits, where `--data digits` finds them; for any other directory set
#               SUPERSTEP_DIGITS=DIRECTORY)
#
# Writes IDX files as of MNIST: train-images-idx3-ubyte and train-labels-idx1-ubyte with the first 1,437 digits,
# t10k-images-idx3-ubyte and t10k-labels-idx1-ubyte with the last 360, pixels from 0 to 16. Digits that are there
# already stay as they are. Needs apt-get, dpkg-deb and python3 (its standard library only), and no privileges.
set -euo pipefail
source "$(dirname "$0")/lib/common.sh"

case "${1:-}" in
  -h | --help)
    print_usage "$0"
    exit 0
    ;;
  -*)
    echo "get_digits.sh: unknown option $1 (see --help)" >&2
    exit 2
    ;;
esac
if [ $# -gt 1 ]; then
  echo "get_digits.sh: one directory, not $# (see --help)" >&2
  exit 2
fi
directory=${1:-digits}

fail() {
  echo "get_digits.sh: $1" >&2
  exit 1
}

if compgen -G "$directory/train-images-idx3-ubyte*" >/dev/null; then
  say "digits: already in $directory"
  exit 0
fi
for tool in apt-get dpkg-deb python3; do
  command -v "$tool" >/dev/null || fail "$tool is not installed; it works on Debian and its relatives"
done

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod 755 "$work" # apt-get may download as a user of its own

say "download python3-sklearn"
(cd "$work" && apt-get download python3-sklearn >apt.log 2>&1) || {
  tail -n 3 "$work/apt.log" >&2
  fail "apt-get cannot download python3-sklearn (is there a network, and has 'apt-get update' run?)"
}
package=$(find "$work" -maxdepth 1 -name 'python3-sklearn_*.deb' -print -quit)
[ -n "$package" ] || fail "apt-get has downloaded no python3-sklearn_*.deb"
dpkg-deb -x "$package" "$work/unpacked" || fail "dpkg-deb cannot unpack $(basename "$package")"
table=$(find "$work/unpacked" -name digits.csv.gz -print -quit)
[ -n "$table" ] || fail "$(basename "$package") has no digits.csv.gz; another version may keep it elsewhere"

mkdir -p "$directory" || fail "cannot make $directory"
python3 - "$table" "$directory" <<'PYTHON' || fail "the digits could not be written to $directory"
import gzip, os, struct, sys

TRAIN, ALL, SIDE = 1437, 1797, 8
table, directory = sys.argv[1:]
rows = [[int(float(x)) for x in line.split(",")] for line in gzip.open(table, "rt") if line.strip()]
if len(rows) != ALL or any(len(row) != SIDE * SIDE + 1 for row in rows):
    sys.exit(f"get_digits.sh: {len(rows)} rows in digits.csv.gz; {ALL} of {SIDE * SIDE} pixels and a label are known")
if any(not (0 <= pixel <= 16) for row in rows for pixel in row[:-1]) or any(not (0 <= row[-1] <= 9) for row in rows):
    sys.exit("get_digits.sh: digits.csv.gz has pixels beyond 16 or labels beyond 9")


def write(name, header, numbers):
    path = os.path.join(directory, name)
    with open(path + ".part", "wb") as file:  # renamed when complete
        file.write(header + bytes(numbers))
    os.rename(path + ".part", path)


# Labels first: the file of training images marks the digits as complete.
for part, chosen in (("t10k", rows[TRAIN:]), ("train", rows[:TRAIN])):
    write(f"{part}-labels-idx1-ubyte", struct.pack(">ii", 2049, len(chosen)), [row[-1] for row in chosen])
    write(f"{part}-images-idx3-ubyte", struct.pack(">iiii", 2051, len(chosen), SIDE, SIDE),
          [pixel for row in chosen for pixel in row[:-1]])
PYTHON
say "digits: 1437 for training and 360 for testing in $directory"
