"""The processes of a job, found from outside: in /proc, by a word that the job's launcher was given in its environment
and that everything below it inherits, however the launcher starts its ranks."""

import os
import pathlib
import signal
import time

MARK = "SUPERSTEP_DRILL"
RANK_VARIABLES = ("OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK")
GUARD = "superstep-guard"


class Process:
    """A living process that bears the mark."""

    def __init__(self, pid, words, environment):
        self.pid = pid
        self.name = os.path.basename(words[0]) if words else "?"
        self.words = words
        ranks = [environment[name] for name in RANK_VARIABLES if name in environment]
        self.rank = int(ranks[0]) if ranks and ranks[0].isdigit() else None

    def __str__(self):
        return f"{self.pid} {self.name}" + (f" (rank {self.rank})" if self.rank is not None else "")


def marked(mark):
    """All processes of the job. One that has ended and was not collected yet (a zombie) has no environment any more."""
    found = []
    word = f"{MARK}={mark}".encode()
    for entry in os.scandir("/proc"):
        if not entry.name.isdigit():
            continue
        try:
            variables = pathlib.Path(entry.path, "environ").read_bytes().split(b"\0")
            if word not in variables:
                continue
            words = pathlib.Path(entry.path, "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue  # ended meanwhile, or another user's
        environment = dict(v.decode(errors="replace").split("=", 1) for v in variables if b"=" in v)
        found.append(Process(int(entry.name), [w.decode(errors="replace") for w in words if w], environment))
    return found


def kill(pid, number=signal.SIGKILL):
    """False if there is no such process any more."""
    try:
        os.kill(pid, number)
        return True
    except ProcessLookupError:
        return False


def alive(pid):
    """Zombies are not."""
    try:
        text = pathlib.Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return text.rpartition(")")[2].split()[0] not in "ZX"


def wait_until_gone(mark, seconds):
    """The processes of the job that are still there after so many seconds; they are killed then."""
    end = time.monotonic() + seconds
    while True:
        left = marked(mark)
        if not left or time.monotonic() > end:
            break
        time.sleep(0.02)
    for process in left:
        kill(process.pid)
    return left
