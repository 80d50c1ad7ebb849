"""The table that --tune writes: what is in it, that it grows, and that `automatic` goes by it."""

from superstep_cli import CliTest, main, read_json, run

SMALL = ["--max", "64K", "--factor", "64", "--iterations", "2", "--quiet"]


class TuningTest(CliTest):

    def setUp(self):
        super().setUp()
        self.table = self.work / "table.json"

    def tune(self, *arguments, ranks):
        self.run_well("ringbench", *SMALL, *arguments, f"--tune={self.table}", ranks=ranks)
        return read_json(self.table)["tuning"]

    def test_topologies_are_added_and_replaced(self):
        tables = self.tune(ranks=2)
        self.assertEqual([(t["ranks"], t["nodes"], t["shared_memory"]) for t in tables], [(2, 1, True)])
        self.tune("--messages", ranks=3)
        tables = self.tune("--algorithms", "naive,mpi", ranks=2)
        self.assertEqual(sorted((t["ranks"], t["nodes"], t["shared_memory"]) for t in tables),
                         [(2, 1, True), (3, 3, False)])
        rows = next(t["rows"] for t in tables if t["ranks"] == 2)
        self.assertEqual([row["algorithm"] for row in rows], ["naive_ring"])
        for table in tables:
            sizes = [row["bytes"] for row in table["rows"]]
            self.assertEqual(sizes, sorted(set(sizes)))

    def test_automatic_goes_by_it(self):
        self.tune("--algorithms", "naive", "--messages", ranks=2)
        result = self.work / "result.json"
        for tuned in False, True:
            self.run_well("ringbench", *SMALL, "--algorithms", "auto", "--messages", "--json", result,
                          *(["--tuning", self.table] if tuned else []), ranks=2)
            choices = {row["runs_as"] for row in read_json(result)["results"]}
            self.assertEqual("naive_ring" in choices, tuned)
            if tuned:
                self.assertEqual(choices, {"naive_ring"})

    def test_second_name(self):
        self.run_well("ringbench", *SMALL, "--algorithms", "ring", "--write-tuning", self.table, ranks=2)
        self.assertEqual(len(read_json(self.table)["tuning"]), 1)

    def test_what_is_no_table_is_refused_before_measuring_and_kept(self):
        self.table.write_text("no table")
        for option in "--tune", "--tuning":
            finished = run("ringbench", *SMALL, f"{option}={self.table}", ranks=2)
            self.assertEqual(finished.code, 2, str(finished))
            self.assertIn("not a tuning table", finished.err)
            self.assertEqual(self.table.read_text(), "no table")


if __name__ == "__main__":
    main()
