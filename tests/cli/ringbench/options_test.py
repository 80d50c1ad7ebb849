"""Command lines of ringbench that make no sense: exit code 2, one line, no file."""

import itertools

from superstep_cli import CliTest, main, run

RANKS = itertools.cycle((1, 3))
REFUSED = (
    (["--op", "gather"], "--op gather: one of allreduce, reducescatter, allgather"),
    (["--algorithms", "ring,square"], "unknown all-reduce algorithm 'square'"),
    (["--algorithms", "ring,ring"], "ring is given twice"),
    (["--algorithms", ""], "--algorithms"),
    (["--op", "allgather", "--algorithms", "naive"], "allgather has automatic"),
    (["--min", "0"], "--min 0: at least one byte"),
    (["--min", "2M", "--max", "1M"], "--min 2097152 is more than --max 1048576"),
    (["--min", "many"], "--min many: not a number of bytes"),
    (["--max", "8T"], "--max 8T: not a number of bytes"),
    (["--max", "-1"], "--max"),
    (["--max", "99999999999999999999"], "--max 99999999999999999999: too large"),
    (["--factor", "1"], "--factor 1: more than 1"),
    (["--factor", "nan"], "--factor"),
    (["--type", "f8"], "f8"),
    (["--operation", "median"], "median"),
    (["--operation", "bit_or"], "--operation bit_or: not defined for f32"),
    (["--type", "f16", "--algorithms", "mpi"], "--algorithms mpi: MPI has no"),
    (["--iterations", "0"], "--iterations"),
    (["--iterations", "3", "--seconds", "1"], "--seconds"),
    (["--seconds", "-1"], "--seconds"),
    (["--seconds", "nan"], "--seconds nan"),
    (["--timeout", "nan"], "--timeout nan"),
    (["--json", "r", "--csv", "r"], "--json and --csv name the same file r"),
    (["--tune=t.json", "--algorithms", "mpi"], "--tune: none of --algorithms"),
    (["--algorithms", "shared_memory", "--messages", "--type", "f64"], "works inside one node", 2),
    (["--tuning", "/"], "/: cannot be read"),
    (["--warmup", "-1"], "--warmup"),
    (["--channels", "99"], "--channels"),
    (["--op", "allgather", "--in-place"], "go with --op allreduce only"),
    (["--op", "reducescatter", "--compare-mpi"], "--compare-mpi goes with --op allreduce only"),
    (["--op", "reducescatter", "--tune=t.json"], "--tune goes with --op allreduce only"),
    (["--json", "absent/r.json"], "absent/r.json"),
    (["--csv", ""], "--csv: the value is empty"),
    (["--tuning", "absent.json"], "absent.json: cannot be read"),
    (["--frobnicate"], "--frobnicate"),
    (["8M"], "8M"),
)


class OptionsTest(CliTest):

    def test_refusals(self):
        for arguments, reason, *at_least in REFUSED:
            with self.subTest(arguments):
                ranks = max(next(RANKS), *at_least, 1)
                finished = run("ringbench", "--max", "64", *arguments, ranks=ranks, cwd=self.work) \
                    if "--max" not in arguments else run("ringbench", *arguments, ranks=ranks, cwd=self.work)
                self.assertEqual(finished.code, 2, str(finished))
                lines = [line for line in finished.err.splitlines() if "ringbench: " in line]
                self.assertEqual(len(lines), 1, str(finished))
                self.assertTrue(lines[0].startswith("ringbench: error: "), str(finished))
                self.assertIn(reason, lines[0])
                self.assertEqual(list(self.work.iterdir()), [])

    def test_help_and_version(self):
        for ranks in 1, 2:
            out = self.run_well("ringbench", "--help", ranks=ranks).out
            self.assertEqual(out.count("Usage:"), 1)
            for option in "--op", "--algorithms", "--min", "--max", "--type", "--check", "--json", "--tune":
                self.assertIn(option, out)
        self.assertRegex(self.run_well("ringbench", "--version", ranks=2).out, r"\Aringbench \d+\.\d+\.\d+\n\Z")

    def test_sizes(self):
        out = self.run_well("ringbench", "--iterations", "1", "--warmup", "0", "--algorithms", "ring", "--min", "1K",
                            "--max", "64k", "--factor", "8", ranks=1).out
        self.assertEqual([line.split()[0] for line in out.splitlines()[2:]], ["1024", "8192", "65536"])


if __name__ == "__main__":
    main()
