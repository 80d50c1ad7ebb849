"""--dry-run tells what a job takes and does nothing; a job that cannot fit is refused before it loads."""

import gzip
import itertools
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "bad_input"))

from refusals import OUTPUTS, RefusalTest  # noqa: E402
from superstep_cli import main, read_json, run  # noqa: E402

UNITS = {"MB": 1e6, "GB": 1e9}


def bytes_of(text, head):
    """What follows `head` on its line, in bytes."""
    number, unit = re.search(rf"{head} +([\d.]+) (MB|GB)", text).groups()
    return float(number) * UNITS[unit]


class DryRun(RefusalTest):

    def dry_run(self, *arguments, **options):
        finished = self.run_well("pregel", *arguments, "--dry-run", cwd=self.work, timeout=30, **options)
        self.assertEqual(finished.err.strip(), "", str(finished))
        return finished.out

    def test_what_no_machine_holds_is_only_told(self):
        text = self.dry_run("pagerank", "--generate", "kron:scale=36", "--iterations", 20, "--then", "wcc --output w.txt",
                            "--then", "wcc --variant textbook", "--then", "bc --source 1", "--then", "triangles", "--output",
                            "r.txt", "--metrics", "m.json", ranks=3)
        self.assertEqual(list(self.work.iterdir()), [])
        self.assertIn("graph: 68719476736 vertices, 1099511627776 edges listed, undirected (from the generator's formula)",
                      text)
        self.assertGreater(bytes_of(text, "at most"), 10 * 2**40 / 3)
        self.assertRegex(text, r"\n  pagerank .*21 supersteps\)\n")
        self.assertRegex(text, r"\n  wcc +\?  \(depends on more than the size\)\n")
        self.assertRegex(text, r"\n  bc +\d+ s  \(2.8 ns of a core an arc and source, 1 source\)\n")
        self.assertRegex(text, r"\n  triangles +\d+ s  \(\d+ ns of a core an arc\)\n")

    def test_every_algorithm_has_a_time(self):
        """Its standard variant at least."""
        known = run("pregel", "nonsense", "--generate", "chain:n=3").err
        names = re.search(r"known: (.*)", known).group(1).split(", ")
        self.assertGreater(len(names), 15)
        first, *others = (f"{name} --source 1" if name in ("bfs", "sssp", "ppr") else name for name in names)
        text = self.dry_run(*first.split(), *itertools.chain(*(("--then", other) for other in others)), "--generate",
                            "kron:scale=16")
        self.assertNotIn("?", text)
        for name in names:
            self.assertRegex(text, rf"\n  {name} +[\d.e-]+ s  \(")
        self.assertEqual(self.dry_run("wcc", "--generate", "er:n=0,edges=0").count("\n"), 11)

    def test_sizes_of_files(self):
        self.run_well("graphgen", "kron:scale=11", "--output", "g.txt", "--vertices", "g.v", cwd=self.work)
        vertices, edges = (sum(not line.startswith("#") for line in (self.work / name).read_text().splitlines())
                           for name in ("g.v", "g.txt"))
        for name in "g.mtx", "g.metis", "g.gr", "g.h5", "g.txt.gz", "g.e":
            if name.endswith(".gz"):
                (self.work / name).write_bytes(gzip.compress((self.work / "g.txt").read_bytes()))
            else:
                self.run_well("graphgen", "--convert", "g.txt", name, "--vertices", "g.v", "--undirected", cwd=self.work)
            text = self.dry_run("wcc", "--graph", name)
            about, found_vertices, found_edges = re.match(
                r"graph: (about )?(\d+) vertices, (?:about )?(\d+) edges listed, ", text).groups()
            # A dimacs file lists both directions of an undirected edge.
            wanted = 2 * edges if name == "g.gr" else edges
            if name in ("g.txt.gz", "g.e"):
                self.assertTrue(about)
                self.assertLess(abs(int(found_edges) - wanted), 0.1 * wanted, name)
                self.assertLess(abs(int(found_vertices) - vertices), 0.3 * vertices, name)
            else:
                self.assertEqual((about, int(found_edges)), (None, wanted), name)
                self.assertGreaterEqual(vertices, int(found_vertices), name)

    def test_large_text_is_sampled(self):
        lines = [f"{i % 5000} {i * 7919 % 60000}\n" for i in range(200000)]
        (self.work / "g.txt").write_text("".join(lines), encoding="utf-8")
        text = self.dry_run("wcc", "--graph", "g.txt", ranks=2)
        vertices, edges = map(int, re.match(r"graph: about (\d+) vertices, about (\d+) edges", text).groups())
        self.assertLess(abs(edges - 200000), 2000)
        self.assertLess(abs(vertices - 60000), 600)

    def test_against_the_real_peak(self):
        job = ["pagerank", "--generate", "er:n=200000,edges=3000000", "--iterations", 3, "--metrics", "m.json"]
        self.run_well("pregel", *job, "--quiet", ranks=2, cwd=self.work)
        metrics = read_json(self.work / "m.json")
        if "-fsanitize" in metrics["stamp"]["build_flags"]:
            self.skipTest("a sanitizer's memory is not ours")
        text = self.dry_run(*job, ranks=2)
        self.assertLess(abs(bytes_of(text, "at most") / metrics["peak_rss_bytes"] - 1), 0.25, text)
        self.assertLess(abs(bytes_of(text, "graph  ") / (metrics["graph_bytes"] / 2) - 1), 0.25, text)

    def test_needs_a_graph(self):
        self.expect_refusal(["wcc", "--dry-run", "--graph", "absent.txt"],
                            re.compile("^cannot open absent.txt: No such file or directory"))
        self.expect_refusal(["wcc", "--dry-run", "--resume", "--checkpoint-dir", "saved"],
                            "--dry-run looks at a graph: give --graph or --generate")


class Limits(RefusalTest):

    def test_a_job_that_cannot_fit_is_refused(self):
        job = ["wcc", "--generate", "kron:scale=22"]
        self.expect_refusal([*job, *OUTPUTS, "--memory-limit", "300M"], re.compile(
            r"^4194304 vertices and 67108864 edges take about [\d.]+ GB on 2 ranks of a machine that has 315 MB available; "
            "take more machines, or --memory-limit off to try$"), ranks=(2,))
        total = int(re.search(r"MemTotal: +(\d+)", pathlib.Path("/proc/meminfo").read_text()).group(1)) * 1024
        self.expect_refusal(["wcc", "--generate", f"er:n=1000,edges={int(0.9 * total / 16)}", *OUTPUTS],
                            re.compile(r" edges take about [\d.]+ GB on 1 rank of a machine"), ranks=(1,))

    def test_limits_that_leave_room(self):
        small = ["wcc", "--generate", "chain:n=100", "--quiet"]
        for limit in "off", "1G", "auto", "900M":
            self.run_well("pregel", *small, "--memory-limit", limit, cwd=self.work)
        self.run_well("pregel", "wcc", "--generate", "er:n=1000,edges=200000", "--quiet", "--memory-limit", "off")
        for limit in "lots", "0", "-1", "12Q", "12MB", "1e9", "99999999999T":
            self.expect_refusal([*small, f"--memory-limit={limit}"],
                                f"--memory-limit {limit}: auto, off or bytes are wanted, as 500M or 12G")


if __name__ == "__main__":
    main()
