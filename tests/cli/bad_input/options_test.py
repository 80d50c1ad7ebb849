"""Command lines that make no sense, and the ones that only ask for help."""

import re

from refusals import ALL_RANKS, OUTPUTS, RefusalTest
from superstep_cli import main

CHAIN = ["--generate", "chain:n=10"]


class Pregel(RefusalTest):

    def expect(self, arguments, reason, **options):
        self.write("graph.txt", "1 2\n2 3\n")
        self.expect_refusal([*arguments, *OUTPUTS], reason, **options)

    def test_unknown_words(self):
        self.expect(["pagerank", *CHAIN, "--frobnicate", "3"], re.compile("--frobnicate"), ranks=ALL_RANKS)
        self.expect(["pagerank", *CHAIN, "bfs"], "not expected: bfs (see pregel --help)")
        self.expect(["pagerank", *CHAIN, "--iteration", "5"],
                    "not expected: --iteration 5; did you mean --iterations? (see pregel --help)")
        self.expect(["pagerank", *CHAIN, "two\nlines"], "not expected: two lines (see pregel --help)")
        self.expect(["pagerank", *CHAIN, "--colour=red"], "not expected: --colour=red (see pregel --help)")
        self.expect(["page-rank", *CHAIN], re.compile("^unknown algorithm 'page-rank'; known: pagerank, "))
        self.expect(CHAIN, re.compile("^algorithm is required"))
        self.expect(["pagerank", *CHAIN, "--variant", "best"],
                    "--variant best: pagerank has standard, textbook, local-halt")
        self.expect(["bfs", *CHAIN, "--source", "1", "--variant", "textbook"], "--variant textbook: bfs has standard")
        for option, word in (("--partition", "metis"), ("--format", "excel"), ("--ids", "uuid"), ("--combiner", "maybe"),
                             ("--mode", "fast"), ("--self-loops", "some"), ("--multi-edges", "some")):
            self.expect(["pagerank", "--graph", "graph.txt", option, word], re.compile(f"{option}.*{word}"))

    def test_numbers_out_of_range(self):
        for option, value in (("--threads", "0"), ("--threads", "-1"), ("--threads", "two"), ("--threads", "99999"),
                              ("--repeat", "0"), ("--repeat", "1.5"), ("--damping", "2"), ("--damping", "-0.1"),
                              ("--damping", "nan"), ("--damping", "much"), ("--tolerance", "-1"),
                              ("--tolerance", "nan"), ("--tolerance", "inf"), ("--iterations", "-1"),
                              ("--iterations", "many"), ("--iterations", "1e30"), ("--max-supersteps", "0"),
                              ("--max-supersteps", "-5"), ("--seed", "-1"), ("--seed", "x"), ("--top", "-1")):
            with self.subTest(f"{option}={value}"):
                self.expect(["pagerank", *CHAIN, f"{option}={value}"], re.compile(option))

    def test_options_that_need_a_value(self):
        for option in ("--graph", "--generate", "--threads", "--source"):
            with self.subTest(option):
                self.expect_refusal(["bfs", option], re.compile(f"{option}.*required|{option} requires"))

    def test_empty_values(self):
        for option in ("--graph", "--generate", "--vertices", "--source", "--sources", "--values", "--output",
                       "--metrics", "--trace", "--trace-vertices"):
            with self.subTest(option):
                self.expect_refusal(["bfs", option, ""], re.compile(f"^{option}: the value is empty"))

    def test_input(self):
        either = "give either --graph FILE or --generate SPEC"
        self.expect(["pagerank", "--graph", "graph.txt", *CHAIN], either)
        self.expect(["pagerank"], either)
        self.expect(["pagerank", "--graph", "graph.txt", "--directed", "--undirected"],
                    re.compile("--directed|--undirected"))
        describe_files = "--vertices, --format, --columns and --ids describe files; they do not go with --generate"
        for words in ["--columns", "a,b"], ["--ids", "string"], ["--format", "edgelist"], ["--vertices", "v.txt"]:
            self.expect(["pagerank", *CHAIN, *words], describe_files)
        self.expect(["wcc", "--graph", "graph.txt", "--format", "edgelist", "--vertices", "g.v"],
                    "--vertices goes with the Graphalytics format; leave --format edgelist out")

    def test_options_of_other_algorithms(self):
        self.expect(["pagerank", *CHAIN, "--source", "1"],
                    "pagerank has no source; leave --source and --sources out")
        self.expect(["bfs", *CHAIN], "bfs needs either --source ID or --sources FILE")
        self.expect(["bfs", *CHAIN, "--source", "1", "--sources", "s.txt"],
                    "bfs needs either --source ID or --sources FILE")
        self.expect(["bc", *CHAIN, "--source", "1", "--sources", "s.txt"],
                    "give either --source ID or --sources FILE")
        for option in "--p", "--q":
            self.expect(["wcc", *CHAIN, option, "2"], f"{option} does not go with wcc; it is for random-walk")
        for option in "--layers", "--width", "--sample":
            self.expect(["wcc", *CHAIN, option, "2"], f"{option} does not go with wcc; it is for gcn")
        self.expect(["gcn", *CHAIN, "--sample", "2"], "--sample goes with --variant sage only")
        self.expect(["gcn", *CHAIN, "--variant", "textbook"], "--variant textbook: gcn has standard, sage")
        sssp = ["sssp", *CHAIN, "--source", "1"]
        for option in ["--iterations", "5"], ["--damping", "0.5"], ["--tolerance", "0.1"]:
            self.expect([*sssp, *option], re.compile(f"^{option[0]} does not go with sssp; it is for pagerank"))
        self.expect([*sssp, "--parents"], re.compile("^--parents does not go with sssp; it is for bfs"))
        self.expect([*sssp, "--values", "v.txt"], re.compile("^--values does not go with sssp; it is for gcn, aggregate"))
        self.expect(["pagerank", *CHAIN, "--iterations", "3", "--variant", "textbook"],
                    "--iterations goes with --variant standard only; use --max-supersteps with textbook")
        self.expect(["pagerank", *CHAIN, "--iterations", "3", "--tolerance", "0.1"],
                    "give either --iterations or --tolerance: one of them ends the run")
        self.expect(["pagerank", *CHAIN, "--tolerance", "0"],
                    "--tolerance 0 is never reached, as roundings go on for ever; give --max-supersteps too")

    def test_source_outside_a_generated_graph(self):
        self.expect(["bfs", *CHAIN, "--source", "10"], "source vertex 10 does not exist in chain:n=10")

    def test_one_run_traces(self):
        self.expect(["bfs", *CHAIN, "--source", "1", "--repeat", "2", "--trace", "t.csv"],
                    "--trace and --trace-vertices describe one run; leave --repeat and --sources out")

    def test_progress_and_quiet(self):
        self.expect(["wcc", *CHAIN, "--progress", "--quiet"], re.compile("--progress|--quiet"))

    def test_mode_that_is_not_built(self):
        self.expect(["wcc", *CHAIN, "--mode", "async"],
                    "--mode async is not built yet; --mode sync gives the same results")


GENERATORS = {
    "blob:n=3": "unknown generator 'blob'",
    "kron": "needs scale=",
    "kron:scale": "'scale' is not of the form key=value",
    "kron:scale=": "scale=: the value is missing",
    "kron:scale=99": "scale=99: at most 40 is supported",
    "kron:scale=-1": "scale=-1: not a whole number",
    "kron:scale=4,scale=5": "scale=5: given twice",
    "kron:scale=4,": "ends with a comma",
    "kron:scale=4,a=0.9,b=0.9": "exceeds 1",
    "kron:scale=4,a=nan": "a=nan: must lie between 0 and 1",
    "er:n=10": "needs edges=",
    "er:n=0,edges=5": "a graph without vertices has no edges",
    "er:n=10,edges=1.5": "edges=1.5: not a whole number",
    "er:n=99999999999999999999,edges=1": "too large for 64 bits",
    "grid:rows=1e10,cols=1e10": "would not fit into 64 bits",
    "smallworld:n=10,k=3": "k=3: must be even",
    "smallworld:n=4,k=4": "k=4: must be below n=4",
    "smallworld:n=10,k=2,p=1.5": "p=1.5: must lie between 0 and 1",
    "chain:n=5,colour=red": "unknown key 'colour' (known: n, seed, weights)",
    "chain:n=5,weights=heavy": "weights=heavy: int or real",
    # What no machine holds is refused before anything is made.
    "chain:n=1e15": "vertices are too many for",
    "kron:scale=40": "vertices are too many for",
    "er:n=10,edges=1e15": "listing 1000000000000000 edges takes",
}


class Generators(RefusalTest):

    def test_pregel(self):
        for spec, reason in GENERATORS.items():
            if reason:
                with self.subTest(spec):
                    self.expect_refusal(["wcc", "--generate", spec, *OUTPUTS],
                                        re.compile(f"^generator '{re.escape(spec)}': .*{re.escape(reason)}"))

    def test_number_of_ranks_is_not_told(self):
        self.expect_refusal(["wcc", "--generate", "kron:scale=99", *OUTPUTS],
                            "generator 'kron:scale=99': scale=99: at most 40 is supported", ranks=ALL_RANKS)

    def test_graphgen(self):
        for spec in "blob:n=3", "kron:scale=99", "er:n=10,edges=1e15", "smallworld:n=4,k=4":
            with self.subTest(spec):
                self.expect_refusal([spec, "--output", "graph.txt"],
                                    re.compile(f"^generator '{re.escape(spec)}': .*{re.escape(GENERATORS[spec])}"),
                                    program="graphgen")


class Graphgen(RefusalTest):

    def test_options(self):
        for arguments, reason in (
                (["chain:n=3"], "--output is required"),
                (["--output", "g.txt"], "SPEC is required, or --convert IN OUT"),
                (["chain:n=3", "--output", "g.txt", "--frobnicate"], "--frobnicate"),
                (["chain:n=3", "--output", "g.txt", "--threads", "0"], "--threads"),
                (["chain:n=3", "--output", "g.txt", "--vertices", "g.txt"], "name the same file"),
                (["chain:n=3", "--output", "g.txt", "--vertices", "./g.txt"], "name the same file"),
                (["chain:n=3", "--output", "/dev/null"], "cannot write /dev/null: graphs need a regular file"),
                (["chain:n=3", "--output", "absent/g.txt"], "cannot write absent/g.txt: No such file or directory"),
                (["chain:n=3", "--output", "."], "cannot write .: Is a directory"),
                (["chain:n=3", "--output", "g.txt", "--old-ids", "old.txt"], "it goes with --relabel degree"),
                (["chain:n=3", "--output", "g.txt", "--relabel", "degree", "--old-ids", "absent/old.txt"],
                 "cannot write absent/old.txt"),
                (["chain:n=3", "--output", "g.txt", "--relabel", "degree", "--old-ids", "/dev/full"],
                 "cannot write /dev/full: results need a regular file"),
                (["chain:n=3", "--output", "g.txt", "--old-ids", ""], "--old-ids: the value is empty"),
                (["chain:n=3", "--output", "g.metis", "--directed", "--old-ids", "old.txt"], "METIS's format are undirected"),
                (["chain:n=3", "--output", "g.e", "--relabel", "degree", "--old-ids", "g.v"],
                 "the vertices of OUT and --old-ids name the same file, g.v"),
                (["--convert", "in.e", "g.txt", "--vertices", "in.v"],
                 "the vertices of IN and --vertices name the same file, in.v"),
        ):
            with self.subTest(arguments):
                self.expect_refusal(arguments, re.compile(re.escape(reason)), program="graphgen")


class Help(RefusalTest):

    def test_printed_once(self):
        for program in "pregel", "graphgen":
            for ranks in 1, 3:
                finished = self.run_well(program, "--help", ranks=ranks)
                self.assertEqual(finished.out.count("Usage:"), 1, str(finished))
                self.assertEqual(finished.err.strip(), "", str(finished))

    def test_names_every_algorithm(self):
        text = self.run_well("pregel", "--help").out
        for name in "pagerank", "sssp", "bfs", "wcc", "aggregate":
            self.assertRegex(text, f"(?m)^ +{name} ")

    def test_version(self):
        self.assertRegex(self.run_well("pregel", "--version", ranks=3).out, r"\Apregel \d+\.\d+\.\d+\n\Z")


if __name__ == "__main__":
    main()
