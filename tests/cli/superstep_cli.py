"""What tests of whole programs share: starting a program under MPI, reading what it wrote, one verdict.

CTest sets the environment (tests/cli/CMakeLists.txt). By hand, after scripts/test.sh has built the release preset:

    PYTHONPATH=tests/cli python3 tests/cli/worked_examples/pagerank_test.py
"""

import csv
import json
import os
import pathlib
import shlex
import signal
import subprocess
import sys
import tempfile
import unittest

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
BIN = pathlib.Path(os.environ.get("SUPERSTEP_BIN_DIR", REPOSITORY / "build/release/bin"))
FILES = pathlib.Path(os.environ.get("SUPERSTEP_TEST_FILES", REPOSITORY / "tests/data"))
LAUNCHER = shlex.split(os.environ.get(
    "SUPERSTEP_LAUNCHER", "mpirun --oversubscribe --bind-to none --mca mpi_yield_when_idle 1 -n"))
PREFIX = shlex.split(os.environ.get("SUPERSTEP_LAUNCHER_PREFIX", ""))
# When a rank ends with an error Open MPI's launcher gives the others a second, twice, even if all have gone. Nobody in a
# job that is only waited for needs it, nor where signals go to ranks; jobs whose launcher is interrupted do.
AT_ONCE = {"OMPI_MCA_odls_base_sigkill_timeout": "0", "PRTE_MCA_odls_base_sigkill_timeout": "0"}
SKIPPED = 77

for name in ("OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "PRTE_ALLOW_RUN_AS_ROOT",
             "PRTE_ALLOW_RUN_AS_ROOT_CONFIRM"):
    os.environ.setdefault(name, "1")


def real_data():
    """The directory with real graphs, or None."""
    if "SUPERSTEP_SHARED" in os.environ:
        directory = pathlib.Path(os.environ["SUPERSTEP_SHARED"]) / "data"
    else:
        directory = pathlib.Path(os.environ.get("SUPERSTEP_TEST_DATA", REPOSITORY.parent / "shared/data"))
    return directory if directory.is_dir() else None


class Finished:
    """How a program ended: exit code and what it printed."""

    def __init__(self, command, code, out, err):
        self.command, self.code, self.out, self.err = command, code, out, err

    def __str__(self):
        return f"{' '.join(map(str, self.command))}\nexit code {self.code}\n{self.out}{self.err}"


def run(program, *arguments, ranks=1, timeout=60, environment=None, cwd=None):
    """Runs bin/PROGRAM on `ranks` ranks; a run that does not end is killed with all its ranks and reported."""
    command = [*LAUNCHER, str(ranks), *PREFIX, BIN / program, *map(str, arguments)]
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          cwd=cwd, env={**os.environ, **AT_ONCE, **(environment or {})}, start_new_session=True) as process:
        try:
            out, err = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGTERM)  # the launcher ends its ranks
            try:
                out, err = process.communicate(timeout=5)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                out, err = process.communicate()
            err += f"\nnot ended after {timeout} s"
        return Finished(command, process.returncode, out, err)


class CliTest(unittest.TestCase):
    """A test with a temporary directory, self.work."""

    maxDiff = None

    def setUp(self):
        directory = tempfile.TemporaryDirectory(prefix="superstep-cli-")
        self.addCleanup(directory.cleanup)
        self.work = pathlib.Path(directory.name)

    def run_well(self, program, *arguments, **options):
        """Runs the program and expects exit code 0."""
        finished = run(program, *arguments, **options)
        self.assertEqual(finished.code, 0, str(finished))
        return finished


def read_json(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def read_csv(path):
    """The rows as dictionaries of strings."""
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def read_results(path):
    """"id value" lines as {id: text of the value}, in the order of the file."""
    with open(path, encoding="utf-8") as file:
        return dict(line.rstrip("\n").split(" ", 1) for line in file)


def main():
    """Runs the tests of the calling script. Exit code 77 (CTest: skipped) when every test was skipped."""
    program = unittest.main(module="__main__", exit=False, verbosity=2)
    result = program.result
    if not result.wasSuccessful() or result.testsRun == 0:
        sys.exit(1)
    sys.exit(SKIPPED if len(result.skipped) == result.testsRun else 0)
