"""One traced run of a worked example, and what the tests of all examples ask it."""

from superstep_cli import FILES, CliTest, read_csv, read_json, read_results


class Run:
    """Everything that a run wrote."""

    def __init__(self, work):
        self.supersteps = read_csv(work / "trace.csv")
        self.vertices = read_csv(work / "vertices.csv")
        self.metrics = read_json(work / "metrics.json")
        self.results = read_results(work / "results.txt")

    def column(self, name, kind=int):
        """A column of the trace, one entry a superstep; None where it is empty."""
        return [kind(row[name]) if row[name] else None for row in self.supersteps]

    def table(self):
        """For each superstep the values of the vertices, ascending by id."""
        rows = [[] for _ in self.supersteps]
        for row in self.vertices:
            rows[int(row["superstep"])].append(row["value"])
        return rows

    def delivered_to(self, vertex):
        return sum(int(row["delivered"]) for row in self.vertices if row["id"] == str(vertex))

    def woken(self):
        """(vertex, superstep, message) of each wake-up."""
        return [(int(row["id"]), int(row["superstep"]), row["woken_by"]) for row in self.vertices if row["woken_by"]]


class ExampleTest(CliTest):

    def run_example(self, algorithm, graph, *options, ranks=3, partition="modulo"):
        self.run_well("pregel", algorithm, "--graph", FILES / graph, *options, "--partition", partition,
                      "--trace", self.work / "trace.csv", "--trace-vertices", self.work / "vertices.csv",
                      "--metrics", self.work / "metrics.json", "--output", self.work / "results.txt", ranks=ranks)
        run = Run(self.work)
        self.check_totals(run)
        return run

    def check_totals(self, run):
        """What the three files say twice must agree."""
        metrics = run.metrics
        self.assertEqual(metrics["supersteps"], len(run.supersteps))
        self.assertEqual(metrics["messages_sent"], sum(run.column("sent")))
        self.assertEqual(metrics["messages_delivered"], sum(run.column("delivered")))
        self.assertEqual(metrics["wakeups"], sum(run.column("wakeups")))
        self.assertEqual(metrics["vertex_computations"], sum(run.column("active")))
        for name in ("superstep", "active", "sent", "delivered", "wakeups"):
            self.assertEqual([row[name] for row in metrics["per_superstep"]], run.column(name), name)
        self.assertEqual(len(run.vertices), metrics["vertices"] * metrics["supersteps"])
        for superstep, row in enumerate(run.supersteps):
            vertices = [v for v in run.vertices if int(v["superstep"]) == superstep]
            self.assertEqual([int(v["id"]) for v in vertices], sorted(map(int, run.results)))
            self.assertEqual(sum(int(v["active"]) for v in vertices), int(row["active"]))
            self.assertEqual(sum(int(v["delivered"]) for v in vertices), int(row["delivered"]))
            self.assertEqual(sum(1 for v in vertices if v["woken_by"]), int(row["wakeups"]))
        self.assertEqual(run.table()[-1], list(run.results.values()))

    def assert_table(self, run, wanted, decimals):
        """`wanted`: text with a superstep a line, a number a vertex; compared as printed."""
        lines = [line.split() for line in wanted.strip().splitlines()]
        printed = [[shorten(value, decimals) for value in row] for row in run.table()]
        self.assertEqual(printed[:len(lines)], lines)


def shorten(value, decimals):
    """Rounded as the tables print it: no zero before the point, whole numbers and infinity as they are."""
    if value == "infinity":
        return "inf"
    return f"{float(value):.{decimals}f}".replace("0.", ".", 1) if decimals else f"{float(value):g}"
