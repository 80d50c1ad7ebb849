"""Lists of algorithms on one loaded graph (--then): the bytes of separate runs, the metrics of each, what is refused."""

import pathlib
import random
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "bad_input"))

from refusals import RefusalTest  # noqa: E402
from superstep_cli import main, read_csv, read_json  # noqa: E402

# Name -> words; the graphs that they need differ, but for those of pagerank, ppr and walk.
JOBS = {
    "pagerank": ["pagerank", "--iterations", "8"],
    "wcc": ["wcc"],
    "triangles": ["triangles"],
    "sssp": ["sssp", "--source", "3"],
    "bc": ["bc", "--source", "5"],
    "ppr": ["ppr", "--source", "3", "--iterations", "4", "--damping", "0.5"],
    "walk": ["random-walk", "--iterations", "3", "--seed", "9"],
}
CHAIN = ["--generate", "chain:n=10"]


def then(*words):
    return ["--then", " ".join(map(str, words))]


class Lists(RefusalTest):

    def write_graph(self):
        """Directed, weighted, with loops and repeats."""
        numbers = random.Random(5)
        lines = [f"{numbers.randrange(300)} {numbers.randrange(300)} {numbers.randrange(1, 40) / 8}" for _ in range(1500)]
        self.write("graph.txt", "\n".join([*lines, "3 5 1.5", "3 5 0.5", "5 5 1"]) + "\n")
        return ["--graph", "graph.txt", "--weighted", "--quiet"]

    def test_bytes_of_separate_runs(self):
        graph = self.write_graph()
        for name, words in JOBS.items():
            self.run_well("pregel", *words, *graph, "--output", f"{name}.alone", cwd=self.work)
        for ranks in 1, 2, 3:
            names = list(JOBS)
            if ranks == 2:
                names.reverse()
            lists = [word for name in names[1:] for word in then(*JOBS[name], "--output", f"{name}.{ranks}")]
            first = names[0]
            self.run_well("pregel", *JOBS[first], *graph, "--output", f"{first}.{ranks}", *lists, "--metrics",
                          f"{ranks}.json", "--threads", 1 + ranks % 2, ranks=ranks, cwd=self.work)
            for name in names:
                alone, listed = (self.work / f"{name}.{kind}" for kind in ("alone", ranks))
                self.assertTrue(alone.read_bytes())
                self.assertTrue(alone.read_bytes() == listed.read_bytes(), f"{name} on {ranks} ranks")
            document = read_json(self.work / f"{ranks}.json")
            self.assertEqual([document["algorithm"]] + [entry["algorithm"] for entry in document["then"]],
                             [JOBS[name][0] for name in names])

    def test_metrics_screen_and_what_is_inherited(self):
        numbers = random.Random(6)
        self.write("graph.txt", "".join(f"{numbers.randrange(60)} {numbers.randrange(60)}\n" for _ in range(200)))
        self.write("sources.txt", "1\n2\n")
        finished = self.run_well(
            "pregel", "pagerank", "--graph", "graph.txt", "--undirected", "--iterations", 3, "--top", 2, "--metrics",
            "m.json", *then("wcc", "--trace", "t.csv", "--top", 0), *then("pagerank", "--tolerance", 1e-3),
            *then("bfs", "--sources", "sources.txt"), *then("bc", "--source", 1), ranks=2, cwd=self.work)
        # Undirected: all but bc, which wants neighbours as a set, run on one graph.
        self.assertIn("2 graphs in memory: pagerank wcc pagerank bfs | bc\n", finished.out)
        document = read_json(self.work / "m.json")
        self.assertEqual(document["supersteps"], 4)
        second, third, fourth, fifth = document["then"]
        self.assertEqual(len(read_csv(self.work / "t.csv")), second["supersteps"])
        self.assertNotEqual(third["supersteps"], 4)
        self.assertEqual([run["source"] for run in fourth["runs"]], ["1", "2"])
        self.assertNotIn("source", fifth["runs"][0])
        for entry in document["then"]:
            self.assertGreater(entry["run_seconds"], 0)
            self.assertEqual(len(entry["per_superstep"]), entry["supersteps"])
            self.assertEqual(entry["vertices"], document["vertices"])
            self.assertNotIn("stamp", entry)
        self.assertLess(fifth["edges"], document["edges"])
        top = [line for line in finished.out.splitlines() if re.fullmatch(r"  \d+ +\S+", line)]
        self.assertEqual(len(top), 2 * 4, finished.out)  # --top 2, inherited by all but wcc

    def test_quotes(self):
        self.run_well("pregel", "wcc", *CHAIN, *then("degree", "--output", "'two words.txt'"),
                      *then("degree", "--output", "it's.txt", "--trace=a'b.csv"), cwd=self.work)
        self.assertEqual({path.name for path in self.work.iterdir()}, {"two words.txt", "it's.txt", "a'b.csv"})

    def test_no_list_no_field(self):
        self.run_well("pregel", "wcc", *CHAIN, "--metrics", "m.json", cwd=self.work)
        self.assertNotIn("then", read_json(self.work / "m.json"))

    def test_refusals(self):
        job = ["wcc", *CHAIN, "--output", "r.txt"]
        for words, reason in (
                (["bfs"], r'^--then "bfs": bfs needs either --source ID or --sources FILE'),
                (["wcc", "--iterations", "3"], r'^--then "wcc --iterations 3": --iterations does not go with wcc'),
                (["best"], r"""^--then "best": unknown algorithm 'best'; known: """),
                (["wcc", "--frobnicate"], r'^--then "wcc --frobnicate": .*not expected: --frobnicate'),
                (["wcc", "--seed", "x"], r'^--then "wcc --seed x": --seed'),
                (["wcc", "--threads", "2"], r"--threads is for the whole job; it does not go into a --then$"),
                (["wcc", "--weighted"], r"--weighted is for the whole job"),
                (["wcc", "--graph=g.txt"], r"--graph is for the whole job"),
                (["wcc", "--metrics", "m.json"], r"--metrics is for the whole job"),
                (["wcc", "--resume"], r"--resume is for the whole job"),
                (["wcc", "--help"], r"--help is for the whole job"),
                (["wcc", "--output", "r.txt"], r"^--output and --output of a --then name the same file, r.txt"),
                (["wcc", "--output", "/dev/null"], r"^cannot write /dev/null: results need a regular file"),
                (["bfs", "--source", "77"], r"^source vertex 77 does not exist in chain:n=10"),
                (["wcc", "--output", "'a"], r"""^--then "wcc --output 'a": the quote ' in 'a is not closed$"""),
                (["wcc", '--output="a b'], r"""the quote " in "a b is not closed$"""),
                (["wcc", "--output", r"'a\'"], r"""the quote ' in 'a\\' is not closed$"""),
                (["--top", "3"], r'^--then "--top 3": algorithm is required'),
        ):
            with self.subTest(words):
                self.expect_refusal([*job, *then(*words)], re.compile(reason))
        self.expect_refusal([*job, "--then", ""], re.compile("^--then: the value is empty"))
        self.expect_refusal([*job, *then("wcc", "--output", "s.txt"), *then("degree", "--output", "./s.txt")],
                            "--output of a --then and --output of a --then name the same file, ./s.txt")
        self.expect_refusal([*job, *then("degree"), "--checkpoint-dir", "saved"],
                            "checkpoints are of one run; leave --then out")


if __name__ == "__main__":
    main()
