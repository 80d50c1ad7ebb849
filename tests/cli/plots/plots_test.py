"""scripts/plots/ of graphs and runs: what they read is what pregel wrote, and they draw it."""

import importlib
import os
import subprocess
import sys

from superstep_cli import CliTest, REPOSITORY, SKIPPED, main

try:
    import h5py  # noqa: F401
    import matplotlib  # noqa: F401
    import numpy
except ImportError:
    if sys.executable != "/usr/bin/python3" and os.access("/usr/bin/python3", os.X_OK):  # Debian's packages are its own
        os.execv("/usr/bin/python3", ["/usr/bin/python3", *sys.argv])
    print("skipped: matplotlib or h5py is missing (Debian: python3-matplotlib python3-h5py)")
    sys.exit(SKIPPED)

PLOTS = REPOSITORY / "scripts/plots"
sys.path.insert(0, str(PLOTS))
degrees = importlib.import_module("degree_distribution")
convergence = importlib.import_module("convergence")

# A loop, a repeated edge, a vertex 9 without edges.
EDGES = "1 2\n1 3\n1 3\n2 3\n4 4\n4 1\n"
VERTICES = "1\n2\n3\n4\n9\n"


class Plots(CliTest):

    def draw(self, script, *arguments):
        return subprocess.run([sys.executable, PLOTS / script, *map(str, arguments)], check=False, capture_output=True,
                              text=True, timeout=60, cwd=self.work)

    def expect_figure(self, script, name, *arguments):
        finished = self.draw(script, *arguments, "--output", "plots")
        self.assertEqual(finished.returncode, 0, finished.stderr)
        self.assertEqual((self.work / f"plots/{name}.png").read_bytes()[:8], b"\x89PNG\r\n\x1a\n")
        return (self.work / f"plots/{name}.svg").read_text(encoding="utf-8")

    def expect_refusal(self, script, reason, *arguments):
        finished = self.draw(script, *arguments, "--output", "none")
        self.assertEqual(finished.returncode, 1)
        self.assertRegex(finished.stderr, rf"\A{script}: {reason}.*\n\Z")
        self.assertFalse((self.work / "none").exists())

    def test_degrees(self):
        (self.work / "g.e").write_text(EDGES, encoding="utf-8")
        (self.work / "g.v").write_text(VERTICES, encoding="utf-8")
        for direction in "--directed", "--undirected":
            self.run_well("pregel", "degree", "--graph", "g.e", direction, "--output", "d.txt", "--quiet", "--then",
                          "degree --output d.h5", ranks=2, cwd=self.work)
            self.run_well("graphgen", "--convert", "g.e", "g.h5", direction, cwd=self.work)
            for column in degrees.COLUMNS:
                text, result, graph = (degrees.degrees_of(self.work / name, column).tolist()
                                       for name in ("d.txt", "d.h5", "g.h5"))
                self.assertEqual(text, result)
                self.assertEqual(text, graph, f"{direction} {column}")
                self.assertEqual(text[-1], 0)
        svg = self.expect_figure("degree_distribution.py", "degree_distribution", "d.txt", "g.h5", "--column",
                                 "in_degree")
        self.assertIn("d: 5 vertices, 1 of degree 0", svg)

    def test_curves_of_degrees(self):
        counted = numpy.array([1, 1, 1, 2, 3, 8])
        at, density = degrees.binned(counted)
        self.assertEqual(density.tolist(), [3, 1, 1 / 8])  # bins 1, 2-3, 8-15
        self.assertEqual(at[0], 1)
        values, counts = degrees.tail(counted)
        self.assertEqual((values.tolist(), counts.tolist()), ([1, 2, 3, 8], [6, 3, 2, 1]))

    def test_convergence(self):
        self.run_well("pregel", "pagerank", "--generate", "kron:scale=7", "--trace", "ranks.csv", "--metrics", "m.json",
                      "--quiet", "--then", "bfs --source 1", ranks=2, cwd=self.work)
        trace, listed = convergence.read(self.work / "ranks.csv"), convergence.read(self.work / "m.json")
        self.assertEqual(list(listed), ["m: 1 pagerank", "m: 2 bfs"])
        for column in "active", "sent":
            self.assertEqual(convergence.line_of(trace["ranks"], column),
                             convergence.line_of(listed["m: 1 pagerank"], column))
        steps, change = convergence.line_of(trace["ranks"], "max_delta")
        self.assertEqual(steps[0], 1)
        self.assertLess(change[-1], 1e-9)
        svg = self.expect_figure("convergence.py", "convergence", "ranks.csv", "m.json")
        for words in "active vertices", "messages sent", "max delta", "m: 2 bfs":
            self.assertIn(words, svg)
        self.assertNotIn("max delta", self.expect_figure("convergence.py", "convergence", "m.json"))

    def test_refusals(self):
        (self.work / "text.txt").write_text("a b\n", encoding="utf-8")
        (self.work / "other.json").write_text("{}", encoding="utf-8")
        (self.work / "other.csv").write_text("x,y\n1,2\n", encoding="utf-8")
        (self.work / "other.h5").write_text("no", encoding="utf-8")
        self.expect_refusal("degree_distribution.py", "cannot read absent.h5", "absent.h5")
        self.expect_refusal("degree_distribution.py", "text.txt: no result of pregel degree", "text.txt")
        self.expect_refusal("degree_distribution.py", "other.h5: ", "other.h5")
        self.expect_refusal("convergence.py", "cannot read absent.csv: No such file", "absent.csv")
        self.expect_refusal("convergence.py", "other.json: no metrics of pregel", "other.json")
        self.expect_refusal("convergence.py", "other.csv: no trace of pregel", "other.csv")
        self.assertIn("usage: convergence.py", self.draw("convergence.py", "--help").stdout)
        self.assertIn("usage: degree_distribution.py", self.draw("degree_distribution.py", "--help").stdout)


if __name__ == "__main__":
    main()
