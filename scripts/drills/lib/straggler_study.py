"""The study of scripts/drills/straggler_study.sh: runs, the table, the checks."""

import argparse
import json
import math
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

from table import render

BIN = pathlib.Path(os.environ["SUPERSTEP_BIN_DIR"])
LAUNCHER = ["mpirun", *os.environ.get("SUPERSTEP_MPI_FLAGS", "").split()]
WORKERS = 4
# The loss falls from 3.8 to 0.005; synchronous training comes to the target in the 48th round, as in the textbook.
PROBLEM = ["--data", "synthetic:ridge,rows=4096,features=10,noise=0.1,seed=1"]
RATE = ["--learning-rate", "0.05", "--batch", "256"]
TARGET = [*RATE, "--target-loss", "0.042", "--loss-every", "1", "--gradient-seconds", "0.05"]
SLOW = ["--straggler", "3:4"]

# name: options, the textbook's time in units of a gradient, gradients, messages
ROWS = {
    "sync, no straggler": (["--strategy", "sync"], 62.4, 192, 384),
    "sync": (["--strategy", "sync", *SLOW], 249.6, 192, 384),
    "ssp s=0": (["--strategy", "ssp", "--staleness", "0", *SLOW], 62.4, None, None),
    "ssp s=1": (["--strategy", "ssp", "--staleness", "1", *SLOW], 57.2, None, None),
    "ssp s=3": (["--strategy", "ssp", "--staleness", "3", *SLOW], 52.0, 50, 100),
    "ssp s=10": (["--strategy", "ssp", "--staleness", "10", *SLOW], 26.0, None, None),
    "ssp s=inf": (["--strategy", "ssp", "--staleness", "inf", *SLOW], 20.8, None, None),
    "async": (["--strategy", "async", *SLOW], 20.8, 52, 104),
    "local H=20": (["--strategy", "local", "--local-steps", "20", *SLOW], 416.0, 320, 32),
}
BOUNDS = {"ssp s=0": 0, "ssp s=1": 1, "ssp s=3": 3, "ssp s=10": 10}

failures = []


def check(condition, what):
    print(f"  {'ok    ' if condition else 'FAILED'} {what}")
    if not condition:
        failures.append(what)


def train(directory, *options, problem=PROBLEM, may_diverge=False):
    """The metrics of one run."""
    path = directory / "metrics.json"
    path.unlink(missing_ok=True)
    command = [*LAUNCHER, "-n", str(WORKERS + 1), BIN / "pstrain", "ridge", *problem, "--servers", "1", *options, "--metrics",
               path, "--quiet"]
    done = subprocess.run(list(map(str, command)), stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300)
    if done.returncode != 0 and not (may_diverge and "diverged" in done.stderr):
        sys.exit(f"straggler_study: {' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return json.loads(path.read_text())


def measure(directory, runs, keep):
    """{name: what the runs of one row have in common}. Rows take turns, so that a busy minute hits all of them."""
    found = {name: [] for name in ROWS}
    for number in range(runs):
        for name, (options, *_) in ROWS.items():
            metrics = train(directory, *options, *TARGET, "--gradients", "400")
            if metrics["target_reached"] is None:
                sys.exit(f"straggler_study: {name} has not come to the target loss")
            found[name].append(metrics)
            if keep:
                (keep / f"{name.replace(' ', '_').replace(',', '')}-{number}.json").write_text(json.dumps(metrics))
        print(f"  run {number + 1} of {runs} done", flush=True)
    return found


def median(runs, value):
    return statistics.median(value(metrics) for metrics in runs)


def seconds(runs):
    return median(runs, lambda m: m["target_reached"]["seconds"])


def gradients(runs):
    return median(runs, lambda m: m["target_reached"]["gradients"])


def messages_per_gradient(metrics):
    return metrics["messages"] / metrics["gradients"]


def print_table(found):
    unit = seconds(found["async"]) / ROWS["async"][1]
    rows = []
    for name, (_, time, textbook_gradients, messages) in ROWS.items():
        runs = found[name]
        computed = gradients(runs)
        rows.append([name, seconds(runs), seconds(runs) / unit, time, int(computed), textbook_gradients,
                     round(computed * median(runs, messages_per_gradient)), messages,
                     median(runs, lambda m: m["clock_lead"]["mean"]), max(m["clock_lead"]["max"] for m in runs),
                     median(runs, lambda m: m["version_staleness"]["mean"]),
                     max(m["version_staleness"]["max"] for m in runs)])
    print(render(["strategy", "seconds", "async = 20.8", "textbook", "gradients", "textbook", "messages", "textbook",
                  "lead", "max", "staleness", "max"], rows))


def check_times(found):
    ratio = seconds(found["sync"]) / seconds(found["sync, no straggler"])
    check(3.6 <= ratio <= 4.4, f"the straggler makes sync {ratio:.2f} times slower (4.0, give or take a tenth)")
    gain = seconds(found["sync"]) / seconds(found["async"])
    check(gain >= 5, f"async is {gain:.1f} times faster than sync with the straggler (at least 5)")
    times = [seconds(found[f"ssp s={s}"]) for s in ("0", "1", "3", "10", "inf")]
    shown = " ".join(f"{t:.2f}" for t in times)
    check(all(a > b for a, b in zip(times[:3], times[1:4])) and times[4] <= 1.15 * times[3],
          f"ssp gets faster with s = 0 1 3 10 inf: {shown} s (10 and inf may tie)")
    slowest, fastest = seconds(found["sync"]), seconds(found["async"])
    check(all(0.85 * fastest <= t <= slowest for t in times), "ssp lies between async and sync")


def check_staleness(found):
    for name, bound in BOUNDS.items():
        lead = max(m["clock_lead"]["max"] for m in found[name])
        check(lead <= bound, f"{name}: clock lead at most {lead}")
        stale = max(m["version_staleness"]["max"] for m in found[name])
        limit = (WORKERS - 1) * (2 * bound + 1)
        check(stale <= limit, f"{name}: version staleness at most {stale}, bound (W-1)(2s+1) = {limit}")


def check_messages(directory, found):
    check(all(messages_per_gradient(m) == 2 for m in found["sync"]), "sync sends 2 messages a gradient")
    local = train(directory, "--strategy", "local", "--local-steps", "50", "--gradients", "200", *RATE)
    ratio = messages_per_gradient(local)
    check(math.isclose(ratio, 0.04), f"local H=50 sends {ratio:.3f} messages a gradient (0.04)")


def check_divergence(directory):
    """32 workers on four ranks, one of them four times slower, on a problem whose curvature is 1 in both of its directions.
    31 workers in turn make every gradient thirty versions old, which a learning rate above 1.6 / 32 does not stand. A
    bound on staleness makes them wait for the slow one and then begin together: that is one large batch, which stands
    up to 2 / 32. Synchronous training averages and stands 2."""
    wild = ["--data", "synthetic:ridge,rows=16384,features=1,noise=0.1,seed=1", "--workers", "32", "--batch", "512",
            "--learning-rate", "0.0575", "--straggler", "31:4", "--gradient-seconds", "0.01", "--loss-every", "1"]
    print("learning rate 1.84 / 32, 32 workers:")
    metrics = train(directory, "--strategy", "async", "--gradients", "400", problem=wild, may_diverge=True)
    check(metrics["diverged"], f"async diverges (after {metrics['gradients']} gradients)")
    for options in (["sync"], *(["ssp", "--staleness", s] for s in ("0", "3", "10"))):
        metrics = train(directory, "--strategy", *options, "--gradients", "100", problem=wild, may_diverge=True)
        check(not metrics["diverged"] and metrics["train_loss"] < 0.01,
              f"{' '.join(options).replace('--', '')} converges: loss {metrics['train_loss']:.4f}")


def main():
    parser = argparse.ArgumentParser(prog="straggler_study.sh")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--keep", type=pathlib.Path, help="directory for the JSON files of all runs")
    arguments = parser.parse_args()
    if arguments.keep:
        arguments.keep.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="superstep-straggler-") as name:
        directory = pathlib.Path(name)
        found = measure(directory, arguments.runs, arguments.keep)
        print_table(found)
        check_times(found)
        check_staleness(found)
        check_messages(directory, found)
        check_divergence(directory)
    print(f"{len(failures)} checks failed" if failures else "all checks passed")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
