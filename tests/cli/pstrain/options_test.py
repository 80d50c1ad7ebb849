"""Command lines of pstrain that make no sense: exit code 2, one line, no file."""

import itertools

from superstep_cli import CliTest, main, run

RANKS = itertools.cycle((1, 1, 3))
DATA = ["--data", "synthetic:ridge,rows=50,features=3"]
REFUSED = (
    ([], "give --data"),
    ([*DATA], "give a model: ridge"),
    (["forest", *DATA], "unknown model 'forest': one of ridge, logistic"),
    (["ridge", "--data", "absent.svm"], "absent.svm"),
    (["ridge", "--data", "synthetic:cubes"], "cubes"),
    (["ridge", *DATA, "--strategy", "mostly"], "--strategy mostly: one of sync, async, ssp, local, easgd, gossip"),
    (["ridge", *DATA, "--servers", "0"], "--strategy sync needs a server"),
    (["ridge", *DATA, "--servers", "few"], "--servers few: a number of ranks, or all"),
    (["ridge", *DATA, "--servers", "3"], "--servers 3 leaves no rank for workers"),
    (["ridge", *DATA, "--strategy", "gossip", "--servers", "1"], "--strategy gossip has no servers"),
    (["ridge", *DATA, "--strategy", "allreduce", "--servers", "all"], "--strategy allreduce has no servers"),
    (["ridge", *DATA, "--workers", "0"], "--workers"),
    (["ridge", *DATA, "--workers", "51"], "50 rows for 51 workers"),
    (["ridge", *DATA, "--workers", "18446744073709551615"], "--workers 18446744073709551615: at most 1000000"),
    (["ridge", *DATA, "--staleness", "2"], "--staleness does not go with --strategy sync; it is for ssp"),
    (["ridge", *DATA, "--staleness", "3"], "--staleness does not go with --strategy sync"),  # the default, but given
    (["ridge", *DATA, "--strategy", "async", "--topology", "ring"], "--topology does not go with --strategy async"),
    (["ridge", *DATA, "--strategy", "ssp", "--staleness", "-1"], "-1 is neither a whole number of at least 0 nor inf"),
    (["ridge", *DATA, "--momentum", "0.5"], "--momentum does not go with --optimizer sgd; it is for momentum"),
    (["ridge", *DATA, "--hidden", "8"], "--hidden does not go with ridge; it is for mlp"),
    (["ridge", *DATA, "--racy"], "--racy does not go with --strategy sync; it is for async, ssp"),
    (["ridge", *DATA, "--table", "sparse"], "--table sparse does not go with --strategy sync; it is for async, ssp"),
    (["ridge", *DATA, "--table", "sparse", "--strategy", "async"], "--table sparse is for sparse rows"),
    (["cnn", *DATA, "--table", "sparse", "--strategy", "ssp"], "it is for ridge, logistic, softmax"),
    (["ridge", *DATA, "--local-steps", "2"], "--local-steps does not go with --strategy sync"),
    (["ridge", *DATA, "--strategy", "easgd", "--rho", "100"], "--rho 100"),
    (["ridge", *DATA, "--strategy", "gossip", "--topology", "absent.txt"], "--topology absent.txt: neither ring"),
    (["ridge", *DATA, "--epochs", "1", "--gradients", "5"], "either --epochs or --gradients"),
    (["ridge", *DATA, "--batch", "0"], "--batch"),
    (["ridge", *DATA, "--learning-rate", "nan"], "--learning-rate"),
    (["ridge", *DATA, "--learning-rate", "-1"], "--learning-rate"),
    (["ridge", *DATA, "--optimizer", "newton"], "newton"),
    (["ridge", *DATA, "--optimizer", "momentum", "--momentum", "1"], "momentum"),
    (["ridge", *DATA, "--straggler", "3"], "--straggler 3: WORKER:FACTOR"),
    (["ridge", *DATA, "--straggler", "99:4"], "there is no worker 99"),
    (["ridge", "--data", "absent.svm", "--straggler", "99:2"], "there is no worker 99"),  # before a file is opened
    (["ridge", *DATA, "--straggler", "0:0.5"], "--straggler 0:0.5: the factor is a number from 1 to 1e+06"),
    (["ridge", *DATA, "--straggler", "0:1e300"], "--straggler 0:1e+300: the factor is a number from 1 to 1e+06"),
    (["ridge", *DATA, "--straggler", "0:nan"], "--straggler 0:nan: the factor is a number from 1 to 1e+06"),
    (["ridge", *DATA, "--straggler-mode", "compute"], "needs --straggler"),
    (["ridge", *DATA, "--straggler-mode", "compute", "--straggler", "0:2.5"], "a whole number of times"),
    (["ridge", *DATA, "--target-loss", "1", "--loss-sample", "0"], "--target-loss needs a loss"),
    (["ridge", *DATA, "--resume"], "--resume needs --checkpoint-dir"),
    (["ridge", *DATA, "--keep", "3"], "--keep needs --checkpoint-dir"),
    (["ridge", *DATA, "--output", "absent/m.h5"], "absent/m.h5"),
    (["ridge", *DATA, "--output", "same", "--metrics", "same"], "name the same file"),
    (["ridge", *DATA, "--metrics", ""], "the value is empty"),
    (["cnn", *DATA], "targets are real numbers, not classes"),
    (["ridge", *DATA, "--predict", "m.h5", "--output", "p.txt"], "leave 'ridge' out"),
    ([*DATA, "--predict", "absent.h5", "--output", "p.txt"], "absent.h5"),
    ([*DATA, "--predict", "absent.h5"], "--predict needs --output"),
    ([*DATA, "--predict", "absent.h5", "--output", "p.txt", "--workers", "2"], "leave --workers out"),
    (["ridge", *DATA, "--frobnicate"], "--frobnicate"),
)


class OptionsTest(CliTest):

    def test_refusals(self):
        for arguments, reason in REFUSED:
            with self.subTest(arguments):
                finished = run("pstrain", *arguments, ranks=next(RANKS), cwd=self.work)
                self.assertEqual(finished.code, 2, str(finished))
                lines = [line for line in finished.err.splitlines() if "pstrain: " in line]
                self.assertEqual(len(lines), 1, str(finished))
                self.assertTrue(lines[0].startswith("pstrain: error: "), str(finished))
                self.assertIn(reason, lines[0])
                self.assertEqual(list(self.work.iterdir()), [])

    def test_disconnected_topology(self):
        (self.work / "two_pairs.txt").write_text("0 1\n2 3\n")
        finished = run("pstrain", "ridge", *DATA, "--strategy", "gossip", "--workers", "4", "--topology",
                       "two_pairs.txt", ranks=2, cwd=self.work)
        self.assertEqual(finished.code, 2, str(finished))
        self.assertIn("two_pairs.txt is not connected: worker 2 cannot be reached from worker 0", finished.err)

    def test_help_explains_each_strategy_in_a_line(self):
        for ranks in 1, 2:
            out = self.run_well("pstrain", "--help", ranks=ranks).out
            self.assertEqual(out.count("Usage:"), 1)
            for name in "sync", "async", "ssp", "local", "easgd", "gossip", "allreduce", "ridge", "cnn":
                self.assertRegex(out, rf"(?m)^  {name} +\w.{{20,}}$")
        self.assertRegex(self.run_well("pstrain", "--version", ranks=2).out, r"\Apstrain \d+\.\d+\.\d+\n\Z")


if __name__ == "__main__":
    main()
