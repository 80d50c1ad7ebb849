"""Files beside the graph: Graphalytics vertex lists and properties, --sources and --values."""

import gzip

from refusals import ALL_RANKS, OUTPUTS, RefusalTest
from superstep_cli import main


class Graphalytics(RefusalTest):

    def test_endpoint_that_is_not_listed(self):
        self.write("g.v", "1\n2\n3\n")
        self.expect_file_refusal("1 2\n2 3\n3 4\n9 1\n", "3: '4' is not listed in the vertex file g.v", name="g.e",
                                 ranks=ALL_RANKS)
        self.write("n.v", "ann\nbob\n")
        self.expect_file_refusal("ann bob\nbob eve\n", "2: 'eve' is not listed in the vertex file n.v",
                                 "--ids", "string", name="n.e")
        (self.work / "g.e").unlink()
        self.expect_file_refusal(gzip.compress(b"1 2\n2 7\n"), "2: '7' is not listed in the vertex file g.v",
                                 name="g.e.gz")

    def test_bad_vertex_list(self):
        self.write("g.e", "1 2\n")
        self.write("g.v", "1\ntwo\n")
        self.expect_refusal(["wcc", "--graph", "g.e", *OUTPUTS], "g.v:2: 'two' is not a number: vertex ids are decimal "
                            "integers, unless names are asked for (--ids string)")

    def test_missing_vertex_list(self):
        self.write("g.e", "1 2\n")
        self.expect_refusal(["wcc", "--graph", "g.e", "--format", "graphalytics", *OUTPUTS],
                            "cannot open g.v: No such file or directory")
        self.expect_refusal(["wcc", "--graph", "g.e", "--vertices", "other.v", *OUTPUTS],
                            "cannot open other.v: No such file or directory")

    def test_bad_properties(self):
        self.write("g.e", "1 2\n")
        self.write("g.v", "1\n2\n")
        self.write("g.properties", "# made by hand\ngraph.g.directed = maybe\n")
        self.expect_refusal(["wcc", "--graph", "g.e", *OUTPUTS],
                            "g.properties:2: 'maybe' is neither true nor false")


class Sources(RefusalTest):

    def expect(self, content, reason, **options):
        self.write("graph.txt", "1 2\n2 3\n")
        self.write("sources.txt", content)
        self.expect_refusal(["bfs", "--graph", "graph.txt", "--sources", "sources.txt", *OUTPUTS], reason, **options)

    def test_bad_lines(self):
        self.expect("1\n# and\nann\n", "sources.txt:3: source vertex 'ann' is not an unsigned 64-bit number")
        self.expect("1\n\n77\n", "sources.txt:3: source vertex 77 does not exist in graph.txt")
        self.expect("# nothing\n", "sources.txt names no source vertex")

    def test_missing_file(self):
        self.write("graph.txt", "1 2\n")
        for name, reason in ("absent.txt", "No such file or directory"), (".", "Is a directory"):
            self.expect_refusal(["bfs", "--graph", "graph.txt", "--sources", name, *OUTPUTS],
                                f"cannot open {name}: {reason}")


class Values(RefusalTest):

    def expect(self, content, reason, *arguments, **options):
        self.write("graph.txt", "".join(f"{i} {i + 1}\n" for i in range(50)))
        self.write("values.txt", content)
        self.expect_refusal(["aggregate", "--graph", "graph.txt", "--values", "values.txt", *arguments, *OUTPUTS],
                            reason, **options)

    def test_vertices_that_do_not_exist(self):
        values = "".join(f"{i} {i / 10}\n" for i in range(50))
        self.expect(values + "99 1\n77 2\n", "values.txt:51: '99' is not a vertex of the graph", ranks=ALL_RANKS)
        self.expect(values + "99 1\n77 2\n", "values.txt:51: '99' is not a vertex of the graph", "--ids", "string")

    def test_vertices_listed_twice(self):
        self.expect("1 1\n2 1\n3 1\n2 5\n", "values.txt:2: '2' is listed more than once", ranks=ALL_RANKS)
        self.expect("1 1\n2 1\n3 1\n2 5\n", "values.txt:2: '2' is listed more than once", "--ids", "string")

    def test_bad_lines(self):
        self.expect("1 0.5\n2\n", "values.txt:2: expected 'vertex value', found 1 column")
        self.expect("1 0.5\n2 nan\n", "values.txt:2: 'nan' is not finite: no value can be that")
        self.expect("1 0.5\n2 x\n", "values.txt:2: 'x' is not a number: the value must be one")

    def test_rows(self):
        def expect(content, reason, *arguments, **options):
            self.write("graph.txt", "1 2\n2 3\n")
            self.write("values.txt", content)
            self.expect_refusal(["gcn", "--graph", "graph.txt", "--values", "values.txt", *arguments, *OUTPUTS],
                                reason, **options)
        expect("1 1 2 3\n2 1 2\n3 1 2\n", "values.txt:2: expected 3 values as in the first line, found 2",
               ranks=ALL_RANKS)
        expect("1 1 2\n2 1 inf\n", "values.txt:2: 'inf' is not finite: no value can be that")
        expect("1 1 2\n4 1 2\n", "values.txt:2: '4' is not a vertex of the graph")
        expect("1 1 2\n1 1 2\n", "values.txt:1: '1' is listed more than once", "--ids", "string")

    def test_missing_file(self):
        self.write("graph.txt", "1 2\n")
        self.expect_refusal(["aggregate", "--graph", "graph.txt", "--values", "absent.txt", *OUTPUTS],
                            "cannot open absent.txt: No such file or directory")


if __name__ == "__main__":
    main()
