"""A checkpoint that cannot be written: the job goes on with a warning, or ends if checkpoints are required; what was
there before is usable either way, and nothing half-written is left. Each write of a process is tried by
tests/pregel/checkpoint/job_checkpoints_test.cpp; here are some of them, seen from outside, and a disk that is really
full."""

import os
import shutil
import subprocess

from checkpointed import CheckpointTest, lines_of
from superstep_cli import main

REASON = "No space left on device"


class FailingWrites(CheckpointTest):

    def setUp(self):
        super().setUp()
        self.wanted = self.undisturbed()

    def fail(self, rank, write, *options):
        shutil.rmtree(self.work / "ck", ignore_errors=True)
        return self.pregel(*self.JOB, *self.GRAPH, *self.EVERY_TWO, *options, "--output", "result.txt", "--inject",
                           f"rank={rank},write={write}", ranks=3)

    def expect_usable(self, supersteps):
        self.assertEqual(self.states(), supersteps)
        self.expect_no_leftovers()
        graph = [] if (self.work / "ck/graph-000000000000").exists() else self.GRAPH
        finished = self.pregel(*self.JOB, *graph, *self.RESUME, "--output", "result.txt")
        self.expect_bytes(finished, self.wanted)
        self.assertEqual(lines_of(finished), [])

    def test_the_job_goes_on(self):
        seen = set()
        for rank, write in (0, 1), (1, 2), (2, 5), (1, 13), (0, 21), (2, 34), (1, 55), (0, 89):
            with self.subTest(f"write {write} of rank {rank}"):
                finished = self.fail(rank, write)
                self.expect_bytes(finished, self.wanted)
                warnings = lines_of(finished)
                self.assertLessEqual(len(warnings), 1, str(finished))
                for line in warnings:
                    self.assertRegex(line, "warning: (no checkpoint of superstep [02468]|the graph is not stored, so "
                                     f"--resume will need its file): cannot write ck.*: {REASON}")
                    seen.add(line.split("warning: ")[1].split(":")[0])
                self.expect_usable([4, 8] if any("superstep 6" in line for line in warnings) else
                                   [4, 6] if any("superstep 8" in line for line in warnings) else [6, 8])
        self.assertGreaterEqual(len(seen), 2, "the graph and a state at least")

    def test_required(self):
        for rank, write in (1, 1), (2, 8), (0, 34), (1, 60):
            with self.subTest(f"write {write} of rank {rank}"):
                finished = self.fail(rank, write, "--checkpoint-required")
                if finished.code == 0:  # the job has not that many writes
                    self.expect_bytes(finished, self.wanted)
                    continue
                self.expect_line(finished, f"^pregel: error: cannot write ck.*: {REASON} \\(on rank {rank}\\)$")
                self.expect_usable(self.states())


class FullDisk(CheckpointTest):

    def setUp(self):
        super().setUp()
        disk = self.work / "disk"
        disk.mkdir()
        if os.geteuid() != 0 or subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", disk], check=False,
                                               stderr=subprocess.DEVNULL).returncode != 0:
            self.skipTest("mounting a small file system needs root")
        self.addCleanup(subprocess.run, ["umount", "-l", disk], check=False)

    def test_full(self):
        """The disk has room for the graph and some states, but something else fills it up."""
        wanted = self.undisturbed()
        place = ["--checkpoint-dir", "disk/ck", "--checkpoint-every", "2"]
        finished = self.pregel(*self.JOB, *self.GRAPH, *place, *self.ABORT, "--inject",
                               "rank=1,superstep=5")
        self.assertNotIn(finished.code, (0, 2), str(finished))
        with open(self.work / "disk/filler", "wb", buffering=0) as filler:
            with self.assertRaises(OSError):
                while True:
                    filler.write(b"x" * 4096)
        def stored():
            """An empty file fits on a full disk: the one that says that the job is complete."""
            paths = (path.relative_to(self.work) for path in (self.work / "disk").rglob("*"))
            return sorted(path for path in paths if path.name != "completed")

        before = stored()
        finished = self.pregel(*self.JOB, *place, "--resume", "--checkpoint-required", "--output", "result.txt")
        self.expect_line(finished, f"^pregel: error: cannot (write|create) disk/ck.*: {REASON}")
        self.assertEqual(stored(), before)
        finished = self.pregel(*self.JOB, *place, "--resume", "--output", "result.txt", ranks=3)
        self.expect_bytes(finished, wanted)
        self.assertRegex(finished.err, f"warning: no checkpoint of superstep 6: cannot .*: {REASON}")
        self.assertEqual(stored(), before)


if __name__ == "__main__":
    main()
