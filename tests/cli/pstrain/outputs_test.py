"""What pstrain prints and writes: the screen, metrics, models, predictions."""

from superstep_cli import CliTest, main, read_json, run

RIDGE = ["ridge", "--data", "synthetic:ridge,rows=300,features=4,noise=0.1,seed=2", "--gradients", "40"]
STRATEGIES = "sync async ssp local easgd gossip allreduce".split()
KEYS = """model strategy workers servers train_loss test_loss test_accuracy train_seconds gradients messages bytes_pushed
bytes_pulled clock_lead version_staleness wait_seconds samples_per_second curve stamp""".split()


class OutputsTest(CliTest):

    def test_metrics_of_every_strategy(self):
        for strategy in STRATEGIES:
            with self.subTest(strategy):
                path = self.work / f"{strategy}.json"
                self.run_well("pstrain", *RIDGE, "--strategy", strategy, "--workers", "4", "--metrics", path, ranks=3)
                metrics = read_json(path)
                for key in KEYS:
                    self.assertIn(key, metrics)
                self.assertEqual(metrics["gradients"], 160)
                self.assertEqual(metrics["workers"], 4)
                self.assertEqual(metrics["servers"], 0 if strategy in ("gossip", "allreduce") else 1)
                self.assertIsNone(metrics["test_accuracy"])
                self.assertGreater(metrics["test_loss"], 0)
                for staleness in metrics["clock_lead"], metrics["version_staleness"]:
                    self.assertEqual(set(staleness), {"mean", "max", "histogram"})
                curve = metrics["curve"]
                self.assertEqual(curve[0]["gradients"], 0)
                self.assertEqual(curve[-1]["gradients"], 160)
                self.assertLess(curve[-1]["loss"], curve[0]["loss"])
                self.assertEqual(metrics["stamp"]["seed"], 1)

    def test_screen(self):
        out = self.run_well("pstrain", *RIDGE, ranks=2).out
        self.assertRegex(out, r"(?m)^synthetic ridge: 300 rows.*; ridge with 5 parameters; 1 worker and 1 server on 2 ranks$")
        self.assertRegex(out, r"(?m)^sync: 40 gradients of 32 rows in [\d.]+ s, \d+ samples/s, 80 messages$")
        self.assertRegex(out, r"(?m)^  train loss [\d.]+; test loss [\d.]+$")
        self.assertEqual(self.run_well("pstrain", *RIDGE, "--quiet", ranks=2).out, "")
        self.assertIn("gradients/s", self.run_well("pstrain", *RIDGE, "--progress", ranks=2).err)

    def test_model_and_predictions(self):
        softmax = ["--data", "synthetic:softmax,rows=400,features=5,classes=3,seed=4"]
        model, text = self.work / "model.h5", self.work / "predictions.txt"
        metrics, again = self.work / "metrics.json", self.work / "again.json"
        self.run_well("pstrain", "softmax", *softmax, "--output", model, "--metrics", metrics, ranks=2)
        out = self.run_well("pstrain", "--predict", model, *softmax, "--output", text, "--metrics", again, ranks=2).out
        rows = [line.split() for line in text.read_text().splitlines()]
        self.assertEqual(len(rows), 80)  # the test part: a fifth as many again
        for row in rows:
            probabilities = list(map(float, row[1:]))
            self.assertEqual(len(probabilities), 3)
            self.assertAlmostEqual(sum(probabilities), 1, places=6)
            self.assertEqual(int(row[0]), probabilities.index(max(probabilities)))
        self.assertEqual(read_json(again)["accuracy"], read_json(metrics)["test_accuracy"])
        self.assertIn("accuracy", out)

    def test_a_test_file_of_fewer_rows_than_workers(self):
        rows, metrics = self.work / "two.svm", self.work / "metrics.json"
        rows.write_text("1 1:2\n0.5 4:1\n")
        self.run_well("pstrain", *RIDGE, "--workers", "5", "--test", rows, "--metrics", metrics, ranks=3)
        self.assertGreater(read_json(metrics)["test_loss"], 0)
        rows.write_text("# nothing\n")
        finished = run("pstrain", *RIDGE, "--test", rows, ranks=2)
        self.assertEqual(finished.code, 2, str(finished))
        self.assertIn("two.svm: no rows", finished.err)

    def test_a_model_refuses_other_data(self):
        model = self.work / "model.h5"
        self.run_well("pstrain", *RIDGE, "--output", model)
        wide = self.work / "wide.svm"
        wide.write_text("1 1:2 9:1\n")
        finished = run("pstrain", "--predict", model, "--data", wide, "--output", self.work / "p.txt")
        self.assertEqual(finished.code, 2, str(finished))
        self.assertIn("wide.svm:1", finished.err)
        text = self.work / "text.h5"
        text.write_text("not a model")
        finished = run("pstrain", "--predict", text, "--data", wide, "--output", self.work / "p.txt", ranks=2)
        self.assertEqual(finished.code, 2, str(finished))
        self.assertIn("text.h5", finished.err)

    def test_divergence_is_an_error_that_keeps_the_metrics(self):
        metrics, model = self.work / "metrics.json", self.work / "model.h5"
        finished = run("pstrain", *RIDGE, "--learning-rate", "50", "--metrics", metrics, "--output", model, ranks=2)
        self.assertEqual(finished.code, 1, str(finished))
        self.assertIn("pstrain: error: the training has diverged", finished.err)
        self.assertTrue(read_json(metrics)["diverged"])
        self.assertFalse(model.exists())

    def test_target_loss(self):
        path = self.work / "metrics.json"
        self.run_well("pstrain", "ridge", "--data", "synthetic:ridge,rows=300,features=4,noise=0.1,seed=2", "--gradients",
                      "100000", "--target-loss", "0.1", "--loss-every", "1", "--metrics", path, ranks=3)
        metrics = read_json(path)
        self.assertLessEqual(metrics["target_reached"]["loss"], 0.1)
        self.assertLess(metrics["gradients"], 20000)


if __name__ == "__main__":
    main()
