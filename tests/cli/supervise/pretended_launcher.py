"""A launcher that does what a test tells it, and the frame of the tests that use it.

The launcher is a script called mpirun (or srun) at the head of PATH. Its n-th launch carries out the n-th step of a plan:
a list of dictionaries with any of

    sleep       seconds before anything else
    err, out    text for standard error and output
    echo_stdin  copy standard input to standard output
    orphan      leave a process behind: "group" (in our process group), "session" (in a session of its own), "stopped"
    on_signal   exit code to end with after a signal, whose name is recorded; "ignore" to go on
    wait        seconds to wait for a signal
    touch       a file to leave
    signal      end by sending this to itself
    code        exit code (default 0)
"""

import contextlib
import json
import os
import pathlib
import signal
import stat
import subprocess
import sys
import time

from superstep_cli import BIN, CliTest, Finished

SCRIPT = '''#!{python}
import json, os, pathlib, signal, subprocess, sys, time
work = pathlib.Path({work!r})
launches = sorted(work.glob("launch.*"))
number = len(launches) + 1
record = work / f"launch.{{number:03d}}"
step = json.loads((work / "plan.json").read_text())[number - 1]

def on_signal(received, frame):
    with open(work / "signals", "a") as file:
        file.write(signal.Signals(received).name + "\\n")
    if step["on_signal"] != "ignore":
        os._exit(step["on_signal"])

if "on_signal" in step:
    for name in "INT", "TERM", "HUP", "USR1", "USR2":
        signal.signal(getattr(signal, "SIG" + name), on_signal)
living = [int(path.read_text()) for path in work.glob("orphan.*") if os.path.exists(f"/proc/{{path.read_text()}}/fd/0")]
temporary = work / "recording"
temporary.write_text(json.dumps(dict(words=sys.argv, pid=os.getpid(), group=os.getpgrp(), time=time.time(),
                                     living=living)))
temporary.rename(record)
time.sleep(step.get("sleep", 0))
sys.stdout.write(step.get("out", ""))
sys.stdout.flush()
sys.stderr.write(step.get("err", ""))
sys.stderr.flush()
if step.get("echo_stdin"):
    sys.stdout.write(sys.stdin.read())
if "orphan" in step:
    # It keeps standard error open, as a rank would.
    orphan = subprocess.Popen(["sleep", "1000"], start_new_session=step["orphan"] == "session")
    (work / f"orphan.{{number}}").write_text(str(orphan.pid))
    if step["orphan"] == "stopped":
        orphan.send_signal(signal.SIGSTOP)
end = time.time() + step.get("wait", 0)
while time.time() < end:
    time.sleep(0.02)
if "touch" in step:
    pathlib.Path(step["touch"]).parent.mkdir(exist_ok=True)
    pathlib.Path(step["touch"]).touch()
if "signal" in step:
    os.kill(os.getpid(), step["signal"])
sys.stdout.flush()
os._exit(step.get("code", 0))
'''
PROGRAM = ["prog", "--checkpoint-dir", "ck"]
SOON = 30  # seconds, on a busy machine


def is_running(pid):
    """Neither gone nor a zombie."""
    with contextlib.suppress(OSError):
        return pathlib.Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0] not in "ZX"
    return False


class SuperviseTest(CliTest):

    def setUp(self):
        super().setUp()
        path = self.work / "path"
        path.mkdir()
        for name in "mpirun", "mpiexec", "srun":
            script = path / name
            script.write_text(SCRIPT.format(python=sys.executable, work=str(self.work)), encoding="utf-8")
            script.chmod(script.stat().st_mode | stat.S_IXUSR)
        self.environment = {**os.environ, "PATH": f"{path}:{os.environ['PATH']}"}

    def plan(self, *steps):
        (self.work / "plan.json").write_text(json.dumps(steps), encoding="utf-8")

    def launches(self):
        """What each launch has recorded."""
        return [json.loads(path.read_text(encoding="utf-8")) for path in sorted(self.work.glob("launch.*"))]

    def words(self):
        """The words of each launch, without the launcher's own."""
        return [" ".join(launch["words"][1:]) for launch in self.launches()]

    def start(self, *command, options=("--delay", "0.01"), **keywords):
        """supervise under way; it is killed at the end of the test if need be."""
        keywords = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **keywords}
        process = subprocess.Popen([BIN / "supervise", *options, "--", *command], cwd=self.work, text=True,
                                   env=self.environment, start_new_session=True, **keywords)
        self.addCleanup(self.end, process)
        return process

    def end(self, process):
        if process.poll() is None:
            process.kill()
        process.communicate()
        for path in self.work.glob("orphan.*"):
            pid = int(path.read_text(encoding="utf-8"))
            if is_running(pid):
                os.kill(pid, signal.SIGKILL)

    def supervise(self, *command, text=None, **keywords):
        """Runs it to its end."""
        if text is not None:
            keywords["stdin"] = subprocess.PIPE
        process = self.start(*command, **keywords)
        out, err = process.communicate(text, timeout=SOON)
        return Finished(process.args, process.returncode, out, err)

    def ours(self, finished):
        """The lines of supervise itself."""
        return [line.removeprefix("supervise: ") for line in finished.err.splitlines() if line.startswith("supervise: ")]

    def wait_for(self, condition, what):
        deadline = time.monotonic() + SOON
        while not condition():
            self.assertLess(time.monotonic(), deadline, what)
            time.sleep(0.01)

    def wait_for_launch(self, number):
        self.wait_for(lambda: len(self.launches()) >= number, f"launch {number} does not begin")
