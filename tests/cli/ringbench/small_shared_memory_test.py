"""A /dev/shm that is too small: `automatic` takes messages or ordinary memory instead, shared_memory says what is missing."""

import os
import shlex
import subprocess

from superstep_cli import BIN, LAUNCHER, PREFIX, CliTest, main

RANKS = 3


class SmallSharedMemoryTest(CliTest):

    def setUp(self):
        super().setUp()
        if os.geteuid() != 0 or subprocess.run(["unshare", "--mount", "true"], capture_output=True).returncode != 0:
            self.skipTest("only root can mount another /dev/shm")

    def run_with(self, mebibytes, *arguments):
        """ringbench where /dev/shm has so many MiB."""
        command = shlex.join([*LAUNCHER, str(RANKS), *PREFIX, str(BIN / "ringbench"), *arguments, "--iterations", "2"])
        mount = f"mount -t tmpfs -o size={mebibytes}M tmpfs /dev/shm"
        return subprocess.run(["unshare", "--mount", "sh", "-c", f"{mount} && exec {command}"], capture_output=True,
                              text=True, timeout=60)

    def test_automatic_does_without(self):
        # The node's memory needs 12 MiB; the vectors in the window 12 more.
        for mebibytes, place in ((8, []), (20, ["--in-window"])):
            finished = self.run_with(mebibytes, "--algorithms", "auto", "--min", "4M", "--max", "4M", "--check", *place)
            self.assertEqual(finished.returncode, 0, finished.stdout + finished.stderr)
            self.assertEqual(finished.stdout.splitlines()[-1].split()[-1], "0", finished.stdout)

    def test_shared_memory_says_what_is_missing(self):
        finished = self.run_with(8, "--algorithms", "shared_memory", "--max", "64")
        self.assertNotEqual(finished.returncode, 0)
        self.assertIn("/dev/shm has", finished.stderr)


if __name__ == "__main__":
    main()
