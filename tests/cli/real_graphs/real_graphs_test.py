"""Published graphs with published answers: the Graphalytics examples, ego-Facebook, and the GR-QC collaborations."""

import collections
import math
import unittest
from fractions import Fraction

from superstep_cli import CliTest, main, read_json, read_results, real_data

GRAPHS = real_data() / "graphs" if real_data() else None
RANKS = (1, 2, 4)
MORE_RANKS = (1, 2, 3, 4, 7)


def properties(name):
    """The parameters of a Graphalytics graph: "bfs.source-vertex" and so on."""
    prefix = f"graph.{name}."
    found = {}
    for line in (GRAPHS / f"{name}.properties").read_text(encoding="utf-8").splitlines():
        if line.startswith(prefix) and "=" in line:
            key, value = line[len(prefix):].split("=", 1)
            found[key.strip()] = value.strip()
    return found


@unittest.skipUnless(GRAPHS and (GRAPHS / "example-directed.e").exists(), "no Graphalytics examples here")
class Graphalytics(CliTest):

    def results_of(self, algorithm, name, options, ranks):
        output = self.work / "results.txt"
        self.run_well("pregel", algorithm, "--graph", GRAPHS / f"{name}.e", *options, "--output", output, "--quiet",
                      ranks=ranks)
        return read_results(output)

    def for_each(self, algorithm, suffix, options_of, compare):
        for name in ("example-directed", "example-undirected"):
            wanted = read_results(GRAPHS / f"{name}-{suffix}")
            for ranks in RANKS:
                with self.subTest(graph=name, ranks=ranks):
                    found = self.results_of(algorithm, name, options_of(properties(name)), ranks)
                    self.assertEqual(sorted(found), sorted(wanted))
                    compare(found, wanted)

    def close(self, found, wanted):
        """Equal within a relative 1e-4, as Graphalytics compares; infinity only equals itself."""
        for vertex, text in wanted.items():
            a, b = float(found[vertex]), float(text)
            self.assertTrue(a == b or math.isclose(a, b, rel_tol=1e-4), f"vertex {vertex}: {a}, wanted {b}")

    def same_components(self, found, wanted):
        """Labels may be renamed, one for one."""
        pairs = {(found[v], wanted[v]) for v in wanted}
        self.assertEqual(len(pairs), len({a for a, _ in pairs}))
        self.assertEqual(len(pairs), len({b for _, b in pairs}))

    def test_bfs(self):
        self.for_each("bfs", "BFS", lambda p: ("--source", p["bfs.source-vertex"]), self.assertEqual)

    def test_pagerank(self):
        self.for_each("pagerank", "PR", lambda p: ("--iterations", p["pr.num-iterations"], "--damping",
                                                   p["pr.damping-factor"]), self.close)

    def test_wcc(self):
        self.for_each("wcc", "WCC", lambda p: (), self.same_components)

    def test_cdlp(self):
        self.for_each("cdlp", "CDLP", lambda p: ("--iterations", p["cdlp.max-iterations"]), self.assertEqual)

    def test_lcc(self):
        self.for_each("lcc", "LCC", lambda p: (), self.close)

    def test_sssp(self):
        self.for_each("sssp", "SSSP", lambda p: ("--weighted", "--source", p["sssp.source-vertex"]), self.close)


class SocialNetworks(CliTest):

    def check_triangles(self, name, triangles, mean_clustering):
        """The files as they are: loops and repeats are not counted."""
        graph = GRAPHS / name if GRAPHS else None
        if not (graph and graph.exists()):
            self.skipTest(f"{name} is not here")
        for ranks in MORE_RANKS:
            output, metrics = self.work / "results.txt", self.work / "metrics.json"
            arguments = ("--graph", graph, "--undirected", "--output", output, "--metrics", metrics, "--quiet")
            self.run_well("pregel", "triangles", *arguments, ranks=ranks)
            self.assertEqual(read_json(metrics)["aggregates"]["triangles"], triangles)
            self.assertEqual(sum(map(int, read_results(output).values())), 3 * triangles)
            self.run_well("pregel", "lcc", *arguments, ranks=ranks)
            self.assertEqual(round(read_json(metrics)["aggregates"]["mean_clustering"], 6), mean_clustering)

    def check(self, name, vertices, edges, components, largest):
        """`edges`: without loops and repeats."""
        graph = GRAPHS / name if GRAPHS else None
        if not (graph and graph.exists()):
            self.skipTest(f"{name} is not here")
        for ranks in MORE_RANKS:
            output, metrics = self.work / "components.txt", self.work / "metrics.json"
            self.run_well("pregel", "wcc", "--graph", graph, "--undirected", "--self-loops", "drop", "--multi-edges",
                          "drop", "--output", output, "--metrics", metrics, "--quiet", ranks=ranks)
            told = read_json(metrics)
            self.assertEqual((told["vertices"], told["edges"]), (vertices, edges))
            labels = list(read_results(output).values())
            sizes = {label: labels.count(label) for label in set(labels)}
            self.assertEqual(len(labels), vertices)
            self.assertEqual((len(sizes), max(sizes.values())), (components, largest))

    def check_structure(self, name, largest_core, components):
        graph = GRAPHS / name if GRAPHS else None
        if not (graph and graph.exists()):
            self.skipTest(f"{name} is not here")
        for ranks in MORE_RANKS:
            with self.subTest(ranks=ranks):
                cores = self.result_of("kcore", graph, ranks)
                self.assertEqual(max(int(core) for core in cores.values()), largest_core)
                self.assertEqual(len(set(self.result_of("scc", graph, ranks).values())), components)
                metrics = self.work / "metrics.json"
                self.run_well("pregel", "msf", "--graph", graph, "--undirected", "--metrics", metrics, "--quiet",
                              ranks=ranks)
                self.assertEqual(read_json(metrics)["aggregates"]["forest_edges"], len(cores) - components)

    def result_of(self, algorithm, graph, ranks):
        output = self.work / "results.txt"
        self.run_well("pregel", algorithm, "--graph", graph, "--undirected", "--output", output, "--quiet", ranks=ranks)
        return read_results(output)

    def test_modularity_of_facebook(self):
        """Of the communities that were written, by its definition in rationals; the same bits on every number of ranks."""
        graph = GRAPHS / "facebook_combined.txt" if GRAPHS else None
        if not (graph and graph.exists()):
            self.skipTest("facebook_combined.txt is not here")
        edges = [line.split() for line in graph.read_text(encoding="utf-8").splitlines()]
        told = set()
        for ranks in MORE_RANKS:
            output, metrics = self.work / "results.txt", self.work / "metrics.json"
            self.run_well("pregel", "cdlp", "--graph", graph, "--undirected", "--output", output, "--metrics", metrics,
                          "--quiet", ranks=ranks)
            told.add(read_json(metrics)["aggregates"]["modularity"])
        community = read_results(output)
        inside = sum(community[u] == community[v] for u, v in edges)
        ends = collections.Counter(community[vertex] for edge in edges for vertex in edge)
        wanted = Fraction(inside, len(edges)) - Fraction(sum(n * n for n in ends.values()), (2 * len(edges)) ** 2)
        self.assertEqual(len(told), 1)
        self.assertAlmostEqual(told.pop(), float(wanted), places=14)

    def test_structure_of_facebook(self):
        self.check_structure("facebook_combined.txt", 115, 1)

    def test_structure_of_collaborations(self):
        self.check_structure("ca-GrQc.txt", 43, 355)

    def test_facebook(self):
        self.check("facebook_combined.txt", 4039, 88234, 1, 4039)
        self.check_triangles("facebook_combined.txt", 1612010, 0.605547)

    def test_collaborations(self):
        self.check("ca-GrQc.txt", 5242, 14484, 355, 4158)
        self.check_triangles("ca-GrQc.txt", 48260, 0.529636)


if __name__ == "__main__":
    main()
