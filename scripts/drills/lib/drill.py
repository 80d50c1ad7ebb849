"""What every drill has: options, a scratch directory, the job it disturbs, the undisturbed run to compare with, a line
for each time and a table at the end."""

import argparse
import dataclasses
import json
import os
import pathlib
import random
import shlex
import shutil
import signal
import sys
import tempfile
import time

from checkpoint_files import Damaged
from jobs import Ended, Failed, Job
from table import render, text_of

REPOSITORY = pathlib.Path(__file__).resolve().parents[3]
WAYS = ("in-place", "memory", "relaunch")
TOO_LATE = "too late"


def programs():
    """The directory of the executables."""
    if os.environ.get("SUPERSTEP_ULFM") == "1":
        return pathlib.Path(os.environ["SUPERSTEP_BUILD"], "bin")
    return pathlib.Path(os.environ.get("SUPERSTEP_BIN_DIR", REPOSITORY / "build/release/bin")).resolve()


def parser(**defaults):
    """The options that the drills share; help is the head comment of the shell script."""
    p = argparse.ArgumentParser(add_help=False, allow_abbrev=False, prog=pathlib.Path(sys.argv[0]).stem + ".sh")
    p.add_argument("--recovery", choices=WAYS, required=True)
    p.add_argument("--times", type=int, default=5)
    p.add_argument("--seed", type=int)
    p.add_argument("--ranks", type=int, default=4)
    p.add_argument("--algorithm", default="pagerank")
    p.add_argument("--graph", default="kron:scale=16")
    p.add_argument("--iterations", type=int, default=100)
    p.add_argument("--checkpoint-every", type=int)
    p.add_argument("--limit", type=float, default=180)
    p.add_argument("--keep", action="store_true")
    p.set_defaults(**defaults)
    return p


def parse(p):
    options = p.parse_args()
    if options.times < 1 or options.ranks < 2:
        p.error("--times needs at least 1 and --ranks at least 2")
    if options.seed is None:
        options.seed = random.SystemRandom().randrange(1 << 32)
    if options.checkpoint_every is None:
        # A job of few supersteps saves in each of them, one of many not.
        options.checkpoint_every = 5 if options.algorithm == "pagerank" else 1
    return options


@dataclasses.dataclass
class Reference:
    """The undisturbed run on the same number of ranks."""
    result: bytes
    metrics: dict
    seconds: float  # from the moment it was ready until its result was there
    superstep_seconds: float  # of these, since the first checkpoint was begun; 0 where none is written to disk


class Drill:

    def __init__(self, title, options, columns):
        self.title, self.options, self.columns = title, options, columns
        self.random = random.Random(options.seed)
        self.scratch = pathlib.Path(tempfile.mkdtemp(prefix="drill-"))
        self.rows, self.failures, self.too_late, self.jobs = [], 0, 0, []
        self.flags = shlex.split(os.environ.get("SUPERSTEP_MPI_FLAGS", ""))
        self.began = time.monotonic()
        for number in (signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, lambda got, frame: sys.exit(128 + got))
        self.say(f"{title}, {options.recovery}: {options.algorithm} on {options.graph}, {options.ranks} ranks, "
                 f"seed {options.seed}")

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        self.end_jobs()
        if self.failures and self.options.keep:
            self.say(f"kept: {self.scratch}")
        else:
            shutil.rmtree(self.scratch, ignore_errors=True)

    def say(self, text):
        print(f"== {text}", flush=True)

    # --- the job

    def work(self, name):
        """An empty directory for one job."""
        directory = self.scratch / name
        shutil.rmtree(directory, ignore_errors=True)
        directory.mkdir(parents=True)
        return directory

    def program(self, work, *more, saves=True):
        """The words of the job that is disturbed: result.txt, metrics.json and ck/ in `work`."""
        o = self.options
        words = [programs() / "pregel", o.algorithm, *self.graph_words(), "--output", work / "result.txt", "--metrics",
                 work / "metrics.json"]
        if o.algorithm == "pagerank":
            words += ["--iterations", o.iterations]
        if saves and o.recovery == "memory":
            words += ["--checkpoint-memory", "--checkpoint-every", o.checkpoint_every]
        elif saves:
            words += ["--checkpoint-dir", work / "ck", "--checkpoint-every", o.checkpoint_every]
        return [*map(str, words), *map(str, more)]

    def graph_words(self):
        graph = self.options.graph
        is_file = pathlib.Path(graph).is_file()
        return ["--graph", pathlib.Path(graph).resolve()] if is_file else ["--generate", graph]

    def mpirun(self, words, ranks=None):
        return ["mpirun", *self.flags, "-n", str(ranks or self.options.ranks), *words]

    def supervised(self, words, *options, ranks=None):
        return [programs() / "supervise", "--delay", "0.1", *options, "--", *self.mpirun(words, ranks)]

    def start(self, words, work):
        job = Job(words, program="pregel", directory=self.work(f"{work.name}/tmp"), limit=self.options.limit)
        self.jobs.append(job)
        return job

    def end_jobs(self):
        """None is left behind, whatever has happened."""
        while self.jobs:
            self.jobs.pop().end()

    def wait_until_ready(self, job, guarded=False):
        """Ranks are up when their guards are: from then on a job in place survives deaths. A relaunch needs no more than
        that the ranks exist, unless `guarded` is asked for. Returns {rank: pid}."""
        guarded = guarded or self.options.recovery != "relaunch"

        def ready():
            ranks = job.ranks()
            complete = len(ranks) == self.options.ranks
            if guarded:
                complete = complete and len(job.guarded()) == self.options.ranks
            return ranks if complete else None
        return job.until(ready, "all ranks were there")

    def wait_seconds(self, job, seconds, what):
        end = job.seconds() + seconds
        job.until(lambda: job.seconds() >= end, what)

    def reference(self, *more):
        """Twice: without checkpoints for the result, with them for the time."""
        plain = self.work("plain")
        self.expect_success(self.start(self.mpirun(self.program(plain, saves=False)), plain))
        work = self.work("reference")
        job = self.start(self.mpirun(self.program(work, *more)), work)
        self.wait_until_ready(job)
        begin = job.seconds()
        first = self.first_checkpoint(work)
        if first:
            job.until(first.exists, "its first checkpoint")
        saving = job.seconds()
        job.until((work / "result.txt").exists, "its result was there")
        seconds, superstep_seconds = job.seconds() - begin, job.seconds() - saving if first else 0
        self.expect_success(job)
        result = (plain / "result.txt").read_bytes()
        if (work / "result.txt").read_bytes() != result:
            raise Failed("checkpoints change the result of an undisturbed run")
        self.say(f"undisturbed: {seconds:.2f} s from ready to result, {read_json(plain / 'metrics.json')['supersteps']} "
                 "supersteps")
        metrics = read_json(work / "metrics.json")
        shutil.rmtree(work)
        return Reference(result, metrics, seconds, superstep_seconds)

    def first_checkpoint(self, work):
        """The directory that appears when supersteps begin; None where nothing is written to disk."""
        return None if self.options.recovery == "memory" else work / "ck/superstep-000000000000"

    def redrawn(self, attempt, *arguments):
        """What attempt() returns, until it is not TOO_LATE: a blow that comes after the job's end does not count."""
        for _ in range(30):
            row = attempt(*arguments)
            if row is not TOO_LATE:
                return row
            self.too_late += 1
            self.end_jobs()
        raise Failed("30 blows in a row came too late: the job is too short")

    def expect_success(self, job, code=0):
        ended = job.wait()
        if ended != code:
            raise Failed(f"exit code {ended} instead of {code}\n{job.tail()}")
        return job

    def check_same(self, reference, work, job):
        """Result and counts are those of the undisturbed run, and nothing temporary is left."""
        for name in ("result.txt", "metrics.json"):
            if not (work / name).exists():
                raise Failed(f"exit code 0, and there is no {name}\n{job.tail()}")
        if (work / "result.txt").read_bytes() != reference.result:
            raise Failed(f"the result differs from that of the undisturbed run\n{job.tail()}")
        metrics = read_json(work / "metrics.json")
        for name in ("supersteps", "messages_sent", "vertex_computations"):
            if metrics[name] != reference.metrics[name]:
                raise Failed(f"{name}: {metrics[name]} instead of {reference.metrics[name]}\n{job.tail()}")
        left = [p.name for p in work.iterdir() if ".tmp" in p.name]
        # A rank that is killed while it writes the result leaves its temporary file: nobody is there to remove it.
        if len(left) > self.options.ranks:
            raise Failed(f"temporary files are left: {left}")
        return metrics

    # --- the times

    def once(self, name, drill, *arguments):
        """Runs one time of the drill, which returns a row. A line says how it went."""
        begin = time.monotonic()
        try:
            row = drill(*arguments)
            self.rows.append(row)
            said = ", ".join(f"{c} {v}" for c, v in zip(self.columns[1:], map(text_of, row[1:])) if v)
            print(f"   {name}: {said} ({time.monotonic() - begin:.1f} s)", flush=True)
        except (Failed, Ended, Damaged) as failure:
            self.failures += 1
            print(f"   {name}: FAILED: {failure}", flush=True)
        finally:
            self.end_jobs()

    def finish(self):
        """The table, and the exit code."""
        if self.rows:
            print(render(self.columns, self.rows))
        if self.too_late:
            self.say(f"{self.too_late} came after the job's end and were drawn again")
        count = len(self.rows) + self.failures
        self.say(f"{self.title}, {self.options.recovery}: {len(self.rows)} of {count} passed in "
                 f"{time.monotonic() - self.began:.0f} s (seed {self.options.seed})")
        return 1 if self.failures or not self.rows else 0


def read_json(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def run(main):
    """Calls main() -> exit code; a failure before the first time is told as one."""
    try:
        sys.exit(main())
    except (Failed, Ended) as failure:
        print(f"FAILED: {failure}", flush=True)
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(130)
