"""What ringbench reports: its fields, their arithmetic, and that every algorithm computes every type correctly."""

from superstep_cli import CliTest, main, read_csv, read_json

TYPES = {"f32": 4, "f64": 8, "i8": 1, "i16": 2, "i32": 4, "i64": 8, "u8": 1, "u16": 2, "u32": 4, "u64": 8, "f16": 2,
         "bf16": 2}
MESSAGES = ["naive_ring", "reduce_broadcast", "all_to_all", "recursive_doubling", "halving_doubling", "chunked_ring"]
QUICK = ["--iterations", "2", "--warmup", "0", "--check", "--quiet"]


class ResultsTest(CliTest):

    def bench(self, *arguments, ranks):
        """The JSON of a run."""
        path = self.work / "result.json"
        path.unlink(missing_ok=True)
        self.run_well("ringbench", *QUICK, *arguments, "--json", path, ranks=ranks)
        return read_json(path)

    def test_every_algorithm_and_type_on_every_number_of_ranks(self):
        for ranks in 1, 2, 3, 4:
            for kind, width in TYPES.items():
                with self.subTest(f"{kind} on {ranks} ranks"):
                    results = self.bench("--type", kind, "--min", "8", "--max", "9000", "--factor", "33",
                                         ranks=ranks)["results"]
                    seen = {row["algorithm"] for row in results}
                    self.assertLessEqual({"automatic", *MESSAGES}, seen)
                    self.assertEqual("mpi" in seen, kind not in ("f16", "bf16"))
                    for row in results:
                        self.assertEqual(row["errors"], 0, row)
                        self.assertEqual((row["ranks"], row["type"]), (ranks, kind))
                        self.assertEqual(row["bytes"], row["count"] * width)

    def test_operations(self):
        for operation in "product", "min", "max", "average":
            for row in self.bench("--operation", operation, "--min", "1K", "--max", "1K", ranks=3)["results"]:
                self.assertEqual(row["errors"], 0, row)
        for operation in "bit_and", "bit_or":
            for row in self.bench("--operation", operation, "--type", "u32", "--min", "1K", "--max", "1K",
                                  ranks=3)["results"]:
                self.assertEqual(row["errors"], 0, row)

    def test_other_collectives(self):
        for op in "reducescatter", "allgather":
            document = self.bench("--op", op, "--min", "4", "--max", "100000", "--factor", "157", ranks=3)
            self.assertEqual(document["op"], op)
            for row in document["results"]:
                self.assertEqual(row["errors"], 0, row)
                self.assertAlmostEqual(row["busbw"], row["algbw"] * 2 / 3, delta=1e-6 * row["algbw"])

    def test_in_place_and_in_the_window(self):
        for place in "--in-place", "--in-window":
            for row in self.bench(place, "--min", "64", "--max", "300000", "--factor", "60", ranks=4)["results"]:
                self.assertEqual(row["errors"], 0, row)

    def test_fields(self):
        for ranks in 1, 2, 4:
            document = self.bench("--min", "4K", "--max", "64K", "--factor", "4", ranks=ranks)
            self.assertEqual(document["topology"]["ranks"], ranks)
            for field in "version", "commit", "mpi", "command_line", "load_average":
                self.assertIn(field, document["stamp"])
            results = document["results"]
            self.assertEqual(sorted({row["bytes"] for row in results}), [4096, 16384, 65536])
            for row in results:
                self.assertGreater(row["seconds_min"], 0)
                self.assertLessEqual(row["seconds_min"], row["seconds_median"])
                self.assertLessEqual(row["seconds_median"], row["seconds_p99"])
                self.assertAlmostEqual(row["algbw"] * row["seconds_median"], row["bytes"], delta=1e-6 * row["bytes"])
                self.assertAlmostEqual(row["busbw"], row["algbw"] * 2 * (ranks - 1) / ranks,
                                       delta=1e-6 * row["algbw"])
                if row["algorithm"] == "mpi":
                    self.assertEqual(row["times_mpi"], 1)
                    self.assertIsNone(row["bytes_sent"])
                else:
                    self.assertEqual(len(row["bytes_sent_by_rank"]), ranks)
                    self.assertEqual(row["bytes_sent"], max(row["bytes_sent_by_rank"]))

    def test_bytes_and_steps_of_the_rings(self):
        for ranks in 2, 3, 4, 7:
            size = 1 << 20
            for row in self.bench("--algorithms", "ring,naive", "--messages", "--min", size, "--max", size,
                                  ranks=ranks)["results"]:
                self.assertEqual(row["steps"], 2 * (ranks - 1), row)
                if row["algorithm"] == "ring":  # each rank carries the same, up to an element a chunk
                    self.assertEqual(row["runs_as"], "chunked_ring")
                    for sent in row["bytes_sent_by_rank"]:
                        self.assertAlmostEqual(sent, 2 * (ranks - 1) / ranks * size, delta=4 * 2 * ranks)
                else:
                    self.assertEqual(sum(row["bytes_sent_by_rank"]), 2 * (ranks - 1) * size)

    def test_csv_has_the_rows_of_the_json(self):
        path = self.work / "result.csv"
        results = self.bench("--min", "8", "--max", "4K", "--factor", "512", "--csv", path, ranks=2)["results"]
        rows = read_csv(path)
        self.assertEqual([(row["algorithm"], int(row["bytes"]), int(row["errors"])) for row in rows],
                         [(row["algorithm"], row["bytes"], row["errors"]) for row in results])
        for row, expected in zip(rows, results):
            self.assertAlmostEqual(float(row["busbw"]), expected["busbw"], delta=1e-6 * expected["busbw"])

    def test_table(self):
        out = self.run_well("ringbench", "--iterations", "2", "--algorithms", "ring,mpi", "--max", "1K", "--factor",
                            "16", ranks=2).out.splitlines()
        self.assertTrue(out[0].startswith("# allreduce, 2 ranks on 1 node, f32 sum"), out[0])
        self.assertEqual(out[1].split()[:3], ["bytes", "count", "algorithm"])
        self.assertEqual([line.split()[2] for line in out[2:]], ["ring", "mpi"] * 2)

    def test_forced_algorithms_of_mpi(self):
        document = self.bench("--min", "64K", "--max", "64K", ranks=2)
        if not document["stamp"]["mpi"].startswith("Open MPI"):
            self.skipTest("only Open MPI has algorithms that can be forced")
        names = {row["algorithm"] for row in self.bench("--compare-mpi", "--min", "64K", "--max", "64K",
                                                        ranks=2)["results"]}
        self.assertLessEqual({"mpi_recursive_doubling", "mpi_ring", "mpi_segmented_ring", "mpi_rabenseifner"}, names)


if __name__ == "__main__":
    main()
