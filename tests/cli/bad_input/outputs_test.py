"""Files that cannot be written, and what is said on standard error while all is well."""

import contextlib
import os
import re
import subprocess

from refusals import RefusalTest, our_lines
from superstep_cli import main, run

TARGETS = ("--output", "--metrics", "--trace", "--trace-vertices")
SMALL = ["wcc", "--generate", "chain:n=20"]
FULL = 60_000  # vertices whose results do not fit into the file system below, as text or as HDF5


class Targets(RefusalTest):

    def test_directory_that_does_not_exist(self):
        for option in TARGETS:
            self.expect_refusal([*SMALL, option, "absent/file.txt"],
                                "cannot write absent/file.txt: No such file or directory")

    def test_directory_instead_of_a_file(self):
        (self.work / "results").mkdir()
        for option in TARGETS:
            self.expect_refusal([*SMALL, option, "results"], "cannot write results: Is a directory")

    def test_file_instead_of_a_directory(self):
        self.write("results", "")
        self.expect_refusal([*SMALL, "--output", "results/r.txt"], "cannot write results/r.txt: Not a directory")

    def test_directory_that_is_not_writable(self):
        (self.work / "results").mkdir(mode=0o555)
        with self.not_root() as options:
            self.expect_refusal([*SMALL, "--output", "results/r.txt"], "cannot write results/r.txt: Permission denied",
                                **options)

    def test_results_need_a_regular_file(self):
        self.expect_refusal([*SMALL, "--output", "/dev/null"], "cannot write /dev/null: results need a regular file, "
                            "which all ranks write")
        self.run_well("pregel", *SMALL, "--metrics", "/dev/null", "--trace", "/dev/null")

    def test_two_uses_of_one_file(self):
        self.write("graph.txt", "1 2\n")
        self.expect_refusal([*SMALL, "--output", "r.txt", "--metrics", "./r.txt"],
                            "--output and --metrics name the same file, ./r.txt")
        (self.work / "link.txt").symlink_to("graph.txt")
        for name in "graph.txt", "link.txt":
            self.expect_refusal(["wcc", "--graph", "graph.txt", "--output", name],
                                f"--graph and --output name the same file, {name}")
        self.assertEqual((self.work / "graph.txt").read_text(), "1 2\n")

    def test_the_vertices_beside_a_graph_are_not_overwritten(self):
        self.write("g.e", "1 2\n")
        self.write("g.v", "1\n2\n3\n")
        self.expect_refusal(["wcc", "--graph", "g.e", "--output", "g.v"],
                            "the vertices of --graph and --output name the same file, g.v")

    def test_a_source_that_does_not_exist_leaves_no_table_of_ids(self):
        self.write("graph.txt", "1 2\n")
        self.expect_refusal(["bfs", "--source", "99", "--graph", "graph.txt", "--relabel", "degree", "--old-ids", "old.txt"],
                            "source vertex 99 does not exist in graph.txt")

    def test_old_results_outlive_a_refusal(self):
        self.write("r.txt", "old\n")
        self.expect_refusal(["wcc", "--graph", "absent.txt", "--output", "r.txt"],
                            "cannot open absent.txt: No such file or directory")
        self.assertEqual((self.work / "r.txt").read_text(), "old\n")


class FullDisk(RefusalTest):
    """A file system of a few pages: a run that fails, not a mistake in the input, so exit code 1."""

    @contextlib.contextmanager
    def small_file_system(self):
        if os.geteuid() != 0:
            self.skipTest("only root can mount a small file system")
        place = self.work / "full"
        place.mkdir()
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", place], check=False,
                                 capture_output=True, text=True)
        if mounted.returncode != 0:
            self.skipTest(f"mounting is not allowed here: {mounted.stderr.strip()}")
        try:
            yield place
        finally:
            subprocess.run(["umount", place], check=True)

    def expect_full(self, arguments, name, **options):
        """On a single rank no rank is named."""
        reason = rf"^cannot write full/{name}: No space left on device"
        self.expect_refusal(arguments, re.compile(reason + "$"), ranks=(1,), code=1, **options)
        self.expect_refusal(arguments, re.compile(reason + r" \(on rank \d\)$"), ranks=(4,), code=1, **options)

    def test_results(self):
        with self.small_file_system():
            for name in "r.txt", "r.h5":
                self.expect_full(["wcc", "--generate", f"star:n={FULL}", "--output", f"full/{name}"], name)

    def test_metrics(self):
        with self.small_file_system():
            self.expect_full(["bfs", "--generate", "chain:n=2000", "--source", "0", "--metrics", "full/m.json"],
                             "m.json")

    def test_traces(self):
        with self.small_file_system():
            run_it = ["bfs", "--generate", "chain:n=2000", "--source", "0"]
            self.expect_full([*run_it, "--trace", "full/t.csv"], "t.csv")
            self.expect_full(["wcc", "--generate", "star:n=5000", "--trace-vertices", "full/v.csv"], "v.csv")

    def test_generated_graph(self):
        with self.small_file_system():
            self.expect_full([f"star:n={FULL}", "--output", "full/g.txt"], "g.txt", program="graphgen")


class Progress(RefusalTest):

    def test_line_on_request(self):
        for ranks in 1, 3:
            finished = self.run_well("pregel", *SMALL, "--progress", ranks=ranks)
            self.assertRegex(finished.err, r"superstep \d+  active \d+  messages \d+", str(finished))

    def test_nothing_without_a_terminal(self):
        finished = self.run_well("pregel", *SMALL, ranks=3)
        self.assertEqual(finished.err.strip(), "")
        self.assertEqual(len(finished.out.splitlines()), 3, finished.out)  # the graph, where ranks run, the run

    def test_quiet(self):
        finished = self.run_well("pregel", *SMALL, "--quiet", "--output", self.work / "r.txt", ranks=3)
        self.assertEqual((finished.out.strip(), finished.err.strip()), ("", ""))
        finished = run("pregel", "wcc", "--graph", "absent.txt", "--quiet", ranks=3)
        self.assertEqual((finished.code, len(our_lines(finished.err))), (2, 1), str(finished))


if __name__ == "__main__":
    main()
