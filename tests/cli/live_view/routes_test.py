"""--monitor: what is served while a job runs, and what is refused."""

import re
import unittest

from superstep_cli import CliTest, main, run
from viewed import Viewed, fetch

LINE = re.compile(r'superstep_[a-z_]+(\{[a-z_]+="[^"]*"(,[a-z_]+="[^"]*")*\})? [-+]?([0-9.e+-]+|Inf|NaN)$')


class RoutesTest(CliTest):
    def check_metrics(self, text, *wanted):
        """Every line is one of Prometheus' format 0.0.4, and every metric is declared once, before its samples."""
        types = []
        for line in text.splitlines():
            if line.startswith("# TYPE "):
                types.append(line.split()[2])
                self.assertIn(line.split()[3], ("counter", "gauge"))
            elif not line.startswith("# HELP "):
                self.assertRegex(line, LINE)
                self.assertEqual(re.split(r"[{ ]", line)[0], types[-1])
        self.assertEqual(len(types), len(set(types)))
        for name in wanted:
            self.assertIn("superstep_" + name, types)

    def test_a_graph_job_is_told_while_it_runs(self):
        for ranks in (1, 3):
            with self.subTest(ranks=ranks):
                job = Viewed(self, "pregel", "pagerank", "--generate", "kron:scale=12", "--iterations", 10000000,
                             "--checkpoint-dir", self.work / f"checkpoints{ranks}", "--checkpoint-every", 100,
                             ranks=ranks)
                status = job.status_when(lambda s: s["checkpoints"] > 1 and s["per_rank"][0]["total"]["compute_seconds"])
                self.assertEqual((status["program"], status["algorithm"], status["phase"]),
                                 ("pregel", "pagerank", "running"))
                self.assertEqual((status["graph"], status["vertices"], status["ranks"]), ("kron:scale=12", 4096, ranks))
                self.assertEqual([r["rank"] for r in status["per_rank"]], list(range(ranks)))
                for rank in status["per_rank"]:
                    self.assertGreater(rank["total"]["compute_seconds"], 0)
                    self.assertGreater(rank["resident_bytes"], 1000000)
                self.assertEqual(status["active"], 4096)
                self.assertIn("dangling", status["aggregates"])
                self.assertEqual(status["events"][0]["kind"], "checkpoint")
                later = job.status_when(lambda s: s["superstep"] > 700)
                history = later["history"]
                self.assertLessEqual(len(history["active"]), 256)
                self.assertGreaterEqual(history["stride"] * len(history["active"]), 700)
                self.assertEqual(set(history["active"]), {4096})
                kind, text = fetch(job.url + "metrics")[1:]
                self.assertEqual(kind, "text/plain; version=0.0.4; charset=utf-8")
                self.check_metrics(text, "superstep", "messages_total", "rank_seconds_total", "checkpoints_total",
                                   "aggregate")
                self.assertIn("<title>Superstep</title>", fetch(job.url)[2])
                self.assertEqual(fetch(job.url + "nothing")[0], 404)
                if ranks == 3:
                    port = job.url.rstrip("/").rsplit(":", 1)[1]
                    refused = run("pregel", "pagerank", "--graph", self.work / "none.txt", "--monitor", port, ranks=2)
                    self.assertEqual(refused.code, 2, str(refused))
                    ours = [line for line in refused.err.splitlines() if line.startswith("pregel: ")]
                    self.assertEqual(len(ours), 1, str(refused))
                    self.assertIn(f"cannot listen on 127.0.0.1:{port}", ours[0])  # before the file was missed
                job.end()

    def test_the_result_is_the_same(self):
        for name, extra in ("without", []), ("with", ["--monitor", "0"]):
            self.run_well("pregel", "pagerank", "--generate", "kron:scale=10", "--output", self.work / name, *extra,
                          ranks=2)
        self.assertEqual((self.work / "with").read_bytes(), (self.work / "without").read_bytes())

    def test_a_training_is_told_while_it_runs(self):
        for strategy, ranks in ("ssp", 3), ("allreduce", 2):
            with self.subTest(strategy=strategy):
                job = Viewed(self, "pstrain", "ridge", "--data", "synthetic:ridge,rows=4096,features=10,noise=0.1",
                             "--strategy", strategy, "--gradients", 10000000, "--learning-rate", 0.00001, ranks=ranks)
                workers = 2
                status = job.status_when(
                    lambda s: len(s["curve"]) > 2 and s["samples_per_second"] and
                    sum(r["gradients"] > 0 for r in s["per_rank"]) == workers)
                self.assertEqual((status["program"], status["model"], status["strategy"], status["phase"]),
                                 ("pstrain", "ridge", strategy, "training"))
                self.assertEqual((status["workers"], status["ranks"]), (workers, ranks))
                self.assertLess(status["loss"], status["curve"][0]["loss"])
                self.assertEqual(status["gradients"], sum(r["gradients"] for r in status["per_rank"]))
                self.assertEqual(status["gradients_planned"], workers * 10000000)
                if strategy == "ssp":
                    self.assertLessEqual(status["clock_lead"]["max"], 3)
                self.check_metrics(fetch(job.url + "metrics")[2], "training_loss", "gradients_total",
                                   "worker_gradients_total")
                job.end()

    def test_an_address_without_a_port_is_refused(self):
        refused = run("pregel", "pagerank", "--generate", "kron:scale=5", "--monitor-address", "0.0.0.0")
        self.assertEqual(refused.code, 2)
        self.assertIn("--monitor-address requires --monitor", refused.err)


if __name__ == "__main__":
    main()
