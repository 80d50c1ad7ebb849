"""Connected components by the textbook, with a vertex that only the vertex file knows."""

from example import ExampleTest
from superstep_cli import FILES, main


class Components(ExampleTest):

    def test_on_all_numbers_of_ranks(self):
        for ranks in (3, 1, 2, 4, 7):
            with self.subTest(ranks=ranks):
                run = self.run_example("wcc", "wcc7.txt", "--vertices", FILES / "wcc7.v", "--format", "graphalytics",
                                       "--undirected", "--variant", "textbook", "--combiner", "off", ranks=ranks)
                self.assertEqual(run.results, {"1": "1", "2": "1", "3": "1", "4": "1", "5": "5", "6": "5", "7": "7"})
                self.assertEqual((run.metrics["supersteps"], run.metrics["messages_sent"],
                                  run.metrics["messages_delivered"]), (5, 18, 18))
                self.assertEqual(run.column("active"), [7, 7, 6, 3, 2])


if __name__ == "__main__":
    main()
