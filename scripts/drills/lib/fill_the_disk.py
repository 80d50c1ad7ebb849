"""fill_the_disk.sh: no space is left for a checkpoint.

Runs in a mount namespace of its own, so that the small file system is gone with the drill, whatever happens."""

import os
import re
import subprocess
import sys
import threading
import time

import processes
from checkpoint_files import checkpoints, temporary_files, verified
from drill import TOO_LATE, Drill, Ended, Failed, parse, parser, read_json, run

COLUMNS = ("case", "full after", "exit code", "what it says", "whole ones", "afterwards", "same bits")
INSIDE = "SUPERSTEP_DRILL_NAMESPACE"
SKIPPED = 77


class Filler(threading.Thread):
    """Keeps the disk full: takes what becomes free, too, when an old checkpoint goes."""

    def __init__(self, directory):
        super().__init__(daemon=True)
        self.path, self.stopping = directory / "filler", threading.Event()
        self.start()

    def run(self):
        block = bytes(1 << 16)
        with open(self.path, "wb", buffering=0) as file:
            while not self.stopping.is_set():
                try:
                    file.write(block)
                except OSError:
                    block = block[:max(4096, len(block) // 2)]
                    time.sleep(0.0005)

    def stop(self):
        self.stopping.set()
        self.join()
        self.path.unlink()


class FillTheDisk:

    def __init__(self, drill):
        self.drill, self.options = drill, drill.options
        self.in_place = self.options.recovery == "in-place"
        self.reference = drill.reference("--timeout", "60")
        self.disk = drill.scratch / "disk"
        self.disk.mkdir()

    def mount(self, megabytes):
        """An empty disk of that size."""
        subprocess.run(["umount", self.disk], stderr=subprocess.DEVNULL, check=False)
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "none", self.disk], check=True)

    def start(self, *more):
        self.work = self.drill.work("job")
        (self.disk / "ck").mkdir()
        (self.work / "ck").symlink_to(self.disk / "ck")
        return self.drill.start(self.drill.mpirun(self.drill.program(self.work, "--timeout", "60", *more)), self.work)

    def fill_after_some(self, job):
        """Waits for a checkpoint that is not the first, nor one of the last. Returns filler and its number."""
        count = self.reference.metrics["supersteps"] // self.options.checkpoint_every
        number = self.options.checkpoint_every * self.drill.random.randint(1, max(1, count // 2))
        index = self.disk / f"ck/superstep-{number:012}/checkpoint.h5"
        try:
            job.until(index.exists, f"checkpoint {number}", pause=0.0005)
        except Ended:
            self.drill.expect_success(job)
            return None, number
        return Filler(self.disk), number

    def check_intact(self, number):
        """What was there before the disk was full is there and whole; nothing of the failed one is left."""
        whole = verified(self.disk / "ck")
        if not whole or whole[-1] < number:
            raise Failed(f"checkpoint {number} was there before the disk was full, whole are now {whole}")
        left = temporary_files(self.disk / "ck")
        incomplete = [c.number for c in checkpoints(self.disk / "ck") if not c.committed()]
        if left or incomplete:
            raise Failed(f"left behind: {left}, incomplete checkpoints {incomplete}")
        return whole

    def one_line(self, job):
        """The only error that the program prints."""
        lines = [line for _, line in job.lines if re.search(r"pregel: error: ", line)]
        if len(lines) != 1 or "No space left on device" not in lines[0]:
            raise Failed(f"one line should tell that the disk is full, not {lines}\n{job.tail()}")
        return "error: No space left on device"

    def warnings(self, job):
        lines = [line for _, line in job.lines if line.startswith("warning: no checkpoint of superstep")]
        if not any("No space left on device" in line for line in lines):
            raise Failed(f"no warning says that the disk is full\n{job.tail()}")
        return f"{len(lines)} warnings"

    def required(self):
        """It ends; what was saved before lets it go on when there is space again."""
        self.mount(64)
        job = self.start("--checkpoint-required")
        filler, number = self.fill_after_some(job)
        if not filler:
            return TOO_LATE
        code = job.wait()
        if code == 0:
            filler.stop()
            return TOO_LATE
        if code != 1:
            raise Failed(f"exit code {code} instead of 1\n{job.tail()}")
        said = self.one_line(job)
        if (self.work / "result.txt").exists():
            raise Failed("a failed job has left a result")
        whole = self.check_intact(number)
        filler.stop()
        ranks = self.options.ranks - 1
        words = self.drill.program(self.work, "--resume", "--checkpoint-required")
        job = self.drill.expect_success(self.drill.start(self.drill.mpirun(words, ranks), self.work))
        self.drill.check_same(self.reference, self.work, job)
        resumed = read_json(self.work / "metrics.json")["resumed_from"]
        if resumed != whole[-1]:
            raise Failed(f"resumed from {resumed}, whole are {whole}")
        return ["required", number, code, said, whole, f"resumed from {resumed} on {ranks}", "yes"]

    def goes_on(self):
        """It warns and ends well, on the old checkpoint."""
        self.mount(64)
        job = self.start()
        filler, number = self.fill_after_some(job)
        if not filler:
            return TOO_LATE
        self.drill.expect_success(job)
        if "warning: no checkpoint" not in job.text():
            filler.stop()
            return TOO_LATE
        said = self.warnings(job)
        self.drill.check_same(self.reference, self.work, job)
        whole = self.check_intact(number)
        filler.stop()
        return ["not required", number, 0, said, whole, None, "yes"]

    def death_on_a_full_disk(self):
        """A rank dies when the disk has been full for a while: back to the old checkpoint."""
        self.mount(64)
        job = self.start()
        filler, number = self.fill_after_some(job)
        if not filler:
            return TOO_LATE
        victim = self.drill.random.randrange(self.options.ranks)
        pid = job.ranks().get(victim)
        try:
            job.until(lambda: job.find("^warning: no checkpoint"), "a warning")
            self.drill.wait_seconds(job, self.drill.random.uniform(0, 0.1), "the kill")
        except Ended:
            pid = None
        if pid is None or not processes.alive(pid) or not processes.kill(pid):
            job.wait()
            filler.stop()
            return TOO_LATE
        if self.in_place:
            self.drill.expect_success(job)
            metrics = read_json(self.work / "metrics.json")
            back = metrics["recoveries"][0]["restored_from"] if metrics["recoveries"] else None
        else:
            job.wait()
            whole = verified(self.disk / "ck")
            ranks = self.options.ranks - 1
            job = self.drill.start(self.drill.mpirun(self.drill.program(self.work, "--resume"), ranks), self.work)
            self.drill.expect_success(job)
            metrics = read_json(self.work / "metrics.json")
            back = metrics["resumed_from"]
        if metrics["ranks"] == self.options.ranks:
            filler.stop()
            return TOO_LATE
        self.drill.check_same(self.reference, self.work, job)
        if back is None or back < number:
            raise Failed(f"went back to {back}, not to {number} or later\n{job.tail()}")
        whole = self.check_intact(number)
        filler.stop()
        return ["and a death", number, 0, "warnings", whole, f"back to {back} on {metrics['ranks']}", "yes"]

    def too_small(self, required):
        """Not even the graph has room."""
        self.mount(1)
        job = self.start(*(["--checkpoint-required"] if required else []))
        code = job.wait()
        if code != (1 if required else 0):
            raise Failed(f"exit code {code}\n{job.tail()}")
        left = temporary_files(self.disk)
        if left or checkpoints(self.disk / "ck"):
            raise Failed(f"left behind: {left}, {[c.number for c in checkpoints(self.disk / 'ck')]}")
        if required:
            return ["no room at all, required", None, code, self.one_line(job), [], None, None]
        said = self.warnings(job)
        self.drill.check_same(self.reference, self.work, job)
        return ["no room at all", None, code, said, [], None, "yes"]

    def cleaned(self):
        subprocess.run(["umount", "--lazy", self.disk], stderr=subprocess.DEVNULL, check=False)


def enter_namespace():
    """Starts this script again in a mount namespace of its own; returns only if there can be none."""
    ways = [["unshare", "--mount"]]
    if os.environ.get("SUPERSTEP_ULFM") == "1":
        # In with_openmpi5.sh's tree, whose root is no mount point: but it is in a private namespace already.
        ways.append(["unshare", "--mount", "--propagation", "unchanged"])
    for way in ways:
        if subprocess.run([*way, "true"], stderr=subprocess.DEVNULL, check=False).returncode == 0:
            os.environ[INSIDE] = "1"
            os.execvp(way[0], [*way, sys.executable, *sys.argv])


def main():
    if os.geteuid() != 0:
        print("fill_the_disk.sh: skipped: only root can mount a small file system")
        return SKIPPED
    if INSIDE not in os.environ:
        enter_namespace()
        print("fill_the_disk.sh: skipped: this machine allows no mount namespace (in a container: --privileged)")
        return SKIPPED
    options = parse(parser(times=1))
    with Drill("fill the disk", options, COLUMNS) as drill:
        disk = FillTheDisk(drill)
        try:
            for number in range(options.times):
                for name, case, *arguments in (("required", disk.required), ("not required", disk.goes_on),
                                               ("and a death", disk.death_on_a_full_disk),
                                               ("no room, required", disk.too_small, True),
                                               ("no room", disk.too_small, False)):
                    drill.once(f"{number + 1} of {options.times}, {name}", drill.redrawn, case, *arguments)
        finally:
            drill.end_jobs()
            disk.cleaned()
        return drill.finish()


run(main)
