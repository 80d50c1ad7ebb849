"""freeze_a_rank.sh: a rank is stopped, not dead."""

import shutil
import signal

import processes
from drill import TOO_LATE, Drill, Ended, Failed, parse, parser, run

COLUMNS = ("moment (s)", "victim", "named after (s)", "on again after (s)", "ranks", "back to", "same bits")


class FreezeARank:

    def __init__(self, drill):
        self.drill, self.options = drill, drill.options
        self.in_place = self.options.recovery != "relaunch"
        self.more = ["--timeout", self.options.timeout]
        self.reference = drill.reference(*self.more)

    def attempt(self, victim):
        moment = self.drill.random.uniform(0, self.reference.seconds)
        work = self.drill.work("job")
        words = self.drill.program(work, *self.more)
        job = self.drill.start(self.drill.mpirun(words) if self.in_place else self.drill.supervised(words), work)
        try:
            pid = self.drill.wait_until_ready(job, guarded=True)[victim]
            self.drill.wait_seconds(job, moment, "the blow")
            if not processes.alive(pid) or not processes.kill(pid, signal.SIGSTOP):
                raise Ended("the blow")
        except Ended:
            self.drill.expect_success(job)
            return TOO_LATE
        frozen = job.seconds()
        self.drill.expect_success(job)
        named = job.find(rf"rank {victim} \(process {pid}\): silent for .* killed", frozen)
        if not named:
            # Results were there, and only the end was held up: the deadline of MPI_Finalize, or the launcher's, ended it.
            if not job.find(r"^recovery: |^supervise: restart", frozen):
                return TOO_LATE
            raise Failed(f"the job went on, but nobody named rank {victim}\n{job.tail()}")
        after = named[0] - frozen
        if after > self.options.timeout + 2:
            raise Failed(f"named after {after:.1f} s, the limit is {self.options.timeout} + 2 s\n{job.tail()}")
        metrics = self.drill.check_same(self.reference, work, job)
        on = job.find(r"^recovery: " if self.in_place else r"^resumed from|: loaded in|, loaded in", named[0])
        if not on or metrics["ranks"] != self.options.ranks - 1:
            return TOO_LATE
        back = metrics["recoveries"][0]["restored_from"] if self.in_place else metrics["resumed_from"]
        shutil.rmtree(work)
        return [moment, victim, after, on[0] - frozen, f"{self.options.ranks} → {metrics['ranks']}",
                "start" if back is None else back, "yes"]


def main():
    p = parser(times=3)
    p.add_argument("--timeout", type=float, default=2)
    options = parse(p)
    with Drill(f"freeze a rank, --timeout {options.timeout:g}", options, COLUMNS) as drill:
        freezes = FreezeARank(drill)
        for number in range(options.times):
            victim = drill.random.randrange(options.ranks)
            drill.once(f"{number + 1} of {options.times}", drill.redrawn, freezes.attempt, victim)
        return drill.finish()


run(main)
