"""Every batch script of scripts/slurm ends COMPLETED under a real Slurm and leaves what it promises."""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

from superstep_cli import BIN, REPOSITORY, SKIPPED

SCRIPTS = REPOSITORY / "scripts/slurm"
LOCAL = SCRIPTS / "local_slurm.sh"


def call(*words, timeout=120, **more):
    return subprocess.run([str(word) for word in words], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=timeout, **more)


class BatchScripts(unittest.TestCase):

    def setUp(self):
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="slurm-test-"))
        self.addCleanup(shutil.rmtree, self.directory, ignore_errors=True)

    def submit(self, script, *arguments, options=()):
        """The job's number."""
        ended = call(LOCAL, "run", "sbatch", "--parsable", *options, SCRIPTS / script, *arguments, cwd=self.directory)
        self.assertEqual(ended.returncode, 0, ended.stderr)
        return ended.stdout.strip()

    def completed(self, script, *arguments, options=(), seconds=100):
        """The job's results directory, after it has ended well."""
        job = self.submit(script, *arguments, options=options)
        ended = call(LOCAL, "wait", job, seconds, timeout=seconds + 20)
        name = script.removesuffix(".sbatch")
        output = self.directory / f"{name}-{job}.out"
        said = output.read_text() if output.exists() else "(no output)"
        self.assertEqual(ended.stdout.strip(), "COMPLETED", f"{ended.stderr}\n{said}")
        return self.directory / "results" / f"{name}-{job}"

    def test_pregel(self):
        results = self.completed("pregel.sbatch", "wcc", "--generate", "kron:scale=10")
        self.assertEqual(len((results / "result.txt").read_text().splitlines()), 1024)
        self.assertEqual(json.loads((results / "metrics.json").read_text())["ranks"], 4)
        for name in ("trace.csv", "log.txt", "checkpoints/completed"):
            self.assertTrue((results / name).exists(), name)

    def test_an_unknown_option_fails_the_job_and_is_in_its_output(self):
        job = self.submit("pregel.sbatch", "wcc", "--no-such-option")
        ended = call(LOCAL, "wait", job, 60)
        self.assertEqual((ended.returncode, ended.stdout.strip()), (1, "FAILED"))
        self.assertIn("--no-such-option", (self.directory / f"pregel-{job}.out").read_text())

    def test_the_warning_before_the_time_limit_saves_and_requeues(self):
        job = self.submit("pregel.sbatch", "pagerank", "--generate", "kron:scale=12", "--iterations", 100000000,
                          "--checkpoint-every", 1000000)
        log = self.directory / "results" / f"pregel-{job}" / "log.txt"
        self.wait_until(lambda: log.exists() and "loaded in" in log.read_text(), "the job runs", log)
        call(LOCAL, "run", "scancel", "--batch", "--signal=USR1", job)
        self.wait_until(lambda: "requeued" in log.read_text(), "the job is requeued", log)
        self.assertIn("stopped on request after a checkpoint", log.read_text())
        state = call(LOCAL, "run", "scontrol", "--oneliner", "show", "job", job).stdout
        self.assertIn("Restarts=1", state)
        call(LOCAL, "run", "scancel", job)

    def wait_until(self, condition, what, log):
        for _ in range(400):
            if condition():
                return
            call("sleep", "0.1")
        self.fail(f"not within 40 s: {what}\n{log.read_text() if log.exists() else ''}")

    def test_train(self):
        results = self.completed("train.sbatch", "ridge", "--data", "synthetic:ridge,rows=400,features=8", "--strategy",
                                 "allreduce", "--epochs", 2)
        metrics = json.loads((results / "metrics.json").read_text())
        self.assertEqual((metrics["workers"], metrics["strategy"]), (4, "allreduce"))
        self.assertTrue((results / "model.h5").exists())

    def test_allreduce(self):
        results = self.completed("allreduce.sbatch", "--min", "64K", "--max", "64K", "--seconds", "0.1")
        rows = json.loads((results / "job-2.json").read_text())["results"]
        self.assertIn("mpi", {row["algorithm"] for row in rows})
        self.assertEqual({row["errors"] for row in rows}, {0})

    def test_fault_drill(self):
        results = self.completed("fault_drill.sbatch", "pagerank", "--generate", "kron:scale=10", "--iterations", 20)
        self.assertEqual((results / "undisturbed.txt").read_bytes(), (results / "disturbed.txt").read_bytes())
        self.assertIn("== same bytes", (results / "log.txt").read_text())

    def test_scaling(self):
        for kind in ("strong", "weak"):
            results = self.completed(f"{kind}_scaling.sbatch", "--scale", 10, "--rounds", 1, "--workloads",
                                     "pagerank sssp allreduce")
            points = json.loads((results / f"{kind}_scaling.json").read_text())["points"]
            self.assertEqual([(p["workload"], p["ranks"]) for p in points],
                             [("pagerank", 1), ("pagerank", 2), ("pagerank", 4), ("sssp", 1), ("sssp", 2), ("sssp", 4),
                              ("allreduce", 2), ("allreduce", 4)])
            self.assertIn("| pagerank | 4 | 1 |", (results / "log.txt").read_text())
            plots = list(results.glob("*.png"))
            self.assertTrue(len(plots) == 2 or "matplotlib is missing" in (results / "log.txt").read_text())


def main():
    if os.geteuid() != 0:
        print("skipped: starting Slurm needs root")
        return SKIPPED
    with tempfile.TemporaryDirectory(prefix="slurm-") as own:
        # Its own Slurm, whatever else runs here.
        os.environ["SUPERSTEP_SLURM_DIR"] = f"{own}/slurm"
        os.environ["SUPERSTEP_SLURM_PORT"] = "16917"
        os.environ["SUPERSTEP_BIN_DIR"] = str(BIN)
        try:
            up = call(LOCAL, "up", timeout=240)
            if up.returncode != 0:
                print(f"local_slurm.sh up failed:\n{up.stdout}{up.stderr}")
                return 1
            program = unittest.main(exit=False, verbosity=2)
            return 0 if program.result.wasSuccessful() else 1
        finally:
            call(LOCAL, "down", timeout=60)


if __name__ == "__main__":
    sys.exit(main())
