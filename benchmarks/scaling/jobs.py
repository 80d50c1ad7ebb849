"""What the studies beside it share: where the programs are, how ranks are started, and running a job that must succeed."""

import argparse
import os
import pathlib
import subprocess
import sys

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
BIN = pathlib.Path(os.environ.get("SUPERSTEP_BIN_DIR", REPOSITORY / "build/release/bin"))
CLUSTER = REPOSITORY / "scripts/drills/virtual_cluster.sh"
for name in ("OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "PRTE_ALLOW_RUN_AS_ROOT",
             "PRTE_ALLOW_RUN_AS_ROOT_CONFIRM"):
    os.environ.setdefault(name, "1")


def default_launch():
    """A command that starts {ranks} ranks on this machine."""
    flags = subprocess.run(["bash", "-c", 'source "$0" && echo "mpirun ${mpi_flags[*]} -n {ranks}"',
                            REPOSITORY / "scripts/lib/mpi_env.sh"], capture_output=True, text=True, check=True)
    return flags.stdout.strip()


def run(words, limit=600):
    """Runs a command for at most `limit` seconds; ends the study with what it said if it fails."""
    words = [str(word) for word in words]
    ended = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=limit)
    if ended.returncode != 0:
        sys.exit(f"{pathlib.Path(sys.argv[0]).name}: failed (exit code {ended.returncode}): {' '.join(words)}\n"
                 f"{ended.stdout}{ended.stderr}")


def numbers(text):
    """An option's list of numbers from 1 on, separated by commas."""
    values = [int(word) for word in text.split(",")]
    if not values or min(values) < 1:
        raise argparse.ArgumentTypeError(f"{text}: numbers from 1 on, separated by commas")
    return values
