"""Options of checkpoints that make no sense, and directories that are of no use: exit code 2, one line, no file."""

import os
import re

from checkpointed import CheckpointTest, lines_of
from superstep_cli import main


class Options(CheckpointTest):

    def expect_refusal(self, arguments, reason, ranks=2, **options):
        before = sorted(str(path) for path in self.work.rglob("*"))
        finished = self.pregel(*self.JOB, *arguments, "--output", "result.txt", ranks=ranks, **options)
        self.expect_line(finished, "^pregel: error: .*" + reason, code=2)
        self.assertEqual(lines_of(finished), [line for line in lines_of(finished) if "warning" not in line])
        self.assertEqual(sorted(str(path) for path in self.work.rglob("*")), before, str(finished))

    def test_words(self):
        place = ["--checkpoint-dir", "ck"]
        cases = [
            (["--resume"], "^--resume needs --checkpoint-dir"),
            (["--checkpoint-required"], "^--checkpoint-required needs --checkpoint-dir"),
            (["--checkpoint-every", "2"], "^--checkpoint-every, --keep and --mtbf need --checkpoint-dir"),
            (["--keep", "3"], "^--checkpoint-every, --keep and --mtbf need --checkpoint-dir"),
            ([*place, "--keep", "0"], "--keep"),
            ([*place, "--keep", "-1"], "--keep"),
            ([*place, "--checkpoint-every", "0"], "--checkpoint-every"),
            ([*place, "--checkpoint-every", "-2"], "--checkpoint-every"),
            ([*place, "--checkpoint-every", "often"], "--checkpoint-every"),
            ([*place, "--mtbf", "0"], "--mtbf"),
            ([*place, "--mtbf", "nan"], "--mtbf"),
            (["--timeout", "-1"], "--timeout"),
            (["--timeout", "soon"], "--timeout"),
            (["--on-failure", "panic"], "--on-failure"),
            (["--checkpoint-dir", ""], "--checkpoint-dir"),
            ([*place, "--repeat", "2"], "^checkpoints are of one run; leave --repeat and --sources out"),
            (["--inject", "rank=1"], "^--inject rank=1: superstep=S is missing"),
            (["--inject", "rank=1,superstep=2,signal=HURT"], "'signal=HURT' is not understood"),
            (["--inject", "rank=0,superstep=1", "--inject", "nonsense"],
             "^--inject nonsense: 'nonsense' is not understood"),
            (["--inject", "rank=1,write=0"], "writes are counted from 1"),
        ]
        for number, (arguments, reason) in enumerate(cases):
            with self.subTest(" ".join(arguments)):
                reason = reason.removeprefix("^")
                self.expect_refusal([*self.GRAPH, *arguments], reason, ranks=1 + number % 3)

    def test_auto_says_which_interval_and_why(self):
        finished = self.pregel("pagerank", "--iterations", "40", *self.GRAPH, "--checkpoint-dir", "ck", "--checkpoint-every",
                               "auto", "--mtbf", "10")
        self.assertEqual(finished.code, 0, str(finished))
        self.assertRegex(finished.out + finished.err, r"(?m)^checkpoint every \d+ supersteps: one costs \S+ s, a superstep "
                         r"\S+ s, and a failure is expected every 10 s \(--mtbf\)$")

    def test_shrinking_where_it_cannot(self):
        finished = self.pregel(*self.JOB, *self.GRAPH, "--on-failure", "shrink", "--quiet")
        if finished.code == 0:
            self.skipTest("this MPI survives failures")
        self.expect_line(finished, "--on-failure shrink: this MPI ends a job whose rank has died", code=2)

    def test_no_graph_to_resume_with(self):
        self.expect_line(self.pregel(*self.JOB, "--checkpoint-dir", "ck", "--resume"),
                         "there is no graph in ck to resume with: give --graph or --generate", code=2)

    def test_directories(self):
        (self.work / "file").write_text("x")
        self.expect_refusal([*self.GRAPH, "--checkpoint-dir", "file"], "file", ranks=3)
        self.expect_refusal([*self.GRAPH, "--checkpoint-dir", "file/below"], "file/below")

    def test_a_directory_that_may_not_be_written(self):
        if os.geteuid() == 0:
            self.skipTest("root may write everywhere")
        (self.work / "locked").mkdir(mode=0o500)
        self.expect_refusal([*self.GRAPH, "--checkpoint-dir", "locked"],
                            "cannot use the checkpoint directory locked: Permission denied")
        self.expect_refusal([*self.GRAPH, "--checkpoint-dir", "locked/below"],
                            "cannot make the checkpoint directory locked/below: Permission denied")

    def test_another_job(self):
        (self.work / "other.txt").write_text("1 2\n2 3\n")
        finished = self.pregel(*self.JOB, *self.GRAPH, *self.EVERY_TWO, "--seed", "4")
        self.assertEqual(finished.code, 0, str(finished))
        with self.subTest("without --resume"):
            self.expect_refusal([*self.GRAPH, *self.EVERY_TWO, "--seed", "4"],
                                r"ck holds checkpoints of an earlier job \(the last at superstep 8\): go on from them "
                                "with --resume, or remove them")
        for arguments, said in (
                (["--seed", "5"], "for its job --seed was 4, now it is 5"),
                (["--seed", "4", "--damping", "0.5"], "for its job --damping was 0.85, now it is 0.5"),
                (["--seed", "4", "--combiner", "off"], "for its job --combiner was on, now it is off"),
                (["--seed", "4", "--generate", "kron:scale=8"], "for its graph --generate was kron:scale=8,seed=3, now "
                 "it is kron:scale=8"),
                (["--seed", "4", "--graph", "other.txt"], "for its graph --"),
        ):
            with self.subTest(" ".join(arguments)):
                self.expect_refusal([*self.RESUME, *arguments], re.escape("cannot resume from ck: " + said))
        finished = self.pregel("wcc", *self.RESUME, "--seed", "4")
        self.expect_line(finished, "cannot resume from ck: for its job ", code=2)


if __name__ == "__main__":
    main()
