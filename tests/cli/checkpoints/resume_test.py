"""A rank is killed, the job is started again elsewhere: the bytes are those of a job that was never stopped."""

import pathlib
import shutil

from checkpointed import CheckpointTest
from superstep_cli import main, read_json

# Ranks, partitioner, threads: the job that dies has 4 ranks, hash and one thread.
ELSEWHERE = [(1, "range", 1), (2, "modulo", 2), (3, "range", 1), (5, "hash", 1), (7, "range", 2)]


class Resume(CheckpointTest):

    def kill(self, *job, superstep=5, place="compute"):
        finished = self.pregel(*job, *self.EVERY_TWO, *self.ABORT, "--output", "result.txt", "--inject",
                               f"rank=2,superstep={superstep},signal=KILL,where={place}", ranks=4)
        self.assertNotIn(finished.code, (0, 2), str(finished))
        self.assertFalse((self.work / "result.txt").exists(), str(finished))

    def expect_resumed(self, job, without_graph, places, **kill):
        """`without_graph`: the job without the options that name its graph."""
        wanted = self.undisturbed(*job)
        self.kill(*job, **kill)
        shutil.copytree(self.work / "ck", self.work / "as-it-died")
        for ranks, partition, threads in places:
            with self.subTest(f"{ranks} ranks, {partition}, {threads} threads"):
                finished = self.pregel(*without_graph, *self.RESUME, "--partition", partition, "--threads", threads,
                                       "--output", "result.txt", "--metrics", "metrics.json", ranks=ranks)
                self.expect_bytes(finished, wanted)
                self.expect_no_leftovers()
                shutil.rmtree(self.work / "ck")
                shutil.copytree(self.work / "as-it-died", self.work / "ck")

    def test_pagerank(self):
        self.expect_resumed([*self.JOB, *self.GRAPH], self.JOB, ELSEWHERE)
        metrics = read_json(self.work / "metrics.json")
        self.assertEqual(metrics["supersteps"], 10)
        self.assertEqual(metrics["resumed_from"], 4)
        self.assertEqual([row["superstep"] for row in metrics["per_superstep"]], list(range(10)))
        self.assertEqual(metrics["stamp"]["graph"], self.GRAPH[1])

    def test_weighted_paths(self):
        graph = ["--generate", "kron:scale=8,seed=5,weights=real"]
        job = ["sssp", "--source", "3"]
        self.expect_resumed([*job, *graph], job, ELSEWHERE[2:4], superstep=4, place="exchange")

    def test_names(self):
        lines = [f"name-{i * 37 % 500}\tname-{i * 91 % 500}" for i in range(1500)]
        (self.work / "names.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
        job = ["bfs", "--source", "name-37", "--parents"]
        self.expect_resumed([*job, "--graph", "names.txt", "--ids", "string", "--undirected"], job, ELSEWHERE[1:3],
                            superstep=2)

    def test_while_a_checkpoint_is_written(self):
        """The one that was being written is not used, the one before it is."""
        wanted = self.undisturbed()
        self.kill(*self.JOB, *self.GRAPH, superstep=6, place="checkpoint")
        finished = self.pregel(*self.JOB, *self.RESUME, "--output", "result.txt", ranks=3)
        self.expect_bytes(finished, wanted)
        self.assertIn("warning: ck/superstep-000000000006/checkpoint.h5 is missing: the checkpoint is not complete",
                      finished.err)
        self.expect_no_leftovers()

    def test_before_there_is_a_checkpoint(self):
        wanted = self.undisturbed()
        self.kill(*self.JOB, *self.GRAPH, superstep=0, place="checkpoint")
        self.expect_bytes(self.pregel(*self.JOB, *self.RESUME, "--output", "result.txt"), wanted)

    def test_while_a_state_is_restored(self):
        wanted = self.undisturbed()
        self.kill(*self.JOB, *self.GRAPH, superstep=5)
        finished = self.pregel(*self.JOB, *self.RESUME, *self.ABORT, "--inject", "rank=1,where=recovery")
        self.assertNotIn(finished.code, (0, 2), str(finished))
        self.assertEqual(self.states(), [2, 4])
        self.expect_bytes(self.pregel(*self.JOB, *self.RESUME, "--output", "result.txt"), wanted)

    def test_three_deaths(self):
        wanted = self.undisturbed()
        self.kill(*self.JOB, *self.GRAPH, superstep=3)
        for ranks, superstep in (3, 4), (3, 7):
            finished = self.pregel(*self.JOB, *self.RESUME, *self.ABORT, "--inject",
                                   f"rank=1,superstep={superstep}", ranks=ranks)
            self.assertNotIn(finished.code, (0, 2), str(finished))
        finished = self.pregel(*self.JOB, *self.RESUME, "--output", "result.txt", "--metrics", "metrics.json")
        self.expect_bytes(finished, wanted)

    def test_a_finished_job(self):
        """Its last checkpoint is there still, and gives the end again; also in another working directory."""
        wanted = self.undisturbed()
        finished = self.pregel(*self.JOB, *self.GRAPH, *self.EVERY_TWO, "--keep", "1", "--output", "result.txt")
        self.expect_bytes(finished, wanted)
        self.assertEqual(self.states(), [8])
        moved = pathlib.Path(self.work / "moved")
        (self.work / "ck").rename(moved)
        finished = self.pregel(*self.JOB, "--checkpoint-dir", moved, "--resume", "--output", "result.txt", ranks=3)
        self.expect_bytes(finished, wanted)

    def test_more_supersteps(self):
        """--max-supersteps may be raised; a checkpoint behind it is refused."""
        job = ["pagerank", "--tolerance", "0", *self.GRAPH]
        wanted = self.undisturbed(*job, "--max-supersteps", "12")
        finished = self.pregel(*job, *self.EVERY_TWO, "--max-supersteps", "7")
        self.assertEqual(finished.code, 0, str(finished))
        finished = self.pregel(*job, *self.RESUME, "--max-supersteps", "5", "--output", "result.txt")
        self.expect_line(finished, "the checkpoint is of superstep 6, behind the end of a run of 5 supersteps", code=2)
        finished = self.pregel(*job, *self.RESUME, "--max-supersteps", "12", "--output", "result.txt", ranks=3)
        self.expect_bytes(finished, wanted)


if __name__ == "__main__":
    main()
