"""kill_the_whole_job.sh: nobody survives."""

import shutil
import signal

import processes
from checkpoint_files import verified
from drill import TOO_LATE, Drill, Ended, Failed, parse, parser, read_json, run

COLUMNS = ("moment (s)", "killed", "again by", "ranks", "whole ones", "resumed from", "same bits")


class KillTheWholeJob:

    def __init__(self, drill):
        self.drill, self.options = drill, drill.options
        self.reference = drill.reference("--timeout", "60")

    def attempt(self, by_supervise):
        moment = self.drill.random.uniform(0, self.reference.seconds)
        work = self.drill.work("job")
        words = self.drill.program(work, "--timeout", "60")
        job = self.drill.start(self.drill.supervised(words) if by_supervise else self.drill.mpirun(words), work)
        try:
            ranks = self.drill.wait_until_ready(job)
            self.drill.wait_seconds(job, moment, "the blow")
        except Ended:
            self.drill.expect_success(job)
            return TOO_LATE
        if (work / "result.txt").exists():
            return TOO_LATE
        victims = [*job.launcher(), *ranks.values()]
        for pid in victims:  # nobody sees another one die
            processes.kill(pid, signal.SIGSTOP)
        for pid in victims:
            processes.kill(pid)
        story = (self.watch_supervise if by_supervise else self.resume_by_hand)(job, work)
        shutil.rmtree(work)
        return [moment, f"{len(ranks)} ranks + launcher", *story, "yes"]

    def watch_supervise(self, job, work):
        self.drill.expect_success(job)
        if not job.find(r"^supervise: the job failed after .*: the launcher was killed by signal 9"):
            raise Failed(f"supervise does not say that the launcher was killed\n{job.tail()}")
        metrics = self.drill.check_same(self.reference, work, job)
        return ["supervise", f"{self.options.ranks} → {metrics['ranks']}", None, said(metrics["resumed_from"])]

    def resume_by_hand(self, job, work):
        job.wait()  # fails if a process is left: guards go with their ranks
        whole = verified(work / "ck")
        ranks = self.drill.random.randint(1, self.options.ranks + 1)
        job = self.drill.start(self.drill.mpirun(self.drill.program(work, "--resume"), ranks), work)
        self.drill.expect_success(job)
        self.drill.check_same(self.reference, work, job)
        resumed = read_json(work / "metrics.json")["resumed_from"]
        if resumed != (whole[-1] if whole else None):
            raise Failed(f"resumed from {resumed}, whole are {whole}\n{job.tail()}")
        return ["hand", f"{self.options.ranks} → {ranks}", whole, said(resumed)]


def said(resumed):
    return "start" if resumed is None else resumed


def main():
    options = parse(parser(times=4))
    with Drill("kill the whole job", options, COLUMNS) as drill:
        kills = KillTheWholeJob(drill)
        for number in range(options.times):
            drill.once(f"{number + 1} of {options.times}", drill.redrawn, kills.attempt, number % 2 == 1)
        return drill.finish()


run(main)
