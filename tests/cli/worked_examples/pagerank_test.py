"""PageRank by the textbook: every value of every superstep, and the counter-example with a local halting rule."""

from example import ExampleTest, shorten
from superstep_cli import FILES, main

SEVEN_VERTICES = """
.14286 .14286 .14286 .14286 .14286 .14286 .14286
.38571 .04167 .16310 .04167 .16310 .16310 .04167
.33411 .07607 .11149 .07607 .11149 .21470 .07607
.36335 .06876 .13342 .06876 .13342 .16353 .06876
.33228 .07290 .13135 .07290 .13135 .18631 .07290
.35341 .06850 .13047 .06850 .13047 .18015 .06850
.34368 .07149 .12972 .07149 .12972 .18239 .07149
.34750 .07012 .13089 .07012 .13089 .18038 .07012
.34560 .07066 .13026 .07066 .13026 .18191 .07066
.34683 .07039 .13045 .07039 .13045 .18111 .07039
.34608 .07056 .13039 .07056 .13039 .18144 .07056
.34647 .07046 .13044 .07046 .13044 .18129 .07046
"""

LARGEST_CHANGES = ".242857 .051607 .051177 .031072 .021129 .009728 .003816 .001892 .001225 .000749 .000387".split()

FOUR_VERTICES = """
.250000 .250000 .250000 .250000
.568750 .143750 .143750 .143750
.342969 .279219 .098594 .279219
.477309 .183262 .156168 .183262
.403901 .240356 .115386 .240356
.442032 .209158 .139651 .209158
"""

TEXTBOOK = ("--variant", "textbook", "--damping", "0.85", "--tolerance", "1e-3")


def jacobi(edges, rounds, damping):
    """Ranks after so many rounds, for a graph in which every vertex has an out-edge."""
    out = {}
    for source, target in edges:
        out.setdefault(source, []).append(target)
    ranks = {v: 1 / len(out) for v in out}
    for _ in range(rounds):
        sums = dict.fromkeys(out, 0.0)
        for source, targets in out.items():
            for target in targets:
                sums[target] += ranks[source] / len(targets)
        ranks = {v: (1 - damping) / len(out) + damping * s for v, s in sums.items()}
    return ranks


class SevenVertices(ExampleTest):

    def check(self, run):
        self.assert_table(run, SEVEN_VERTICES, 5)
        metrics = run.metrics
        self.assertEqual((metrics["supersteps"], metrics["messages_sent"], metrics["wakeups"],
                          metrics["vertex_computations"]), (12, 132, 0, 84))
        self.assertEqual(run.column("active"), [7] * 12)
        self.assertEqual(run.column("sent"), [12] * 11 + [0])
        changes = run.column("max_delta", float)
        self.assertIsNone(changes[0], "an aggregate that nobody has fed is absent")
        self.assertEqual([shorten(x, 6) for x in changes[1:]], LARGEST_CHANGES)

    def test_on_three_ranks_with_the_combiner(self):
        run = self.run_example("pagerank", "pagerank7.txt", *TEXTBOOK)
        self.check(run)
        self.assertEqual(run.metrics["messages_delivered"], 110)
        self.assertEqual(run.delivered_to(1), 22)

        ranks = {v: float(text) for v, text in run.results.items()}
        self.assertEqual(f"{sum(ranks.values()):.6f}", "1.000000")
        lines = (FILES / "pagerank7.txt").read_text(encoding="utf-8").splitlines()
        exact = jacobi([line.split() for line in lines if not line.startswith("#")], 200, 0.85)
        self.assertEqual(f"{max(abs(ranks[v] - exact[v]) for v in exact):.2e}", "1.24e-04")

    def test_on_three_ranks_without_the_combiner(self):
        run = self.run_example("pagerank", "pagerank7.txt", *TEXTBOOK, "--combiner", "off")
        self.check(run)
        self.assertEqual(run.metrics["messages_delivered"], 132)
        self.assertEqual(run.delivered_to(1), 33)

    def test_on_other_numbers_of_ranks(self):
        for ranks in (1, 2, 4, 7):
            for partition in ("modulo", "hash"):
                with self.subTest(ranks=ranks, partition=partition):
                    self.check(self.run_example("pagerank", "pagerank7.txt", *TEXTBOOK, ranks=ranks,
                                                partition=partition))


class LocalHalting(ExampleTest):
    """The wrong rule: who stops sending takes its rank out of its neighbours' sums."""

    def test_never_settles_and_loses_rank(self):
        run = self.run_example("pagerank", "pagerank7.txt", "--variant", "local-halt", "--damping", "0.85",
                               "--tolerance", "1e-3", "--max-supersteps", "200")
        self.assert_table(run, SEVEN_VERTICES.strip().splitlines()[0], 5)
        self.assertEqual(run.metrics["supersteps"], 200)
        self.assertEqual(run.column("active")[199], 7)
        sums = run.column("rank_sum", float)
        self.assertEqual(f"{sums[199]:.6f}", "0.813566")
        self.assertEqual(f"{sum(map(float, run.results.values())):.6f}", "0.813566")
        falls = [b < a for a, b in zip(sums[20:], sums[21:])]
        self.assertIn(True, falls)
        self.assertIn(False, falls, "the sum oscillates")


class FourVertices(ExampleTest):

    def test_by_hand(self):
        for ranks in (1, 3):
            run = self.run_example("pagerank", "pagerank4.txt", "--variant", "textbook", "--tolerance", "1e-9",
                                   "--max-supersteps", "6", ranks=ranks)
            self.assertEqual(len(run.table()), 6)
            self.assert_table(run, FOUR_VERTICES, 6)


if __name__ == "__main__":
    main()
