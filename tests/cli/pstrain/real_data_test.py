"""Real data: what pstrain's defaults reach in seconds. The network takes longer: benchmarks/run_training.sh."""

import unittest

from superstep_cli import CliTest, main, read_json, real_data

DATA = real_data()


@unittest.skipUnless(DATA and (DATA / "libsvm").is_dir(), "no real data here")
class RealDataTest(CliTest):

    def accuracy(self, *options, ranks, environment=None):
        path = self.work / "metrics.json"
        self.run_well("pstrain", *options, "--metrics", path, "--quiet", ranks=ranks, environment=environment)
        return read_json(path)["test_accuracy"]

    def test_logistic_regression(self):
        files = DATA / "libsvm"
        for strategy, ranks in ("sync", 5), ("allreduce", 4), ("async", 5):
            with self.subTest(strategy):
                a9a = self.accuracy("logistic", "--data", files / "a9a", "--test", files / "a9a.t", "--strategy",
                                    strategy, ranks=ranks)
                self.assertGreaterEqual(a9a, 0.845)
                agaricus = self.accuracy("logistic", "--data", files / "agaricus.txt.train", "--test",
                                         files / "agaricus.txt.test", "--strategy", strategy, ranks=ranks)
                self.assertGreaterEqual(agaricus, 0.99)

    def test_sparse_table(self):
        files = DATA / "libsvm"
        for strategy, ranks in ("async", 5), ("ssp", 2):
            with self.subTest(strategy):
                self.assertGreaterEqual(
                    self.accuracy("logistic", "--data", files / "agaricus.txt.train", "--test",
                                  files / "agaricus.txt.test", "--strategy", strategy, "--table", "sparse", "--workers",
                                  "4", ranks=ranks), 0.99)

    def test_softmax_on_digits(self):
        digits = {"SUPERSTEP_DIGITS": str(DATA / "digits")}
        for strategy, ranks in ("sync", 5), ("ssp", 5):
            with self.subTest(strategy):
                self.assertGreaterEqual(
                    self.accuracy("softmax", "--data", "digits", "--strategy", strategy, ranks=ranks,
                                  environment=digits), 0.90)


if __name__ == "__main__":
    main()
