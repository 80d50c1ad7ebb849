"""supervise with the real launcher: a rank really dies, and nothing of the job stays behind.

    real_launcher_test.py MORTAL      the program built from mortal.cpp
"""

import os
import pathlib
import signal
import subprocess
import sys
import time

from superstep_cli import BIN, LAUNCHER, PREFIX, CliTest, main

MORTAL = sys.argv.pop(1)


def running_ranks():
    """The processes that run MORTAL."""
    found = []
    for entry in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            program = (entry / "cmdline").read_bytes().split(b"\0")[0]
        except OSError:
            continue  # ended meanwhile
        if program == MORTAL.encode():
            found.append(int(entry.name))
    return found


class RealLauncher(CliTest):

    def start(self, how, *options):
        command = [*LAUNCHER, "4", *PREFIX, MORTAL, "2", how, "--checkpoint-dir", "ck"]
        process = subprocess.Popen([BIN / "supervise", *options, "--delay", "0.1", "--", *command], cwd=self.work,
                                   text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   start_new_session=True)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        return process

    def expect_restart(self, how, said, *options, ranks):
        process = self.start(how, *options)
        out, err = process.communicate(timeout=60)
        self.assertEqual((process.returncode, out), (0, f"resumed on {ranks} ranks\n"), err)
        # MPICH does not say which rank it was.
        self.assertRegex(err, rf"(?m)^supervise: (rank 2|the job) failed after \d+\.\d s: .*{said}")
        self.assertEqual(running_ranks(), [])

    def test_a_rank_is_killed(self):
        self.expect_restart("kill", "(signal 9|exit code 9)", ranks=3)

    def test_a_rank_exits(self):
        self.expect_restart("exit", "exit code 3", ranks=3)

    def test_replace(self):
        self.expect_restart("kill", "(signal 9|exit code 9)", "--replace", ranks=4)

    def test_a_stuck_job_ends_on_request(self):
        process = self.start("stuck", "--grace", "5")
        deadline = time.monotonic() + 30
        while len(running_ranks()) < 4:
            self.assertLess(time.monotonic(), deadline, "the job does not start")
            time.sleep(0.05)
        time.sleep(1)
        os.kill(process.pid, signal.SIGTERM)
        _, err = process.communicate(timeout=30)
        self.assertEqual(process.returncode, 128 + signal.SIGTERM, err)
        self.assertEqual(running_ranks(), [])


if __name__ == "__main__":
    main()
