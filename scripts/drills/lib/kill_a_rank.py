"""kill_a_rank.sh: random victims at random moments, from outside."""

import re
import shutil

import processes
from drill import TOO_LATE, Drill, Ended, Failed, parse, parser, run

COLUMNS = ("moment (s)", "victim", "ranks", "in superstep", "back to", "done again", "detected in (s)", "restored in (s)",
           "same bits")


class KillARank:

    def __init__(self, drill):
        self.drill, self.options = drill, drill.options
        more = ["--timeout", "60"] if self.in_place else ["--progress"]
        self.more = more  # guards show when ranks are up; the progress line shows the superstep
        self.reference = drill.reference(*more)

    @property
    def in_place(self):
        return self.options.recovery != "relaunch"

    def choose_victims(self):
        """For all times: a fifth of them have rank 0 among them, the others are drawn evenly."""
        o, draw = self.options, self.drill.random
        with_zero = [number < -(-o.times // 5) for number in range(o.times)]
        draw.shuffle(with_zero)
        chosen = []
        for zero in with_zero:
            victims = draw.sample(range(o.ranks), o.victims)
            if zero and 0 not in victims:
                victims[0] = 0
            chosen.append(victims)
        return chosen

    def attempt(self, victims, in_supersteps):
        draw = self.drill.random
        in_supersteps = in_supersteps and self.reference.superstep_seconds > 0
        seconds = self.reference.superstep_seconds if in_supersteps else self.reference.seconds
        moment = draw.uniform(*self.options.between) * seconds
        pause = 0 if draw.random() < 0.5 else draw.uniform(0, 0.5)  # between two victims
        work = self.drill.work("job")
        words = self.drill.program(work, *self.more)
        job = self.drill.start(self.drill.mpirun(words) if self.in_place else self.drill.supervised(words), work)
        try:
            pids = self.drill.wait_until_ready(job)
            ready = job.seconds()
            if in_supersteps:
                job.until(self.drill.first_checkpoint(work).exists, "its first checkpoint", pause=0.0005)
            self.drill.wait_seconds(job, moment, "the kill")
            first_kill = job.seconds()
            moment = first_kill - ready
            last_kill = self.strike(job, pids, victims, pause)
        except Ended:
            self.drill.expect_success(job)
            return TOO_LATE
        self.drill.expect_success(job)
        metrics = self.drill.check_same(self.reference, work, job)
        story = (self.story_in_place(job, metrics, last_kill) if self.in_place else
                 self.story_of_relaunch(job, metrics, first_kill))
        shutil.rmtree(work)
        if story is TOO_LATE:
            return TOO_LATE
        return [moment, sorted(victims), *story, "yes"]

    def strike(self, job, pids, victims, pause):
        """Returns when the last one died. A victim that is not there any more makes this time void."""
        for number, victim in enumerate(victims):
            if number > 0 and pause > 0:
                self.drill.wait_seconds(job, pause, "the second kill")
                if not self.in_place:  # the launcher may have ended the job, or started it again
                    pids = job.until(job.ranks, "the second kill")
                    victim = victim if victim in pids else min(pids)
            if not processes.alive(pids[victim]) or not processes.kill(pids[victim]):
                raise Ended("the kill")
        return job.seconds()

    def story_in_place(self, job, metrics, last_kill):
        """[ranks, superstep, restored from, done again, detected in, restored in]: from the metrics, except for the time
        of detection. That is from the kill to the line that tells of the recovery, less the time to restore."""
        recoveries = metrics["recoveries"]
        if not recoveries:
            return TOO_LATE
        lost = self.options.ranks - metrics["ranks"]
        if lost < self.options.victims:
            return TOO_LATE  # the second one died when all was done
        ranks = " → ".join(str(n) for n in [self.options.ranks, *(r["ranks_after"] for r in recoveries)])
        pick = lambda name: [r[name] for r in recoveries]
        back = ["start" if k is None else k for k in pick("restored_from")]
        restored = pick("restore_seconds")
        told = job.find(r"^recovery: ", last_kill)
        if not told:
            raise Failed(f"no line tells of the recovery\n{job.tail()}")
        detected = max(0.0, told[0] - last_kill - restored[-1])
        return [ranks, pick("superstep"), back, sum(pick("recomputed_supersteps")), detected, sum(restored)]

    def story_of_relaunch(self, job, metrics, killed_at):
        """From supervise's lines."""
        failed = job.find(r"^supervise: .* failed after .*", killed_at)
        restart = job.find(r"^supervise: restart \d+ of \d+ on (\d+) rank", killed_at)
        if not failed or not restart:
            return TOO_LATE
        restarts = [m for _, line in job.lines if (m := re.match(
            r"supervise: restart \d+ of \d+ on (\d+) rank", line))]
        ranks = " → ".join([str(self.options.ranks), *(m.group(1) for m in restarts)])
        if metrics["ranks"] != int(restarts[-1].group(1)):
            raise Failed(f"the last restart had {restarts[-1].group(1)} ranks, the metrics say {metrics['ranks']}")
        going_on = job.find(r"^resumed from the checkpoint|^superstep \d", restart[0])
        shown = [int(m.group(1)) for seconds, line in job.lines
                 if seconds < failed[0] and (m := re.match(r"superstep (\d+) ", line))]
        superstep, back = max(shown, default=None), metrics["resumed_from"]
        again = None if superstep is None else max(0, superstep - (back or 0))
        return [ranks, superstep, "start" if back is None else back, again, failed[0] - killed_at,
                going_on[0] - failed[0] if going_on else None]


def fractions(text):
    first, last = map(float, text.split(","))
    return first, last


def summarise(drill):
    column = lambda name: [row[COLUMNS.index(name)] for row in drill.rows if row[COLUMNS.index(name)] is not None]
    zeros = sum(1 for victims in column("victim") if 0 in victims)
    from_start = sum(1 for back in column("back to") if back in ("start", ["start"]))
    drill.say(f"rank 0 was among the victims {zeros} times; {from_start} went back to the start")
    for name in ("detected in (s)", "restored in (s)"):
        if seconds := sorted(column(name)):
            drill.say(f"{name}: median {seconds[len(seconds) // 2]:.3f}, longest {seconds[-1]:.3f}")


def main():
    p = parser(times=5)
    p.add_argument("--victims", type=int, default=1)
    p.add_argument("--between", type=fractions, default=(0, 1))
    options = parse(p)
    if not 1 <= options.victims < options.ranks:
        p.error("--victims must leave a rank alive")
    with Drill("kill a rank" if options.victims == 1 else f"kill {options.victims} ranks", options, COLUMNS) as drill:
        kills = KillARank(drill)
        for number, victims in enumerate(kills.choose_victims(), 1):
            drill.once(f"{number} of {options.times}", drill.redrawn, kills.attempt, victims, number % 2 == 0)
        code = drill.finish()
        summarise(drill)
        return code


run(main)
