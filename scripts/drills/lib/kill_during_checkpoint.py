"""kill_during_checkpoint.sh: a rank dies while a checkpoint is being written."""

import shutil
import statistics
import time

import processes
from checkpoint_files import Checkpoint, checkpoints, temporary_files, verified
from drill import TOO_LATE, Drill, Ended, Failed, parse, parser, read_json, run

COLUMNS = ("blow", "checkpoint", "moment (ms)", "victim", "parts there", "index", "whole ones", "restored", "ranks",
           "same bits")


class KillDuringCheckpoint:

    def __init__(self, drill):
        self.drill, self.options = drill, drill.options
        self.in_place = self.options.recovery == "in-place"
        self.reference = drill.reference("--timeout", "60")
        self.write_seconds = self.measure_a_write()
        self.window = self.write_seconds
        drill.say(f"writing a checkpoint takes {1000 * self.write_seconds:.0f} ms (median)")

    def path(self, work, number):
        return Checkpoint(work / "ck" / f"superstep-{number:012}")

    def measure_a_write(self):
        """From the first sight of a checkpoint's directory until its index is there; the median of a run: on a busy disk
        the longest is many times that."""
        work = self.drill.work("measured")
        job = self.drill.start(self.drill.mpirun(self.drill.program(work, "--timeout", "60")), work)
        seconds = []
        try:
            for number in self.numbers():
                checkpoint = self.path(work, number)
                job.until(checkpoint.directory.exists, f"checkpoint {number}", pause=0.0005)
                begin = job.seconds()
                job.until(checkpoint.committed, f"the index of {number}", pause=0.0005)
                seconds.append(job.seconds() - begin)
        except Ended:
            pass  # so short that this loop does not see the last ones
        self.drill.expect_success(job)
        shutil.rmtree(work)
        return statistics.median(seconds) if seconds else 0.02

    def numbers(self):
        every = self.options.checkpoint_every
        return range(0, self.reference.metrics["supersteps"], every)

    def attempt(self, inside):
        draw = self.drill.random
        number, victim = draw.choice(self.numbers()), draw.randrange(self.options.ranks)
        moment = None if inside else draw.uniform(0, self.window)
        work = self.drill.work("job")
        more = ["--inject", f"rank={victim},superstep={number},where=checkpoint"] if inside else []
        job = self.drill.start(self.drill.mpirun(self.drill.program(work, "--timeout", "60", *more)), work)
        try:
            pids = self.drill.wait_until_ready(job)
            if inside:
                job.until(lambda: not processes.alive(pids[victim]), "the blow", pause=0.0005)
            else:
                self.strike(job, self.path(work, number), moment, pids[victim])
        except Ended:
            self.drill.expect_success(job)
            return TOO_LATE
        checkpoint = self.path(work, number)
        committed = checkpoint.committed()
        parts = len(list(checkpoint.directory.glob("part-*.h5"))) if checkpoint.directory.exists() else 0
        written = committed or not checkpoint.directory.exists()  # or even removed again
        if written and not inside:
            if self.in_place:
                self.drill.expect_success(job)
            self.window /= 2  # the write was over: that is kill_a_rank's subject
            return TOO_LATE
        self.window = self.write_seconds
        story = (self.survive(job, work, number) if self.in_place else self.relaunch(job, work, number))
        shutil.rmtree(work)
        said = "no" if not committed else "yes"
        return ["from inside" if inside else "from outside", number, None if inside else 1000 * moment, victim, parts, said,
                *story, "yes"]

    def strike(self, job, checkpoint, moment, pid):
        job.until(checkpoint.directory.exists, "the checkpoint", pause=0.0002)
        end = job.seconds() + moment
        while job.seconds() < end:
            time.sleep(0.0002)
        if not processes.alive(pid) or not processes.kill(pid):
            raise Ended("the kill")

    def least(self, number):
        """The checkpoint before `number`, which must not be lost; None if there was none."""
        before = number - self.options.checkpoint_every
        return before if before >= 0 else None

    def check_restored(self, number, restored):
        least = self.least(number)
        if least is not None and (restored is None or restored < least):
            raise Failed(f"a kill during checkpoint {number} went back to {restored}: checkpoint {least} was lost")

    def survive(self, job, work, number):
        """[whole checkpoints at the end, restored from, ranks]."""
        self.drill.expect_success(job)
        metrics = self.drill.check_same(self.reference, work, job)
        if len(metrics["recoveries"]) != 1:
            raise Failed(f"recoveries: {metrics['recoveries']}\n{job.tail()}")
        restored = metrics["recoveries"][0]["restored_from"]
        self.check_restored(number, restored)
        left = temporary_files(work / "ck")
        incomplete = [c.number for c in checkpoints(work / "ck") if not c.committed()]
        if left or incomplete:
            raise Failed(f"left in ck: {left}, incomplete checkpoints {incomplete}")
        return [verified(work / "ck"), "start" if restored is None else restored,
                f"{self.options.ranks} → {metrics['ranks']}"]

    def relaunch(self, job, work, number):
        """By hand, so that what lies on the disk can be looked at in between."""
        if job.wait() == 0:
            raise Failed(f"a rank was killed and the job succeeded\n{job.tail()}")
        whole = verified(work / "ck")
        least = self.least(number)
        if least is not None and least not in whole and number not in whole:
            raise Failed(f"after a kill during checkpoint {number} there are whole ones of {whole} only")
        ranks = self.options.ranks - 1
        job = self.drill.start(self.drill.mpirun(self.drill.program(work, "--resume"), ranks), work)
        self.drill.expect_success(job)
        self.drill.check_same(self.reference, work, job)
        restored = read_json(work / "metrics.json")["resumed_from"]
        if restored != (whole[-1] if whole else None):
            raise Failed(f"resumed from {restored}, whole are {whole}\n{job.tail()}")
        if left := temporary_files(work / "ck"):
            raise Failed(f"left in ck: {left}")
        return [whole, "start" if restored is None else restored, f"{self.options.ranks} → {ranks}"]


def main():
    options = parse(parser(times=6, iterations=60))
    with Drill("kill during a checkpoint", options, COLUMNS) as drill:
        kills = KillDuringCheckpoint(drill)
        for number in range(options.times):
            # A third from inside: exactly between a rank's part and the agreement.
            drill.once(f"{number + 1} of {options.times}", drill.redrawn, kills.attempt, number % 3 == 2)
        return drill.finish()


run(main)
