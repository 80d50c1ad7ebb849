"""scripts/graphalytics.sh: right results pass, wrong references are found, whatever the rule."""

import os
import subprocess
import unittest

from superstep_cli import BIN, CliTest, REPOSITORY, main

PROPERTIES = """# a path of three vertices, and one apart
graph.small.directed = false
graph.small.algorithms = bfs, cdlp, lcc, pr, sssp, wcc
graph.small.bfs.source-vertex = 1
graph.small.cdlp.max-iterations = 1
graph.small.pr.damping-factor = 0.5
graph.small.pr.num-iterations = 0
graph.small.sssp.source-vertex = 1
"""
REFERENCES = {
    "BFS": "1 0\n2 1\n3 2\n9 9223372036854775807\n",
    "CDLP": "1 2\n2 1\n3 2\n9 9\n",
    "LCC": "1 0.0\n2 0.0\n3 0.0\n9 0.0\n",
    "PR": "1 0.25\n2 0.25001\n3 0.25\n9 0.25\n",
    "SSSP": "1 0.0\n2 0.5\n3 2.0\n9 infinity\n",
    "WCC": "1 7\n2 7\n3 7\n9 8\n",
}


class Graphalytics(CliTest):

    def setUp(self):
        super().setUp()
        self.graphs = self.work / "graphs"
        self.graphs.mkdir()
        self.write("small.properties", PROPERTIES)
        self.write("small.v", "1\n2\n3\n9\n")
        self.write("small.e", "1 2 0.5\n2 3 1.5\n")
        for name, text in REFERENCES.items():
            self.write(f"small-{name}", text)

    def write(self, name, text):
        (self.graphs / name).write_text(text, encoding="utf-8")

    def harness(self, *options):
        words = [REPOSITORY / "scripts/graphalytics.sh", self.graphs, "--results", self.work / "results", *options]
        return subprocess.run(list(map(str, words)), capture_output=True, text=True, timeout=50,
                              env={**os.environ, "SUPERSTEP_BIN_DIR": str(BIN)})

    def test_right_results(self):
        ended = self.harness()
        self.assertEqual(ended.returncode, 0, ended.stdout + ended.stderr)
        self.assertIn("6 of 6 runs as they should be", ended.stdout)
        self.assertEqual(len((self.work / "results/graphalytics.csv").read_text().splitlines()), 7)

    def test_wrong_results_by_each_rule(self):
        for suffix, kernel, wrong in (("BFS", "bfs", "1 0\n2 1\n3 1\n9 9223372036854775807\n"),
                                      ("WCC", "wcc", "1 7\n2 7\n3 8\n9 8\n"),
                                      ("SSSP", "sssp", "1 0.0\n2 0.5\n3 2.001\n9 infinity\n"),
                                      ("PR", "pr", "1 0.25\n2 0.25\n3 0.25\n")):
            self.write(f"small-{suffix}", wrong)
            ended = self.harness("--algorithms", kernel)
            self.assertEqual(ended.returncode, 1, ended.stdout + ended.stderr)
            self.assertIn("WRONG", ended.stdout)

    def test_bad_usage(self):
        for options in (("--algorithms", "bfs nonsense"), ("--graphs", "absent")):
            ended = self.harness(*options)
            self.assertEqual(ended.returncode, 2)
            self.assertIn(options[1].split()[-1], ended.stderr)


main()
