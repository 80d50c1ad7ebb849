"""--summary: the same text on any number of ranks, in the metrics too, for every kind of result."""

import re

from superstep_cli import CliTest, main, read_json

# Two triangles joined by 2 3, a pair, and a loop; 9 vertices, undirected.
EDGES = "0 1 1\n1 2 2\n2 0 3\n2 3 1\n3 4 1\n4 5 1\n5 3 5\n10 11 2\n20 20 1\n"
LISTS = ("wcc", "sssp --source 0", "msf", "matching", "random-walk --iterations 2", "triangles")


class Summary(CliTest):

    def run_list(self, ranks):
        (self.work / "graph.txt").write_text(EDGES, encoding="utf-8")
        others = [word for words in LISTS for word in ("--then", words)]
        finished = self.run_well("pregel", "degree", "--graph", "graph.txt", "--undirected", "--weighted", "--summary",
                                 "--metrics", f"{ranks}.json", *others, ranks=ranks, cwd=self.work)
        # What takes time, and the head of each run, differ.
        return [line for line in finished.out.splitlines() if re.match(r"  ", line)]

    def test_same_on_any_number_of_ranks(self):
        wanted = self.run_list(1)
        self.assertEqual(self.run_list(3), wanted)
        self.assertEqual(self.run_list(4), wanted)
        for line in ("  3 groups of 9 vertices", "  distance of 6 vertices; 3 unreachable (33.3 %)",
                     "  6 edges, total weight 8", "    of one vertex: 1 (33.3 %)"):
            self.assertIn(line, wanted)
        one, four = (read_json(self.work / f"{ranks}.json") for ranks in (1, 4))
        self.assertEqual(one["summary"], four["summary"])
        self.assertEqual([entry["summary"] for entry in one["then"]], [entry["summary"] for entry in four["then"]])
        self.assertEqual([column["name"] for column in one["summary"]["columns"]],
                         ["degree", "in_degree", "out_degree"])
        wcc, sssp, msf, matching, walks, triangles = (entry["summary"] for entry in one["then"])
        self.assertEqual((wcc["groups"], wcc["singletons"]), (3, 1))
        self.assertEqual(wcc["largest"][0], {"group": "0", "size": 6})
        self.assertEqual(sssp["columns"][0]["maximum"], 6)
        self.assertEqual((msf["edges"], msf["total_weight"]), (6, 8))
        self.assertEqual(matching["matched"], 2 * matching["edges"])
        self.assertEqual(walks["kind"], "walks")
        self.assertEqual(triangles["columns"][0]["maximum"], 1)

    def test_no_vertices_and_nothing_unless_asked(self):
        (self.work / "empty.txt").write_text("# nothing\n", encoding="utf-8")
        finished = self.run_well("pregel", "wcc", "--graph", "empty.txt", "--summary", "--metrics", "m.json",
                                 "--then", "pagerank", ranks=2, cwd=self.work)
        self.assertIn("  0 groups of 0 vertices\n", finished.out)
        self.assertIn("  rank of 0 vertices\n", finished.out)
        self.run_well("pregel", "wcc", "--graph", "empty.txt", "--metrics", "m.json", cwd=self.work)
        self.assertNotIn("summary", read_json(self.work / "m.json"))


if __name__ == "__main__":
    main()
