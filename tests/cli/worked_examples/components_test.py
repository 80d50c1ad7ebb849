"""Connected components by the textbook, with a vertex that only the vertex file knows; ids and the way back to them."""

from example import ExampleTest
from superstep_cli import FILES, main, read_results


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

    def test_renumbered_by_degree_and_back(self):
        """Degrees of renumbered vertices are those of the file, by way of the table of old ids."""
        arguments = ("--graph", FILES / "smallworld60.el", "--undirected", "--quiet")
        plain = self.work / "plain.txt"
        self.run_well("pregel", "degree", *arguments, "--output", plain, ranks=2)
        for ranks in (1, 3):
            output, table = self.work / "new.txt", self.work / "old_ids.txt"
            self.run_well("pregel", "degree", *arguments, "--relabel", "degree", "--old-ids", table, "--output", output,
                          ranks=ranks)
            old_ids, renumbered = read_results(table), read_results(output)
            self.assertEqual(sorted(map(int, old_ids)), list(range(60)))
            self.assertEqual({old_ids[v]: degree for v, degree in renumbered.items()}, read_results(plain))


if __name__ == "__main__":
    main()
