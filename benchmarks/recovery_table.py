#!/usr/bin/env python3
"""What a checkpoint costs beside a plain write to the same disk, and how long survivors need to go on.

Only the standard library is used. benchmarks/run_recovery.sh builds everything and calls this.
"""

import argparse
import shutil
import subprocess
import sys
import time
from pathlib import Path

from engine_runs import RunFailed, Tools, markdown_table, median

CHECKPOINT_BUDGET = 0.5  # of what dd writes
RECOVERY_BUDGETS = {"disk": 2.0, "memory": 0.5}  # seconds from the kill to the next superstep
LIMIT_SECONDS = 300
ITERATIONS = 8  # a checkpoint before each


def write_by_dd(directory, count):
    """Seconds that dd needs to bring `count` bytes to the disk."""
    target = directory / "dd"
    blocks = max(1, count >> 20)
    begin = time.monotonic()
    subprocess.run(["dd", "if=/dev/zero", f"of={target}", "bs=1M", f"count={blocks}", "conv=fsync"], check=True,
                   capture_output=True)
    seconds = time.monotonic() - begin
    target.unlink()
    return (blocks << 20) / seconds


def fresh(directory):
    """An empty place for the checkpoints of one job."""
    shutil.rmtree(directory, ignore_errors=True)
    return directory


def measure_checkpoints(tools, arguments):
    """Bytes a second of the engine's checkpoints and of dd, round by round."""
    rows = []
    for _ in range(arguments.rounds):
        store = fresh(Path(arguments.disk) / "job")
        metrics = tools.pregel("pagerank", ["--generate", f"kron:scale={arguments.scale}", "--iterations", ITERATIONS,
                                            "--checkpoint-dir", store, "--checkpoint-every", 1])
        saved = metrics["checkpoints"][1:]  # the first, of superstep 0, has no messages
        size = median([c["bytes"] for c in saved])
        # What the run lost: tables made, written and agreed on, old ones removed.
        seconds = metrics["checkpoint_seconds"] / len(metrics["checkpoints"])
        dd = median([write_by_dd(Path(arguments.disk), int(size)) for _ in range(5)])
        rows.append({"bytes": size, "written": median([c["seconds"] for c in saved]), "seconds": seconds, "dd": dd})
        shutil.rmtree(store)
    return rows


def print_checkpoints(tools, arguments):
    rows = measure_checkpoints(tools, arguments)
    size = median([row["bytes"] for row in rows])
    written = median([row["written"] for row in rows])
    dd = median([row["dd"] for row in rows])
    ratio = median([row["bytes"] / row["written"] / row["dd"] for row in rows])
    print(f"\nCheckpoints of PageRank on kron:scale={arguments.scale}, {tools.ranks} ranks, medians of "
          f"{arguments.rounds} rounds\n")
    print(markdown_table(
        ["bytes", "seconds", "MB/s", "dd conv=fsync MB/s", "ratio", "must", "seconds with making the tables"],
        [[f"{size:.0f}", f"{written:.4f}", f"{size / written / 1e6:.0f}", f"{dd / 1e6:.0f}", f"{ratio:.2f}",
          f">= {CHECKPOINT_BUDGET}", f"{median([row['seconds'] for row in rows]):.4f}"]]))
    return ratio >= CHECKPOINT_BUDGET


def print_recovery(tools, arguments):
    """Kills rank 1 of 4 in superstep 6, two supersteps after a checkpoint."""
    table, good = [], True
    for where, budget in RECOVERY_BUDGETS.items():
        runs = []
        for _ in range(arguments.rounds):
            store = fresh(Path(arguments.disk) / "job")
            keep = ["--checkpoint-dir", store] if where == "disk" else ["--checkpoint-memory"]
            metrics = tools.pregel("pagerank", ["--generate", f"kron:scale={arguments.scale}", "--iterations", ITERATIONS,
                                                "--checkpoint-every", 4, "--inject", "rank=1,superstep=6", *keep])
            runs += metrics["recoveries"]
        if len(runs) != arguments.rounds:
            raise RunFailed(f"{len(runs)} recoveries in {arguments.rounds} runs")
        detect = median([run["detect_seconds"] for run in runs])
        restore = median([run["restore_seconds"] for run in runs])
        total = median([run["detect_seconds"] + run["restore_seconds"] for run in runs])
        good = good and total <= budget
        table.append([where, f"{detect:.3f}", f"{restore:.3f}", f"{total:.3f}", f"<= {budget}"])
    print(f"\nRecovery in place of PageRank on kron:scale={arguments.scale}, 4 ranks, one killed, medians of "
          f"{arguments.rounds} rounds\n")
    print(markdown_table(["from", "noticed (s)", "restored (s)", "kill to next superstep (s)", "must"], table))
    return good


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=["checkpoints", "recovery"])
    parser.add_argument("--bin", required=True)
    parser.add_argument("--launcher", required=True)
    parser.add_argument("--disk", required=True, help="directory on the disk to be measured")
    parser.add_argument("--work", required=True)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--scale", type=int, default=20)
    arguments = parser.parse_args()
    tools = Tools(arguments.bin, arguments.launcher, 2 if arguments.what == "checkpoints" else 4, arguments.work,
                  LIMIT_SECONDS)
    measure = print_checkpoints if arguments.what == "checkpoints" else print_recovery
    try:
        return 0 if measure(tools, arguments) else 1
    except RunFailed as failed:
        print(f"recovery_table.py: {failed}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
