"""A job of aggregators only, on the result of the example of PageRank."""

from example import ExampleTest
from superstep_cli import FILES, main


class AggregatorsOnly(ExampleTest):

    def test_on_all_numbers_of_ranks(self):
        ranks_file = self.work / "ranks.txt"
        self.run_well("pregel", "pagerank", "--graph", FILES / "pagerank7.txt", "--variant", "textbook", "--tolerance",
                      "1e-3", "--output", ranks_file, ranks=3)
        for ranks in (3, 1, 2, 4, 7):
            with self.subTest(ranks=ranks):
                run = self.run_example("aggregate", "pagerank7.txt", "--values", ranks_file, ranks=ranks)
                self.assertEqual(run.column("active"), [7, 7])
                self.assertEqual(run.column("sent"), [0, 0])
                sums, above = run.column("sum", float), run.column("above_mean", float)
                self.assertEqual([f"{sums[0]:.6f}", sums[1]], ["1.000000", None])
                self.assertEqual(above, [None, 2])
                mean = sums[0] / 7
                self.assertEqual([v for v, text in run.results.items() if float(text) > mean], ["1", "6"])
                self.assertEqual(run.metrics["aggregates"]["above_mean"], 2)


if __name__ == "__main__":
    main()
