"""table7.sh: the worked example of a worker that dies."""

from checkpoint_files import Checkpoint, verified
from drill import REPOSITORY, Drill, parse, parser, programs, read_json, run

COLUMNS = ("what", "worked example", "this run")
DISTANCES = {1: "0", 2: "1", 3: "2", 4: "4", 5: "6", 6: "5"}


class Table7:

    def __init__(self, drill):
        self.drill = drill
        self.memory = drill.options.recovery == "memory"

    def words(self, work, *more):
        return [programs() / "pregel", "sssp", "--graph", REPOSITORY / "tests/data/sssp6.txt", "--weighted", "--source", "1",
                "--variant", "textbook", "--combiner", "off", "--partition", "modulo", "--output", work / "result.txt",
                "--metrics", work / "metrics.json", *more]

    def keeping(self, work):
        """--keep: the checkpoints tell who had which vertices."""
        where = ["--checkpoint-memory"] if self.memory else ["--checkpoint-dir", work / "ck", "--keep", "9"]
        return [*where, "--checkpoint-every", "2"]

    def owners(self, work, superstep):
        """{vertex: rank} in a checkpoint."""
        checkpoint = Checkpoint(work / f"ck/superstep-{superstep:012}")
        return {vertex: part for part in range(checkpoint.verify()) for vertex in checkpoint.column(part, "vertices/id")}

    def run_jobs(self):
        undisturbed, work = self.drill.work("undisturbed"), self.drill.work("job")
        self.drill.expect_success(self.drill.start(self.drill.mpirun(self.words(undisturbed), 3), undisturbed))
        words = self.words(work, *self.keeping(work), "--inject", "rank=2,superstep=5,signal=KILL")
        job = self.drill.expect_success(self.drill.start(self.drill.mpirun(words, 3), work))
        return job, work, (undisturbed / "result.txt").read_bytes()

    def checks(self):
        """(what, as it should be, as it is)."""
        job, work, undisturbed = self.run_jobs()
        metrics = read_json(work / "metrics.json")
        lines = (work / "result.txt").read_text().splitlines()
        recovery = metrics["recoveries"][0] if metrics["recoveries"] else {}
        told = job.find(r"^recovery: rank (\d) of 3 died in superstep (\d); 2 go on from the checkpoint of superstep (\d), "
                        r"(\d) superstep to do again")
        checks = [
            ("recoveries", 1, len(metrics["recoveries"])),
            ("workers before, after", "3, 2", f"{recovery.get('ranks_before')}, {recovery.get('ranks_after')}"),
            ("dead worker", "2", ", ".join(map(str, recovery.get("lost", [])))),
            ("died in superstep", 5, recovery.get("superstep")),
            ("back to superstep", 4, recovery.get("restored_from")),
            ("supersteps recomputed", 1, recovery.get("recomputed_supersteps")),
            ("the log tells the same", "2, 5, 4, 1", ", ".join(told[1].groups()) if told else None),
            ("distances", " ".join(DISTANCES.values()), " ".join(line.split()[1] for line in lines)),
            ("bytes of the undisturbed run", "the same", "the same" if (work / "result.txt").read_bytes() == undisturbed
             else "others"),
            ("supersteps", 7, metrics["supersteps"]),
            ("messages sent", 10, metrics["messages_sent"]),
            ("wake-ups", 3, metrics["wakeups"]),
        ]
        if not self.memory:
            checks += self.checks_on_disk(work)
        return checks

    def checks_on_disk(self, work):
        before, after = self.owners(work, 4), self.owners(work, 6)
        moved = {vertex: after[vertex] for vertex in after if before[vertex] == 2}
        stayed = all(after[vertex] == before[vertex] for vertex in after if before[vertex] != 2)
        return [
            ("checkpoints", "0, 2, 4, 6", ", ".join(map(str, verified(work / "ck")))),
            ("vertices of worker 2", "2, 5", ", ".join(map(str, sorted(moved)))),
            ("they go to workers", "0, 1", ", ".join(map(str, sorted(moved.values())))),
            ("the others' vertices stay", "yes", "yes" if stayed else "no"),
        ]


def main():
    options = parse(parser(times=1, ranks=3, algorithm="sssp", graph="tests/data/sssp6.txt"))
    with Drill("table 7", options, COLUMNS) as drill:
        wrong = []
        for row in Table7(drill).checks():
            drill.rows.append(row)
            if row[1] != row[2]:
                wrong.append(row)
        drill.end_jobs()
        drill.failures = len(wrong)
        for what, wanted, found in wrong:
            print(f"   FAILED: {what}: {found} instead of {wanted}")
        return drill.finish()


run(main)
