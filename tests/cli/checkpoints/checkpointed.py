"""What tests of checkpoints share: a small job, what it gives undisturbed, and what is in its directory."""

import os
import pathlib
import re
import subprocess

from superstep_cli import AT_ONCE, BIN, LAUNCHER, PREFIX, CliTest, run

OURS = re.compile(r"(\[rank \d+\] )?pregel: |warning: |terminate called|what\(\):")
REQUEUE = 75


def lines_of(finished):
    """What our programs said on standard error; the launcher adds its own."""
    return [line for line in finished.err.splitlines() if OURS.search(line)]


def processes_of_session(session):
    """The processes that a job started in its own session has left, whatever they are: {pid: command}."""
    found = {}
    for entry in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            fields = (entry / "stat").read_text(errors="replace").rpartition(")")[2].split()
            if int(fields[3]) == session and fields[0] != "Z":
                found[int(entry.name)] = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue  # ended meanwhile
    return found


class CheckpointTest(CliTest):
    """Tests run in self.work, so that messages hold no temporary path; checkpoints are in "ck"."""

    JOB = ["pagerank", "--iterations", "9"]
    GRAPH = ["--generate", "kron:scale=8,seed=3"]
    EVERY_TWO = ["--checkpoint-dir", "ck", "--checkpoint-every", "2"]
    RESUME = [*EVERY_TWO, "--resume"]
    # Where MPI survives failures the others would go on.
    ABORT = ["--on-failure", "abort"]

    def pregel(self, *arguments, ranks=2, **options):
        return run("pregel", *arguments, ranks=ranks, cwd=self.work, **options)

    def start(self, *arguments, ranks=2):
        """Starts the program in a session of its own."""
        command = [*LAUNCHER, str(ranks), *PREFIX, BIN / "pregel", *map(str, arguments)]
        return subprocess.Popen(command, cwd=self.work, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True, start_new_session=True,
                                env={**os.environ, **AT_ONCE})

    def undisturbed(self, *job):
        """The bytes of the job's result when nothing happens."""
        finished = self.pregel(*(job or (*self.JOB, *self.GRAPH)), "--output", "wanted.txt", "--quiet")
        self.assertEqual(finished.code, 0, str(finished))
        return (self.work / "wanted.txt").read_bytes()

    def expect_bytes(self, finished, wanted):
        self.assertEqual(finished.code, 0, str(finished))
        found = (self.work / "result.txt").read_bytes()
        (self.work / "result.txt").unlink()
        self.assertTrue(found == wanted, f"other bytes: {finished}")

    def expect_line(self, finished, pattern, code=1):
        """The only error line, and the exit code."""
        self.assertEqual(finished.code, code, str(finished))
        errors = [line for line in lines_of(finished) if "warning: " not in line]
        self.assertEqual(len(errors), 1, str(finished))
        self.assertRegex(errors[0], pattern, str(finished))
        self.assertFalse((self.work / "result.txt").exists(), str(finished))

    def states(self):
        """Supersteps of the checkpoints that are there, complete or not."""
        return sorted(int(path.name.split("-")[1]) for path in (self.work / "ck").glob("superstep-*"))

    def index(self, superstep):
        return self.work / f"ck/superstep-{superstep:012}/checkpoint.h5"

    def part(self, superstep, rank):
        return self.work / f"ck/superstep-{superstep:012}/part-{rank:05}.h5"

    def expect_no_leftovers(self):
        """No temporary file, and no directory without an index."""
        self.assertEqual([str(path) for path in self.work.rglob("*tmp*")], [])
        for directory in (self.work / "ck").glob("*-*"):
            self.assertTrue((directory / "checkpoint.h5").exists(), directory)

