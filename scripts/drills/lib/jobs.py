"""One job under way: started, watched line by line, found in /proc, and looked after when it has ended."""

import itertools
import os
import re
import signal
import subprocess
import threading
import time

import processes
from processes import MARK, GUARD


class Failed(Exception):
    """The drill has found something wrong."""


class Ended(Exception):
    """The job ended before what the drill waited for."""


class Job:
    """`program`: the name of the ranks' executable. `directory`: its own, for temporary files of the launcher."""

    counter = itertools.count(1)

    def __init__(self, words, *, program, directory, limit, environment=None):
        self.mark = f"{os.getpid()}-{next(self.counter)}-{os.urandom(4).hex()}"
        self.program, self.limit = program, limit
        self.lines = []  # (seconds since the start, text), of both outputs
        # What the launcher and MPI leave behind when they are killed (session directories, shared memory) lies where the
        # drill can remove it.
        own = {MARK: self.mark, "TMPDIR": str(directory), "OMPI_MCA_btl_vader_backing_directory": str(directory),
               "OMPI_MCA_btl_sm_backing_directory": str(directory), "OMPI_MCA_shmem_mmap_backing_file_base_dir": str(directory)}
        self.words = [str(word) for word in words]
        self.start = time.monotonic()
        self.process = subprocess.Popen(self.words, cwd=directory, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                        stderr=subprocess.STDOUT, start_new_session=True,
                                        env={**os.environ, **(environment or {}), **own})
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self):
        rest = b""
        while block := os.read(self.process.stdout.fileno(), 65536):
            now = self.seconds()
            # A progress line begins with a carriage return.
            *whole, rest = re.split(rb"[\n\r]", rest + block)
            self.lines += [(now, line.decode(errors="replace")) for line in whole if line]
        if rest:
            self.lines.append((self.seconds(), rest.decode(errors="replace")))

    def seconds(self):
        """Since the start."""
        return time.monotonic() - self.start

    def text(self):
        return "\n".join(line for _, line in list(self.lines))

    def find(self, pattern, after=0.0):
        """(seconds, match) of the first line since `after`, or None."""
        for seconds, line in list(self.lines):
            if seconds >= after and (match := re.search(pattern, line)):
                return seconds, match
        return None

    # --- its processes

    def ranks(self):
        """{rank: pid} of the living ranks."""
        return {p.rank: p.pid for p in processes.marked(self.mark) if p.name == self.program and p.rank is not None}

    def guarded(self):
        """The ranks that have a guard beside them."""
        return {p.rank for p in processes.marked(self.mark) if p.words and p.words[0] == GUARD}

    def launcher(self):
        """Pids of what started the ranks: mpirun, prterun, and wrappers around them; without supervise."""
        others = {self.program, GUARD, "supervise"}
        return [p.pid for p in processes.marked(self.mark) if p.name not in others and p.words[0] != GUARD]

    def send(self, number):
        """To the first word's process."""
        processes.kill(self.process.pid, number)

    # --- waiting

    def until(self, condition, what, pause=0.002):
        """Waits until condition() is true and returns that; Ended if the job is over first."""
        while True:
            if value := condition():
                return value
            if self.process.poll() is not None:
                if value := condition():
                    return value
                raise Ended(f"the job ended (exit code {self.process.returncode}) before {what}\n{self.tail()}")
            self.check_limit(what)
            time.sleep(pause)

    def check_limit(self, what):
        if self.seconds() < self.limit:
            return
        state = ", ".join(map(str, processes.marked(self.mark)))
        self.end()
        raise Failed(f"after {self.limit:g} s still waiting for {what}; killed: {state}\n{self.tail()}")

    def wait(self, what="its end"):
        """The exit code. Processes that are left afterwards are a failure."""
        while self.process.poll() is None:
            self.check_limit(what)
            time.sleep(0.005)
        left = processes.wait_until_gone(self.mark, 5)
        self.reader.join(5)
        if left:
            raise Failed(f"left behind: {', '.join(map(str, left))}\n{self.tail()}")
        code = self.process.returncode
        return code if code >= 0 else 128 - code

    def end(self):
        """Kills whatever there is of it."""
        processes.wait_until_gone(self.mark, 0)
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def tail(self, lines=60):
        return "\n".join("    | " + line for _, line in self.lines[-lines:])
