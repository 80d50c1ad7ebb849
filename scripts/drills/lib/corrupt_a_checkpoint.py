"""corrupt_a_checkpoint.sh: what is on the disk is not what was written."""

import pathlib

from checkpoint_files import checkpoints
from drill import Drill, Failed, parse, parser, run

COLUMNS = ("damage", "it says", "back to", "same bits")


class Damage:
    """Something done to a checkpoint, and the words in which it must be refused."""

    def __init__(self, draw):
        self.draw = draw

    def part(self, checkpoint):
        """A part that has vertices, and its record."""
        records = [r for r in checkpoint.parts() if any(t["name"] == "vertices" and t["rows"] > 0 for t in r["tables"])]
        record = self.draw.choice(records)
        return checkpoint.directory / record["file"], record

    def flip(self, path, place):
        data = bytearray(path.read_bytes())
        data[place] ^= 1 << self.draw.randrange(8)
        path.write_bytes(data)

    def truncated_part(self, checkpoint):
        path, record = self.part(checkpoint)
        size = self.draw.randrange(record["bytes"])
        with open(path, "r+b") as file:
            file.truncate(size)
        return f"{path} has {size} bytes, but {record['bytes']} were written"

    def flipped_bit(self, checkpoint):
        path, record = self.part(checkpoint)
        dataset = self.draw.choice([d for d in checkpoint.datasets(record) if d.bytes > 0])
        self.flip(path, dataset.offset + self.draw.randrange(dataset.bytes))
        return f"{path}: dataset {dataset.name} is damaged"

    def flipped_bit_of_hdf5(self, checkpoint):
        path, _ = self.part(checkpoint)
        self.flip(path, self.draw.randrange(96))  # the superblock
        return f"{path}: its HDF5 structure is damaged"

    def missing_part(self, checkpoint):
        path, _ = self.part(checkpoint)
        path.unlink()
        return f"{path} is missing"

    def missing_index(self, checkpoint):
        checkpoint.index.unlink()
        return f"{checkpoint.index} is missing"

    def flipped_bit_of_index(self, checkpoint):
        self.flip(checkpoint.index, self.draw.randrange(512, checkpoint.index.stat().st_size))
        return f"{checkpoint.index} is damaged"

    def empty_index(self, checkpoint):
        checkpoint.index.write_bytes(b"")
        return f"{checkpoint.index} is damaged"

    def newer_format(self, checkpoint):
        image = checkpoint.index.read_bytes()
        checkpoint.index.write_bytes(image.replace(b"index, format 1\n", b"index, format 9\n", 1))
        return f"{checkpoint.index} has format version 9"


CASES = ("truncated_part", "flipped_bit", "flipped_bit_of_hdf5", "missing_part", "missing_index", "flipped_bit_of_index",
         "empty_index", "newer_format")


class CorruptACheckpoint:

    def __init__(self, drill):
        self.drill, self.options = drill, drill.options
        self.in_place = self.options.recovery == "in-place"
        self.damage = Damage(drill.random)
        self.reference = drill.reference("--timeout", "60")
        every = self.options.checkpoint_every
        supersteps = self.reference.metrics["supersteps"]
        self.last = (supersteps // 2) // every * every  # the newest checkpoint that is there when damage is done
        if self.last < every or self.last + 1 >= supersteps:
            raise Failed(f"{supersteps} supersteps are too few for checkpoints every {every}")
        self.before = self.last - every

    def attempt(self, name, count=1):
        """Damages the newest `count` checkpoints and looks for what comes of it."""
        run_case = self.while_it_runs if self.in_place else self.when_it_has_ended
        work = self.drill.work("job")
        job, words = run_case(work, lambda: self.damage_newest(work, name, count))
        for word in words[:1] if count == 1 else []:
            if f"warning: {word}" not in job.text():
                raise Failed(f"no warning says: {word}\n{job.tail()}")
        if count > 1 and name != "missing_index":
            return self.clear_end(job, work, name, words)
        metrics = self.drill.check_same(self.reference, work, job)
        back = self.back(metrics)
        wanted = self.before if count == 1 else None
        if back != wanted:
            raise Failed(f"went back to {back}, not to {wanted}\n{job.tail()}")
        return [title(name, count), short(words[0]), "start" if back is None else back, "yes"]

    def back(self, metrics):
        return metrics["recoveries"][0]["restored_from"] if self.in_place else metrics["resumed_from"]

    def damage_newest(self, work, name, count):
        newest = checkpoints(work / "ck")[-count:]
        if newest[-1].number != self.last or len(newest) != count:
            raise Failed(f"the newest checkpoints are {[c.number for c in newest]}, not up to {self.last}")
        return [getattr(self.damage, name)(checkpoint) for checkpoint in reversed(newest)]

    def when_it_has_ended(self, work, do_damage):
        """A job that ended after `last`, resumed on one rank less. Returns the resumed job and the expected words."""
        stop = ["--max-supersteps", self.last + 1]
        self.drill.expect_success(self.drill.start(self.drill.mpirun(self.drill.program(work, *stop)), work))
        (work / "result.txt").unlink()
        words = do_damage()
        job = self.drill.start(self.drill.mpirun(self.drill.program(work, "--resume"), self.options.ranks - 1), work)
        self.code = job.wait()
        return job, words

    def while_it_runs(self, work, do_damage):
        """A rank is stopped in superstep `last`. Before its guard kills it there is time for the damage."""
        victim = self.drill.random.randrange(self.options.ranks)
        faults = ["--timeout", "2", "--inject", f"rank={victim},superstep={self.last},signal=STOP"]
        job = self.drill.start(self.drill.mpirun(self.drill.program(work, *faults)), work)
        pid = self.drill.wait_until_ready(job)[victim]
        job.until(lambda: stopped(pid), f"rank {victim} stopped")
        words = do_damage()
        self.code = job.wait()
        return job, words

    def clear_end(self, job, work, name, words):
        """None can be used: exit code 1, and a line that says why."""
        lines = [line for _, line in job.lines if "pregel: error: " in line]
        if self.code != 1 or len(lines) != 1 or f"no checkpoint in {work / 'ck'} can be used: {words[0]}" not in lines[0]:
            raise Failed(f"no clear end: exit code {self.code}, {lines}\n{job.tail()}")
        if (work / "result.txt").exists():
            raise Failed("a failed job has left a result")
        return [title(name, 2), "error: no checkpoint can be used", "exit code 1", None]


def stopped(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "T"
    except OSError:
        return False


def title(name, count):
    return name.replace("_", " ").replace("hdf5", "HDF5") + (" in all of them" if count > 1 else "")


def short(words):
    """Without the directory."""
    return words[words.index("superstep-"):] if "superstep-" in words else words


def main():
    options = parse(parser(times=1, iterations=20, checkpoint_every=2))
    with Drill("corrupt a checkpoint", options, COLUMNS) as drill:
        corrupt = CorruptACheckpoint(drill)
        for number in range(options.times):
            for name in CASES:
                drill.once(f"{number + 1} of {options.times}, {title(name, 1)}", corrupt.attempt, name)
            for name in ("flipped_bit", "newer_format", "missing_index"):
                drill.once(f"{number + 1} of {options.times}, {title(name, 2)}", corrupt.attempt, name, 2)
        return drill.finish()


run(main)
