"""Signals and processes: what reaches the job, and that nothing of it stays behind."""

import os
import pathlib
import signal
import subprocess
import time

from pretended_launcher import PROGRAM, SuperviseTest, is_running
from superstep_cli import BIN, main

COMMAND = ["mpirun", "-n", "4", *PROGRAM]


class Signals(SuperviseTest):

    def signals(self):
        path = self.work / "signals"
        return path.read_text(encoding="utf-8").split() if path.exists() else []

    def interrupt(self, number, **options):
        """Sends supervise a signal during the first launch; returns how it ended and after how many seconds."""
        process = self.start(*COMMAND, **options)
        self.wait_for_launch(1)
        before = time.monotonic()
        process.send_signal(number)
        _, err = process.communicate(timeout=30)
        return process.returncode, err, time.monotonic() - before

    def test_stop_signals_end_it(self):
        for number in signal.SIGINT, signal.SIGTERM, signal.SIGHUP:
            with self.subTest(number.name):
                for path in [*self.work.glob("launch.*"), *self.work.glob("signals")]:
                    path.unlink()
                self.plan({"on_signal": 1, "wait": 30})
                code, err, _ = self.interrupt(number)
                self.assertEqual((code, self.signals(), len(self.launches())), (128 + number, [number.name], 1), err)

    def test_the_jobs_own_75_and_0_are_passed_on(self):
        for own in 75, 0:
            with self.subTest(own):
                for path in self.work.glob("launch.*"):
                    path.unlink()
                self.plan({"on_signal": own, "wait": 30})
                code, err, _ = self.interrupt(signal.SIGTERM)
                self.assertEqual((code, len(self.launches())), (own, 1), err)

    def test_a_job_that_does_not_end_is_killed(self):
        self.plan({"on_signal": "ignore", "wait": 100, "orphan": "session"})
        code, err, seconds = self.interrupt(signal.SIGTERM, options=["--grace", "0.5"])
        self.assertEqual(code, 128 + signal.SIGTERM, err)
        self.assertIn("did not end within 0.5 s", err)
        self.assertGreaterEqual(seconds, 0.5)
        self.assertFalse(is_running(self.launches()[0]["pid"]))
        self.assertFalse(is_running(int((self.work / "orphan.1").read_text(encoding="utf-8"))))

    def test_ten_seconds_by_default(self):
        self.plan({"on_signal": "ignore", "wait": 100})
        code, err, seconds = self.interrupt(signal.SIGINT)
        self.assertEqual(code, 128 + signal.SIGINT, err)
        self.assertGreaterEqual(seconds, 10)
        self.assertLess(seconds, 25)

    def test_user_signals_reach_the_job_and_it_goes_on(self):
        self.plan({"on_signal": "ignore", "wait": 1})
        process = self.start(*COMMAND)
        self.wait_for_launch(1)
        for number, name in (signal.SIGUSR1, "SIGUSR1"), (signal.SIGUSR2, "SIGUSR2"):
            process.send_signal(number)
            self.wait_for(lambda wanted=name: wanted in self.signals(), f"{name} does not arrive")
        process.communicate(timeout=30)
        self.assertEqual((process.returncode, self.signals()), (0, ["SIGUSR1", "SIGUSR2"]))

    def test_the_launcher_behind_a_wrapper_gets_them(self):
        """`timeout` itself would die of SIGUSR1."""
        self.plan({"on_signal": "ignore", "wait": 1})
        process = self.start("timeout", "60", *COMMAND)
        self.wait_for_launch(1)
        process.send_signal(signal.SIGUSR1)
        self.wait_for(lambda: self.signals() == ["SIGUSR1"], "the signal does not arrive")
        process.communicate(timeout=30)
        self.assertEqual((process.returncode, self.signals()), (0, ["SIGUSR1"]))

    def during_delay(self, number):
        """Sends the signal while supervise waits to start the job again."""
        self.plan({"code": 3}, {})
        process = self.start(*COMMAND, options=["--delay", "60"])
        self.wait_for_launch(1)
        line = ""
        while "restart 1" not in line:
            line = process.stderr.readline()
            self.assertNotEqual(line, "")
        process.send_signal(number)
        process.communicate(timeout=30)
        return process.returncode, len(self.launches())

    def test_a_signal_cuts_the_delay_short(self):
        self.assertEqual(self.during_delay(signal.SIGTERM), (128 + signal.SIGTERM, 1))

    def test_a_request_to_stop_ends_the_delay_too(self):
        self.assertEqual(self.during_delay(signal.SIGUSR1), (75, 1))

    def test_the_other_user_signal_ends_the_waiting(self):
        self.assertEqual(self.during_delay(signal.SIGUSR2), (0, 2))

    def test_what_is_ignored_stays_ignored(self):
        """As under nohup."""
        self.plan({"wait": 0.5})
        process = self.start(*COMMAND, preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        self.wait_for_launch(1)
        process.send_signal(signal.SIGHUP)
        process.communicate(timeout=30)
        self.assertEqual(process.returncode, 0)


class Processes(SuperviseTest):

    def test_nothing_is_left_when_the_next_launch_begins(self):
        for kind in "group", "session", "stopped":
            with self.subTest(kind):
                for path in self.work.glob("launch.*"):
                    path.unlink()
                self.plan({"orphan": kind, "code": 3}, {"orphan": kind})
                finished = self.supervise(*COMMAND)
                self.assertEqual(finished.code, 0, str(finished))
                self.assertIn("supervise: killed 1 process that the job left behind\n", finished.err)
                self.assertEqual(self.launches()[1]["living"], [])
                for path in self.work.glob("orphan.*"):
                    self.assertFalse(is_running(int(path.read_text(encoding="utf-8"))))
                    path.unlink()

    def test_the_job_has_a_process_group_of_its_own(self):
        self.plan({})
        self.supervise(*COMMAND)
        launch = self.launches()[0]
        self.assertEqual(launch["pid"], launch["group"])

    def test_the_job_goes_when_supervise_dies(self):
        self.plan({"wait": 100})
        process = self.start(*COMMAND)
        self.wait_for_launch(1)
        process.kill()
        process.wait()
        self.wait_for(lambda: not is_running(self.launches()[0]["pid"]), "the job outlives supervise")

    def test_processes_from_before_are_not_touched(self):
        """A shell may have become supervise by exec and have children of its own."""
        self.plan({"code": 3, "orphan": "group"}, {})
        script = 'sleep 1000 & echo $! >bystander; exec "$@"'
        command = ["sh", "-c", script, "sh", str(BIN / "supervise"), "--delay", "0", "--", *COMMAND]
        finished = subprocess.run(command, cwd=self.work, env=self.environment, stdin=subprocess.DEVNULL,
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=30, check=False)
        bystander = int((self.work / "bystander").read_text(encoding="utf-8"))
        alive = is_running(bystander)
        os.kill(bystander, signal.SIGKILL)
        self.assertEqual((finished.returncode, alive), (0, True))

    def test_signals_of_the_job_are_as_usual(self):
        """Blocked or ignored signals would be inherited."""
        self.plan({"wait": 1})
        process = self.start(*COMMAND)
        self.wait_for_launch(1)
        status = pathlib.Path(f"/proc/{self.launches()[0]['pid']}/status").read_text(encoding="utf-8")
        process.communicate(timeout=30)
        fields = dict(line.split(":\t", 1) for line in status.splitlines() if ":\t" in line)
        self.assertEqual(int(fields["SigBlk"], 16), 0)
        for number in signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, signal.SIGCHLD:
            self.assertFalse(int(fields["SigIgn"], 16) >> (number - 1) & 1, number.name)


if __name__ == "__main__":
    main()
