"""Signals to one rank: a wish to stop leaves a checkpoint and exit code 75; a silent rank is named and killed."""

import os
import signal
import time

from checkpointed import REQUEUE, CheckpointTest, lines_of, processes_of_session
from superstep_cli import main

SOON = 30  # seconds, on a busy machine


class StopRequests(CheckpointTest):

    def test_each_signal_to_each_rank(self):
        wanted = self.undisturbed()
        for number, (name, rank) in enumerate((("USR1", 0), ("TERM", 2))):
            with self.subTest(f"{name} to rank {rank}"):
                # No checkpoint is due but the first: the one that is there is that of the request.
                once = ["--checkpoint-dir", f"ck{number}", "--checkpoint-every", "1000"]
                finished = self.pregel(*self.JOB, *self.GRAPH, *once, "--output", "result.txt", "--inject",
                                       f"rank={rank},superstep=4,signal={name}", ranks=3)
                self.expect_line(finished, "^pregel: stopped on request after a checkpoint of superstep 5; "
                                 "go on with --resume$", code=REQUEUE)
                finished = self.pregel(*self.JOB, *once, "--resume", "--output", "result.txt", ranks=2)
                self.expect_bytes(finished, wanted)

    def test_from_outside(self):
        """In mid-run, at whatever superstep that is."""
        job = ["pagerank", "--iterations", "1000000000", *self.GRAPH]
        started = self.start(*job, "--checkpoint-dir", "ck", "--checkpoint-every", "1000000000", "--quiet", ranks=3)
        self.addCleanup(lambda: os.killpg(started.pid, signal.SIGKILL) if started.poll() is None else None)
        deadline = time.monotonic() + SOON
        while not self.index(0).exists():
            self.assertLess(time.monotonic(), deadline, "the job does not start")
            time.sleep(0.02)
        time.sleep(0.2)
        ranks = [pid for pid, command in processes_of_session(started.pid).items()
                 if command.split() and command.split()[0].endswith("bin/pregel")]
        os.kill(max(ranks), signal.SIGUSR1)
        _, err = started.communicate(timeout=SOON)
        self.assertEqual(started.returncode, REQUEUE, err)
        superstep = self.states()[-1]
        self.assertGreater(superstep, 0)
        # The superstep is a matter of luck: a bound a few supersteps on gives both runs the same end.
        bound = ["--max-supersteps", superstep + 3]
        wanted = self.undisturbed(*job, *bound)
        finished = self.pregel("pagerank", "--iterations", "1000000000", *bound, "--checkpoint-dir", "ck", "--resume",
                               "--output", "result.txt", "--quiet")
        self.expect_bytes(finished, wanted)

    def test_while_the_graph_is_loaded(self):
        """It stops after the first superstep."""
        started = self.start("pagerank", "--iterations", "1000000000", "--generate", "kron:scale=17", "--timeout", "60",
                             "--checkpoint-dir", "ck", "--checkpoint-every", "1000000000", "--quiet", ranks=2)
        self.addCleanup(lambda: os.killpg(started.pid, signal.SIGKILL) if started.poll() is None else None)
        deadline = time.monotonic() + SOON
        guards = []
        while len(guards) < 2:  # ranks are up when their guards are
            self.assertLess(time.monotonic(), deadline, "the job does not start")
            time.sleep(0.002)
            processes = processes_of_session(started.pid)
            guards = [pid for pid, command in processes.items() if command.startswith("superstep-guard")]
        ranks = [pid for pid, command in processes.items() if command.split() and command.split()[0].endswith("bin/pregel")]
        os.kill(min(ranks), signal.SIGUSR1)
        self.assertFalse((self.work / "ck").exists() and self.states(), "the signal came too late to prove anything")
        _, err = started.communicate(timeout=SOON)
        self.assertEqual(started.returncode, REQUEUE, err)
        self.assertRegex(err, "(?m)^pregel: stopped on request after a checkpoint of superstep 1; go on with --resume$")

    def test_without_a_place_for_checkpoints(self):
        """SIGTERM ends the job as ever."""
        finished = self.pregel(*self.JOB, *self.GRAPH, *self.ABORT, "--inject", "rank=1,superstep=4,signal=TERM")
        self.assertNotIn(finished.code, (0, REQUEUE), str(finished))


class SilentRanks(CheckpointTest):

    TIMEOUT = 2

    def expect_named(self, how, *inject):
        begin = time.monotonic()
        started = self.start(*self.JOB, *self.GRAPH, *self.EVERY_TWO, *self.ABORT, "--timeout", self.TIMEOUT,
                             "--output", "result.txt", *inject, ranks=3)
        silent_since = None
        while started.poll() is None and time.monotonic() < begin + SOON:
            if silent_since is None and self.index(4).exists():
                silent_since = time.monotonic()  # the rank stops in the next superstep but one
            time.sleep(0.02)
        seconds = time.monotonic() - (silent_since or begin)
        out, err = started.communicate(timeout=SOON)
        self.assertNotIn(started.returncode, (0, 2), out + err)
        self.assertRegex(err, r"(?m)^rank 1 \(process \d+\): silent for [23]\.\d s in superstep 5 \(" + how +
                         r"\); killed$")
        self.assertLess(seconds, self.TIMEOUT + 2 + 2, err)  # two more for a busy machine
        deadline = time.monotonic() + SOON
        while processes_of_session(started.pid) and time.monotonic() < deadline:
            time.sleep(0.05)
        self.assertEqual(processes_of_session(started.pid), {})
        self.assertFalse((self.work / "result.txt").exists())

    def test_stopped(self):
        wanted = self.undisturbed()
        self.expect_named("stopped", "--inject", "rank=1,superstep=5,signal=STOP")
        self.expect_bytes(self.pregel(*self.JOB, *self.RESUME, "--output", "result.txt"), wanted)

    def test_stopped_while_messages_are_exchanged(self):
        self.expect_named("stopped", "--inject", "rank=1,superstep=5,signal=STOP,where=exchange")

    def test_nobody_is_silent(self):
        wanted = self.undisturbed()
        finished = self.pregel(*self.JOB, *self.GRAPH, "--timeout", "5", "--output", "result.txt", "--quiet", ranks=3)
        self.expect_bytes(finished, wanted)
        self.assertEqual(lines_of(finished), [])


if __name__ == "__main__":
    main()
