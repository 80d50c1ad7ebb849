"""Jobs that a signal ends in mid-run: the launcher ends, not with 0, and soon; nothing half-written is left."""

import os
import signal
import subprocess
import time

from superstep_cli import BIN, LAUNCHER, PREFIX, CliTest, main

ENDLESS = ["pagerank", "--generate", "kron:scale=10", "--iterations", "1000000000", "--output", "ranks.txt",
           "--metrics", "metrics.json", "--trace", "trace.csv"]
SOON = 30  # seconds, on a busy machine


def launcher_ends_ranks_gently():
    """Open MPI sends SIGTERM first; ranks that get SIGKILL at once cannot remove anything."""
    version = subprocess.run([LAUNCHER[0], "--version"], stdout=subprocess.PIPE, text=True, check=False)
    return "Open MPI" in version.stdout or "PRRTE" in version.stdout


def programs_below(process):
    """Ids of the processes below `process` that run our programs, in the order of their start."""
    parents = {}
    for entry in os.listdir("/proc"):
        if not entry.isdigit():
            continue
        try:
            with open(f"/proc/{entry}/stat", encoding="utf-8", errors="replace") as file:
                fields = file.read().rpartition(")")
        except OSError:
            continue  # ended meanwhile
        parents[int(entry)] = int(fields[2].split()[1]), fields[0].partition("(")[2]

    def below(pid):
        while pid in parents and pid != process:
            pid = parents[pid][0]
        return pid == process

    return sorted(pid for pid, (_, name) in parents.items() if name == "pregel" and below(pid))


class Interruption(CliTest):

    def start(self, ranks):
        """A job in mid-run: its trace has begun."""
        command = [*LAUNCHER, str(ranks), *PREFIX, str(BIN / "pregel"), *ENDLESS]
        job = subprocess.Popen(command, cwd=self.work, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL, start_new_session=True)
        self.addCleanup(job.wait)
        self.addCleanup(self.end, job)
        deadline = time.monotonic() + SOON
        while not list(self.work.glob("trace.csv.tmp-*")):
            self.assertLess(time.monotonic(), deadline, "the job does not start")
            time.sleep(0.05)
        return job

    @staticmethod
    def end(job):
        if job.poll() is None:
            os.killpg(job.pid, signal.SIGKILL)

    def expect_clean_end(self, job):
        self.assertNotEqual(job.wait(timeout=SOON), 0)
        deadline = time.monotonic() + SOON  # ranks may outlive the launcher for a moment
        while programs_below(job.pid) and time.monotonic() < deadline:
            time.sleep(0.05)
        left = sorted(path.name for path in self.work.iterdir())
        if not launcher_ends_ranks_gently():
            left = [name for name in left if ".tmp-" not in name]
        self.assertEqual(left, [])

    def test_launcher_is_told_to_end(self):
        for number in signal.SIGINT, signal.SIGTERM:
            with self.subTest(number.name):
                job = self.start(ranks=3)
                os.kill(job.pid, number)
                self.expect_clean_end(job)

    def test_one_rank_is_killed(self):
        job = self.start(ranks=3)
        ranks = programs_below(job.pid)
        self.assertEqual(len(ranks), 3)
        os.kill(ranks[-1], signal.SIGKILL)
        self.expect_clean_end(job)

    def test_program_without_launcher(self):
        """A single process, as a debugger or a script would start it."""
        with subprocess.Popen([BIN / "pregel", *ENDLESS], cwd=self.work, stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as job:
            deadline = time.monotonic() + SOON
            while not list(self.work.glob("trace.csv.tmp-*")):
                self.assertLess(time.monotonic(), deadline, "the job does not start")
                time.sleep(0.05)
            job.send_signal(signal.SIGINT)
            self.assertEqual(job.wait(timeout=SOON), -signal.SIGINT)
        self.assertEqual(list(self.work.iterdir()), [])


if __name__ == "__main__":
    main()
