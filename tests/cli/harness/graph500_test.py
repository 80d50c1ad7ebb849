"""scripts/graph500.sh: a small run passes, and its checks find each way in which a tree can be wrong."""

import importlib.util
import os
import pathlib
import subprocess
import sys
import unittest

from superstep_cli import BIN, CliTest, REPOSITORY, SKIPPED, main

os.environ.setdefault("SUPERSTEP_BIN_DIR", str(BIN))
try:
    import h5py
    import numpy
except ImportError:
    if sys.executable != "/usr/bin/python3" and os.access("/usr/bin/python3", os.X_OK):  # Debian's packages are its own
        os.execv("/usr/bin/python3", ["/usr/bin/python3", *sys.argv])
    print("skipped: numpy or h5py is missing (Debian: python3-numpy python3-h5py)")
    sys.exit(SKIPPED)

spec = importlib.util.spec_from_file_location("graph500", REPOSITORY / "scripts/harness/graph500.py")
graph500 = importlib.util.module_from_spec(spec)
spec.loader.exec_module(graph500)
UNREACHED, NONE = graph500.UNREACHED, 2**64 - 1


class Checks(CliTest):
    """A square 0-1-2-3-0 with a tail 2-5, an edge 7-8 apart; searches from 0."""

    def setUp(self):
        super().setUp()
        path = pathlib.Path(self.work, "graph.h5")
        with h5py.File(path, "w") as file:
            file["ids"] = numpy.array([0, 1, 2, 3, 5, 7, 8], "u8")
            file["offsets"] = numpy.array([0, 2, 3, 5, 5, 5, 6, 6], "u8")
            file["targets"] = numpy.array([1, 3, 2, 3, 5, 8], "u4")
            file["weights"] = numpy.array([0.5, 2.0, 0.5, 0.25, 1.0, 1.0])
        self.graph = graph500.Graph(path)

    def tree(self, depth, parent):
        path = pathlib.Path(self.work, "tree.h5")
        with h5py.File(path, "w") as file:
            file["id"] = self.graph.ids
            file["depth"] = numpy.array(depth, "u8")
            file["parent"] = numpy.array(parent, "u8")
            file["parent"].attrs["none"] = numpy.uint64(NONE)
        graph500.check_bfs(self.graph, path, 0)

    def distances(self, *distance):
        path = pathlib.Path(self.work, "distances.h5")
        with h5py.File(path, "w") as file:
            file["id"], file["distance"] = self.graph.ids, numpy.array(distance)
        graph500.check_sssp(self.graph, path, 0)

    def wrong(self, what, call, *arguments):
        with self.assertRaisesRegex(graph500.Wrong, what):
            call(*arguments)

    def test_bfs(self):
        u = UNREACHED
        self.tree([0, 1, 2, 1, 3, u, u], [0, 0, 1, 0, 2, NONE, NONE])
        self.tree([0, 1, 2, 1, 3, u, u], [0, 0, 3, 0, 2, NONE, NONE])  # another tree
        self.wrong("component", self.tree, [0, 1, 2, 1, u, u, u], [0, 0, 1, 0, NONE, NONE, NONE])
        self.wrong("component", self.tree, [0, 1, 2, 1, 3, 4, u], [0, 0, 1, 0, 2, 5, NONE])
        self.wrong("alone", self.tree, [0, 0, 1, 1, 2, u, u], [0, 0, 1, 0, 2, NONE, NONE])
        self.wrong("level nearer", self.tree, [0, 1, 3, 1, 4, u, u], [0, 0, 1, 0, 2, NONE, NONE])
        self.wrong("no neighbour", self.tree, [0, 1, 2, 1, 2, u, u], [0, 0, 1, 0, 3, NONE, NONE])
        self.wrong("no vertex", self.tree, [0, 1, 2, 1, 3, u, u], [0, 0, 1, 0, 4, NONE, NONE])
        self.wrong("levels more", self.tree, [0, 1, 2, 3, 3, u, u], [0, 0, 1, 2, 2, NONE, NONE])
        self.wrong("has a parent", self.tree, [0, 1, 2, 1, 3, u, u], [0, 0, 1, 0, 2, 0, NONE])

    def test_sssp(self):
        u = float("inf")
        self.distances(0, 0.5, 1, 1.25, 2, u, u)
        self.wrong("shorter", self.distances, 0, 0.5, 1, 2, 2, u, u)
        self.wrong("explains", self.distances, 0, 0.5, 1, 1.25, 1.5, u, u)
        self.wrong("component", self.distances, 0, 0.5, 1, 1.25, u, u, u)
        self.wrong("source", self.distances, 0.1, 0.5, 1, 1.25, 2, u, u)


class Procedure(CliTest):

    def test_a_small_run(self):
        words = [REPOSITORY / "scripts/graph500.sh", "--scale", 8, "--searches", 3, "--results", self.work]
        ended = subprocess.run(list(map(str, words)), capture_output=True, text=True, timeout=50)
        self.assertEqual(ended.returncode, 0, ended.stdout + ended.stderr)
        for line in ("NBFS:", "bfs  harmonic_mean_TEPS:", "sssp  harmonic_stddev_TEPS:", "3 of 3 passed"):
            self.assertIn(line, ended.stdout)


if __name__ == "__main__":
    main()
