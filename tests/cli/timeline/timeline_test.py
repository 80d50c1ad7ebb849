"""--timeline: a trace that can be read and whose sums are those of the metrics; --straggler: slower, with the same bits."""

import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "bad_input"))

from refusals import RefusalTest  # noqa: E402
from superstep_cli import main, read_json  # noqa: E402

PHASES = {"load", "compute", "exchange", "wait", "checkpoint", "restore", "output"}


def rows_of(path):
    """{(rank, thread): its spans in order of time}"""
    rows = {}
    for event in read_json(path)["traceEvents"]:
        if event["ph"] == "X":
            rows.setdefault((event["pid"], event["tid"]), []).append(event)
    for spans in rows.values():
        spans.sort(key=lambda span: span["ts"])
    return rows


def seconds_of(spans, name):
    return sum(span["dur"] for span in spans if span["name"] == name) / 1e6


class Timelines(RefusalTest):

    def check_rows(self, rows):
        for row, spans in rows.items():
            self.assertLessEqual({span["name"] for span in spans}, PHASES)
            for span, following in zip(spans, spans[1:]):
                self.assertLessEqual(span["ts"] + span["dur"], following["ts"] + 0.0015, f"{row}: {span} {following}")

    def test_phases_and_their_sums(self):
        self.run_well("pregel", "pagerank", "--generate", "kron:scale=16,degree=8", "--iterations", 12, "--threads", 2,
                      "--checkpoint-dir", "saved", "--checkpoint-every", 4, "--output", "r.txt", "--metrics", "m.json",
                      "--timeline", "t.json", "--quiet", ranks=2, cwd=self.work)
        metrics, rows = read_json(self.work / "m.json"), rows_of(self.work / "t.json")
        self.assertEqual(set(rows), {(rank, thread) for rank in (0, 1) for thread in (0, 1)})
        self.check_rows(rows)
        for rank in 0, 1:
            spans = rows[rank, 0]
            names = [span["name"] for span in spans]
            for phase in "compute", "exchange", "wait":
                self.assertEqual(names.count(phase), metrics["supersteps"])
                # The metrics have the slowest rank's time of each superstep.
                self.assertLessEqual(seconds_of(spans, phase),
                                     sum(row[f"{phase}_seconds"] for row in metrics["per_superstep"]) + 1e-6)
            self.assertEqual(names.count("checkpoint"), len(metrics["checkpoints"]))
            self.assertEqual((names.count("load"), names.count("output")), (1, 1))
            self.assertAlmostEqual(seconds_of(spans, "checkpoint"), metrics["checkpoint_seconds"],
                                   delta=0.1 * metrics["checkpoint_seconds"] + 0.005)
            steps = [span["args"]["superstep"] for span in spans if span["name"] == "compute"]
            self.assertEqual(steps, list(range(metrics["supersteps"])))
            self.assertIn("compute", {span["name"] for span in rows[rank, 1]})
            in_all = sum(span["dur"] for span in spans if span["name"] not in ("load", "output")) / 1e6
            self.assertLessEqual(in_all, metrics["run_seconds"] + 0.05)
            self.assertGreaterEqual(in_all, 0.8 * metrics["run_seconds"] - 0.005)

    def test_one_rank_sums_to_the_metrics_and_lists_are_told(self):
        self.run_well("pregel", "bfs", "--source", 0, "--generate", "chain:n=3000", "--metrics", "m.json", "--timeline",
                      "t.json", "--then", "wcc", "--quiet", cwd=self.work)
        metrics, rows = read_json(self.work / "m.json"), rows_of(self.work / "t.json")
        self.check_rows(rows)
        runs = [metrics, *metrics["then"]]
        for phase in "compute", "exchange", "wait":
            wanted = sum(row[f"{phase}_seconds"] for run in runs for row in run["per_superstep"])
            self.assertAlmostEqual(seconds_of(rows[0, 0], phase), wanted, delta=0.02 * wanted + 0.002)
        marks = [event["name"] for event in read_json(self.work / "t.json")["traceEvents"] if event["ph"] == "i"]
        self.assertEqual(marks, ["begins: bfs", "begins: wcc"])

    def test_nothing_unless_asked(self):
        self.run_well("pregel", "wcc", "--generate", "chain:n=9", "--quiet", cwd=self.work)
        self.assertEqual(list(self.work.iterdir()), [])
        self.expect_refusal(["wcc", "--generate", "chain:n=9", "--timeline", "absent/t.json"],
                            "cannot write absent/t.json: No such file or directory")

    def test_what_cannot_be_created_is_refused_before_the_graph_is_loaded(self):
        name = "t" * 250  # with the suffix of a temporary name longer than names may be
        self.expect_refusal(["wcc", "--generate", "chain:n=9", "--timeline", name, "--output", "r.txt"],
                            f"cannot create {name}: File name too long", ranks=(2,))


class Stragglers(RefusalTest):

    def test_waits_and_keeps_the_bits(self):
        job = ["pagerank", "--generate", "kron:scale=15", "--iterations", 20, "--quiet"]
        self.run_well("pregel", *job, "--output", "plain.txt", "--metrics", "plain.json", ranks=2, cwd=self.work)
        self.run_well("pregel", *job, "--output", "slow.txt", "--metrics", "m.json", "--timeline", "t.json",
                      "--straggler", "1:40", ranks=2, cwd=self.work)
        self.assertTrue((self.work / "plain.txt").read_bytes() == (self.work / "slow.txt").read_bytes())
        rows, metrics = rows_of(self.work / "t.json"), read_json(self.work / "m.json")
        self.assertGreater(seconds_of(rows[1, 0], "compute"), 3 * seconds_of(rows[0, 0], "compute"))
        self.assertGreater(seconds_of(rows[0, 0], "wait"), seconds_of(rows[1, 0], "wait"))
        self.assertEqual(metrics["stamp"]["straggler"], ["1:40"])
        self.assertGreater(metrics["imbalance"], 1.4)  # of two ranks at most 2
        self.assertNotIn("straggler", read_json(self.work / "plain.json")["stamp"])

    def test_refusals(self):
        job = ["wcc", "--generate", "chain:n=9", "--straggler"]
        number = "the factor has to be a number from 1 to 1e6"
        self.expect_refusal([*job, "2:4"], "--straggler 2:4: there is no rank 2: they are 0 to 1", ranks=(2,))
        self.expect_refusal([*job, "1:4"], "--straggler 1:4: there is no rank 1: the only one is 0", ranks=(1,))
        for factor in "0.5", "nan", "inf", "-2", "1e300":
            self.expect_refusal([*job, f"0:{factor}"], f"--straggler 0:{factor}: {number}")
        for text in "0", "0:", ":2", "a:2", "0:x", "-1:2":
            self.expect_refusal([*job, text], re.compile(r"--straggler.*(RANK:FACTOR is wanted, as in 3:4|requires)"))
        self.expect_refusal([*job, "0:2", "--straggler", "0:3"], "--straggler 0:3: rank 0 has a factor already")


if __name__ == "__main__":
    main()
