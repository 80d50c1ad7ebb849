"""Shortest paths by the textbook: wake-ups with their messages, and what a combiner saves on 1, 2 and 4 ranks."""

from example import ExampleTest
from superstep_cli import main

DISTANCES = """
0 inf inf inf inf inf
0 1 5 inf 10 inf
0 1 2 7 10 inf
0 1 2 4 10 8
0 1 2 4 9 5
0 1 2 4 6 5
0 1 2 4 6 5
"""


class WakeUps(ExampleTest):

    def check(self, run):
        self.assert_table(run, DISTANCES, 0)
        metrics = run.metrics
        self.assertEqual((metrics["supersteps"], metrics["messages_sent"], metrics["messages_delivered"],
                          metrics["wakeups"]), (7, 10, 10, 3))
        woken = [(vertex, superstep, float(message)) for vertex, superstep, message in run.woken()]
        self.assertEqual(woken, [(4, 1, 7.0), (6, 2, 8.0), (5, 3, 9.0)])
        self.assertEqual(run.column("reachable"), self.reachable(run))

    def reachable(self, run):
        """Of the vertices that computed, those with a finite distance; nobody feeds the aggregate in superstep 0."""
        counts = [None]
        for superstep in range(1, len(run.supersteps)):
            counts.append(sum(1 for v in run.vertices if int(v["superstep"]) == superstep and v["active"] == "1" and
                              v["value"] != "infinity"))
        return counts

    def test_on_all_numbers_of_ranks(self):
        for ranks in (3, 1, 2, 4, 7):
            with self.subTest(ranks=ranks):
                self.check(self.run_example("sssp", "sssp6.txt", "--weighted", "--source", "1", "--variant", "textbook",
                                            "--combiner", "off", ranks=ranks))


class WeakeningCombiner(ExampleTest):
    """Each rank combines its own messages only: the more ranks, the more arrive."""

    def run_combiner(self, ranks, combiner, variant):
        return self.run_example("sssp", "combiner4.txt", "--weighted", "--source", "0", "--variant", variant,
                                "--combiner", combiner, ranks=ranks)

    def check(self, run, delivered, arriving):
        self.assertEqual((run.metrics["messages_sent"], run.metrics["messages_delivered"], run.delivered_to(99)),
                         (24, delivered, arriving))
        self.assertEqual(run.results["99"], "2")

    def test_without_a_combiner(self):
        for ranks in (1, 2, 4):
            with self.subTest(ranks=ranks):
                self.check(self.run_combiner(ranks, "off", "textbook"), 24, 12)

    def test_with_min(self):
        for ranks, delivered, arriving in ((1, 13, 1), (2, 14, 2), (4, 16, 4)):
            for variant in ("textbook", "standard"):
                with self.subTest(ranks=ranks, variant=variant):
                    self.check(self.run_combiner(ranks, "on", variant), delivered, arriving)


class SettledVertices(ExampleTest):
    """A vertex that a search has reached listens no more: messages that come later do not wake it."""

    def test_messages_to_settled_vertices_are_no_wakeups(self):
        for ranks in (1, 2, 3):
            for combiner in ("on", "off"):
                with self.subTest(ranks=ranks, combiner=combiner):
                    run = self.run_example("bfs", "wcc7.txt", "--undirected", "--source", "1", "--combiner", combiner,
                                           ranks=ranks)
                    self.assertEqual(run.column("active"), [6, 1, 1, 1, 0])
                    self.assertEqual([(v, k) for v, k, _ in run.woken()], [(3, 1), (4, 2)])


if __name__ == "__main__":
    main()
