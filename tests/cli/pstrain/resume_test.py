"""Training that is stopped and goes on, on other ranks and servers: the same model where that is promised."""

import os
import pathlib
import signal
import subprocess
import time

from superstep_cli import BIN, LAUNCHER, CliTest, main, read_json, run

DATA = ["--data", "synthetic:ridge,rows=300,features=9,noise=0.1,seed=2", "--workers", "4", "--optimizer", "adam",
        "--learning-rate", "0.01"]


def ranks_under(ancestor):
    """Process ids of the running pstrain that this process has started, itself or through others; ascending."""
    parents, names = {}, {}
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            before, after = stat.read_text().rsplit(")", 1)
        except OSError:  # it has just ended
            continue
        pid, name = before.split(" (", 1)
        names[int(pid)], parents[int(pid)] = name, int(after.split()[1])

    def is_below(pid):
        while pid in parents and pid != ancestor:
            pid = parents[pid]
        return pid == ancestor

    return sorted(pid for pid, name in names.items() if name == "pstrain" and is_below(pid))


class ResumeTest(CliTest):

    def predictions(self, model):
        """They stand for the parameters of a model, which the standard library cannot read."""
        text = self.work / f"{model.stem}.txt"
        self.run_well("pstrain", "--predict", model, *DATA[:2], "--output", text, "--quiet")
        return text.read_text()

    def train(self, name, *options, **how):
        model = self.work / f"{name}.h5"
        self.run_well("pstrain", "ridge", *DATA, *options, "--output", model, "--quiet", **how)
        return self.predictions(model)

    def test_same_model_on_other_ranks(self):
        for strategy, others in (("sync", [(1, "all"), (3, "1"), (4, "2"), (2, "all")]), ("allreduce", [(1, "0"), (3, "0")]),
                                 ("gossip", [(1, "0"), (4, "0")])):
            with self.subTest(strategy):
                undisturbed = self.train(f"{strategy}-whole", "--strategy", strategy, "--gradients", "60", ranks=2)
                for number, (ranks, servers) in enumerate(others):
                    checkpoints = self.work / f"{strategy}-{number}"
                    common = ["--strategy", strategy, "--checkpoint-dir", checkpoints, "--checkpoint-every", "25"]
                    self.train("part", *common, "--gradients", "30", ranks=2)
                    metrics = self.work / "metrics.json"
                    resumed = self.train("resumed", *common, "--gradients", "60", "--servers", servers, "--resume",
                                         "--metrics", metrics, ranks=ranks)
                    self.assertEqual(resumed, undisturbed)
                    self.assertEqual(read_json(metrics)["resumed_from"], 25)
                    self.assertEqual(read_json(metrics)["gradients"], 240)
                    self.assertTrue((checkpoints / "completed").exists())

    def test_signal_ends_with_a_checkpoint_and_exit_code_75(self):
        for strategy in "sync", "ssp", "gossip":
            with self.subTest(strategy):
                checkpoints = self.work / strategy
                options = ["ridge", *DATA, "--strategy", strategy, "--gradients", "3000", "--checkpoint-dir", checkpoints]
                command = [*LAUNCHER, "2", BIN / "pstrain", *options, "--gradient-seconds", "0.01"]
                with subprocess.Popen(list(map(str, command)), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                      stderr=subprocess.PIPE, text=True) as process:
                    time.sleep(2.5)
                    process.send_signal(signal.SIGUSR1)  # which launchers pass on
                    _, err = process.communicate(timeout=60)
                self.assertEqual(process.returncode, 75, err)
                self.assertIn("stopped on request", err)
                self.assertEqual(len(list(checkpoints.glob("step-*/checkpoint.h5"))), 1)
                self.run_well("pstrain", *options, "--resume", ranks=3)

    def test_refusals_name_the_difference(self):
        checkpoints = self.work / "checkpoints"
        common = ["--checkpoint-dir", checkpoints, "--checkpoint-every", "5", "--gradients", "12"]
        self.train("first", *common, ranks=2)
        finished = run("pstrain", "ridge", *DATA, *common, ranks=2)
        self.assertEqual(finished.code, 2, str(finished))
        self.assertIn("holds checkpoints of an earlier run (the last at step 10)", finished.err)
        finished = run("pstrain", "ridge", *DATA, *common, "--resume", "--batch", "16", ranks=2)
        self.assertEqual(finished.code, 2, str(finished))
        self.assertIn("--batch was 32, now it is 16", finished.err)
        other = ["--data", DATA[1].replace("seed=2", "seed=3"), *DATA[2:]]  # of the same shape
        finished = run("pstrain", "ridge", *other, *common, "--resume", ranks=3)
        self.assertEqual(finished.code, 2, str(finished))
        self.assertRegex(finished.err, "the fingerprint of --data was [0-9a-f]{16}, now it is [0-9a-f]{16}")

    def test_a_directory_belongs_to_one_program(self):
        trained, computed = self.work / "trained", self.work / "computed"
        graph = ["pagerank", "--generate", "grid:rows=4,columns=4", "--iterations", "8"]
        self.train("first", "--checkpoint-dir", trained, "--checkpoint-every", "5", "--gradients", "12")
        self.run_well("pregel", *graph, "--checkpoint-dir", computed, "--checkpoint-every", "4")
        for resume in [], ["--resume"]:
            for program, arguments, directory, reason in (
                    ("pstrain", ["ridge", *DATA], computed, "these are checkpoints of pregel, not of pstrain"),
                    ("pregel", graph, trained, "these are checkpoints of pstrain, not of pregel")):
                with self.subTest(program, resume=resume):
                    finished = run(program, *arguments, "--checkpoint-dir", directory, *resume, ranks=2)
                    self.assertEqual(finished.code, 2, str(finished))
                    lines = [line for line in finished.err.splitlines() if f"{program}: " in line]
                    self.assertEqual(len(lines), 1, str(finished))
                    self.assertIn(f"--checkpoint-dir {directory}: {reason} ({directory}/", lines[0])

    def test_supervise_starts_a_killed_run_again(self):
        undisturbed = self.train("whole", "--gradients", "300", ranks=3)
        model, checkpoints = self.work / "model.h5", self.work / "checkpoints"
        command = [BIN / "supervise", "--", *LAUNCHER, "3", BIN / "pstrain", "ridge", *DATA, "--gradients", "300",
                   "--checkpoint-dir", checkpoints, "--checkpoint-every", "20", "--gradient-seconds", "0.01", "--output",
                   model, "--quiet"]
        with subprocess.Popen(list(map(str, command)), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, start_new_session=True) as process:
            deadline = time.time() + 30
            while not list(checkpoints.glob("step-*/checkpoint.h5")) and time.time() < deadline:
                time.sleep(0.05)
            os.kill(ranks_under(process.pid)[-1], signal.SIGKILL)
            out, _ = process.communicate(timeout=90)
        self.assertEqual(process.returncode, 0, out)
        self.assertEqual(self.predictions(model), undisturbed, out)

    def test_a_smaller_job_keeps_the_workers(self):
        checkpoints, metrics = self.work / "checkpoints", self.work / "metrics.json"
        train = ["pstrain", "ridge", *DATA[:2], "--checkpoint-dir", checkpoints, "--quiet", "--metrics", metrics]
        self.run_well(*train, "--gradients", "20", "--checkpoint-every", "10", ranks=4)
        self.run_well(*train, "--gradients", "40", "--resume", ranks=2)
        self.assertEqual(read_json(metrics)["workers"], 3)
        self.assertEqual(read_json(metrics)["resumed_from"], 10)


if __name__ == "__main__":
    main()
