#!/usr/bin/env python3
"""Strong and weak scaling: the same work, or the same work for each unit, on more ranks and threads.

  benchmarks/scaling/scaling_study.py strong|weak --results DIR [--workloads "pagerank bfs wcc sssp cnn allreduce"]
      [--ranks 1,2,4] [--threads 1] [--scale 18] [--rounds 3] [--launch "mpirun -n {ranks}"] [--cluster 200mbit]

Every point (ranks x threads) of a workload is run `rounds` times, all points in turn, so that a slow minute of the
machine meets all of them; medians are reported. A unit is a rank's thread. Graphs are Kronecker graphs: strong scaling
has one of --scale for all, weak scaling one that is twice as large for twice the units (so units must be powers of two).
Columns:

  rate         edges x rounds a second (graphs), samples a second (cnn), bus bandwidth (allreduce)
  speed-up     rate over that of the first point; in weak scaling this is the scaled speed-up (Gustafson)
  efficiency   speed-up over the ratio of units; for allreduce the ratio of bus bandwidths, which should not fall
  compute, exchange, wait   of the slowest rank, each superstep's summed: what is computed, sent, and waited for others
               at the barrier (stragglers). The slowest differs from phase to phase: together they may exceed seconds
  I/O          loading or generating the graph, and writing

--cluster RATE runs the ranks on that many virtual hosts with links of that speed (scripts/drills/virtual_cluster.sh; root).
Writes STUDY.json and STUDY.csv into DIR and prints the table; scripts/plots/scaling.py draws it.
"""

import argparse
import csv
import functools
import json
import pathlib
import shlex
import statistics
import subprocess
import sys
import tempfile

from jobs import BIN, CLUSTER, default_launch, numbers, run


@functools.cache
def source_of(scale):
    """The first vertex of the Kronecker graph from which one gets anywhere: a third of them have no edge."""
    with tempfile.TemporaryDirectory() as directory:
        sources, metrics = pathlib.Path(directory, "sources.txt"), pathlib.Path(directory, "metrics.json")
        sources.write_text("".join(f"{vertex}\n" for vertex in range(64)))
        words = [*default_launch().format(ranks=1).split(), BIN / "pregel", "bfs", "--generate", f"kron:scale={scale}",
                 "--sources", sources, "--quiet", "--metrics", metrics]
        subprocess.run(words, check=True, stdin=subprocess.DEVNULL)
        return next(run["source"] for run in json.loads(metrics.read_text())["runs"] if run["supersteps"] > 3)


class Graph:
    """A vertex program on a Kronecker graph. `rounds`: how often it looks at all edges, if that is given."""

    def __init__(self, algorithm, rounds=None):
        self.algorithm, self.rounds = algorithm, rounds

    def options(self, point):
        if self.rounds:
            return ["--iterations", self.rounds]
        return ["--source", source_of(point.scale)] if self.algorithm in ("bfs", "sssp") else []

    def words(self, point, metrics):
        weights = ",weights=int" if self.algorithm == "sssp" else ""
        return [BIN / "pregel", self.algorithm, *self.options(point), "--generate", f"kron:scale={point.scale}{weights}",
                "--threads", point.threads, "--quiet", "--metrics", metrics]

    def read(self, metrics):
        steps = metrics["per_superstep"]
        parts = {name: sum(step[f"{name}_seconds"] for step in steps) for name in ("compute", "exchange", "wait")}
        return {"seconds": metrics["run_seconds"], "rate": metrics["edges"] * (self.rounds or 1) / metrics["run_seconds"],
                "io": metrics["load_seconds"] + metrics["output_seconds"] + metrics["checkpoint_seconds"], **parts}


class Training:
    """The convolutional network, data parallel: 64 samples a round in strong scaling, 32 a rank in weak."""

    def __init__(self, kind):
        self.kind = kind

    def words(self, point, metrics):
        workers, batch = point.ranks, 32 if self.kind == "weak" else 64 // point.ranks
        rows = 1024 * (point.ranks if self.kind == "weak" else 1)
        return [BIN / "pstrain", "cnn", "--data", f"synthetic:images,size=28,classes=10,rows={rows}", "--strategy",
                "allreduce", "--workers", workers, "--batch", batch, "--epochs", 1, "--quiet", "--metrics", metrics]

    def read(self, metrics):
        wait = metrics["wait_seconds"] / metrics["workers"]
        return {"seconds": metrics["train_seconds"], "rate": metrics["samples_per_second"], "io": 0, "exchange": 0,
                "compute": metrics["train_seconds"] - wait, "wait": wait}


class AllReduce:
    """8 MiB of float32 from every rank."""

    def words(self, point, metrics):
        return [BIN / "ringbench", "--algorithms", "automatic", "--min", "8M", "--max", "8M", "--json", metrics]

    def read(self, metrics):
        row = metrics["results"][0]
        return {"seconds": row["seconds_median"], "rate": row["busbw"], "compute": 0, "exchange": row["seconds_median"],
                "wait": 0, "io": 0}


def workload(name, kind):
    made = {"pagerank": lambda: Graph("pagerank", rounds=20), "bfs": lambda: Graph("bfs"),
            "wcc": lambda: Graph("wcc"), "sssp": lambda: Graph("sssp"), "cnn": lambda: Training(kind),
            "allreduce": AllReduce}
    if name not in made:
        sys.exit(f"scaling_study.py: no workload '{name}'; known: {' '.join(made)}")
    return made[name]()


class Point:
    def __init__(self, name, ranks, threads, scale):
        self.name, self.ranks, self.threads, self.scale = name, ranks, threads, scale
        self.runs = []

    @property
    def units(self):
        return self.ranks * self.threads

    def result(self):
        medians = {key: statistics.median(run[key] for run in self.runs) for key in self.runs[0]}
        return {"workload": self.name, "ranks": self.ranks, "threads": self.threads, "scale": self.scale, **medians,
                "runs": [run["seconds"] for run in self.runs]}


def points_of(name, options):
    """The points where this workload makes sense."""
    threads = options.threads if name not in ("cnn", "allreduce") else [1]
    points = []
    for ranks in options.ranks:
        for count in threads:
            if name == "allreduce" and ranks == 1:
                continue  # nothing to reduce
            units, scale = ranks * count, options.scale
            if options.kind == "weak" and name not in ("cnn", "allreduce"):
                if units & (units - 1):
                    sys.exit(f"scaling_study.py: weak scaling of graphs needs powers of two, not {units} units")
                scale += units.bit_length() - 1
            if name == "cnn" and options.kind == "strong" and 64 % ranks:
                sys.exit(f"scaling_study.py: 64 samples a round cannot be shared by {ranks} ranks evenly")
            points.append(Point(name, ranks, count, scale))
    return points


def run_point(point, work, options):
    with tempfile.TemporaryDirectory() as directory:
        metrics = pathlib.Path(directory) / "metrics.json"
        launch = [word.format(ranks=point.ranks, threads=point.threads) for word in shlex.split(options.launch)]
        words = [*launch, *work.words(point, metrics)]
        run(words, options.limit)
        if not metrics.exists():
            sys.exit(f"scaling_study.py: no metrics were left by: {' '.join(map(str, words))}")
        point.runs.append(work.read(json.loads(metrics.read_text())))


def add_ratios(rows):
    """Speed-up and efficiency, against the first point of each workload."""
    first = {}
    for row in rows:
        base = first.setdefault(row["workload"], row)
        ratio = row["rate"] / base["rate"]
        if row["workload"] == "allreduce":
            row["speed_up"], row["efficiency"] = None, ratio
        else:
            units = row["ranks"] * row["threads"] / (base["ranks"] * base["threads"])
            row["speed_up"], row["efficiency"] = ratio, ratio / units


def render(rows):
    titles = ("workload", "ranks", "threads", "scale", "seconds", "rate", "speed-up", "efficiency", "compute", "exchange",
              "wait", "I/O")
    lines = ["| " + " | ".join(titles) + " |", "|---" * len(titles) + "|"]
    for row in rows:
        graph = row["workload"] not in ("cnn", "allreduce")
        cells = (row["workload"], row["ranks"], row["threads"], row["scale"] if graph else "–", f"{row['seconds']:.4f}",
                 f"{row['rate']:.3g}", "–" if row["speed_up"] is None else f"{row['speed_up']:.2f}",
                 f"{row['efficiency']:.2f}", *(f"{row[key]:.4f}" for key in ("compute", "exchange", "wait", "io")))
        lines.append("| " + " | ".join(map(str, cells)) + " |")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=("strong", "weak"))
    parser.add_argument("--results", type=pathlib.Path, required=True, help="directory for STUDY.json and STUDY.csv")
    parser.add_argument("--workloads", default="pagerank bfs wcc sssp cnn allreduce")
    parser.add_argument("--ranks", type=numbers, default=[1, 2, 4])
    parser.add_argument("--threads", type=numbers, default=[1])
    parser.add_argument("--scale", type=int, default=18, help="of the graph; in weak scaling of one unit's graph (18)")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--limit", type=float, default=600, help="seconds for one run")
    parser.add_argument("--launch", help="starts {ranks} ranks of {threads} threads (default: this machine's mpirun)")
    parser.add_argument("--cluster", metavar="RATE", help="a rank on each of as many virtual hosts, links of RATE")
    options = parser.parse_args()
    if options.cluster and options.launch:
        parser.error("--cluster and --launch exclude each other")
    options.launch = options.launch or (f"{CLUSTER} run -n {{ranks}} --hosts {{ranks}}" if options.cluster else default_launch())
    works = {name: workload(name, options.kind) for name in options.workloads.split()}
    points = [point for name in works for point in points_of(name, options)]
    options.results.mkdir(parents=True, exist_ok=True)
    if options.cluster:
        subprocess.run([CLUSTER, "up", str(max(options.ranks)), options.cluster], check=True)
    try:
        for number in range(options.rounds):
            for point in points:
                run_point(point, works[point.name], options)
                print(f"round {number + 1} of {options.rounds}: {point.name} on {point.ranks} x {point.threads}: "
                      f"{point.runs[-1]['seconds']:.4f} s", file=sys.stderr, flush=True)
    finally:
        if options.cluster:
            subprocess.run([CLUSTER, "down"], check=False)
    rows = [point.result() for point in points]
    add_ratios(rows)
    document = {"kind": options.kind, "launch": options.launch, "cluster": options.cluster, "points": rows}
    (options.results / f"{options.kind}_scaling.json").write_text(json.dumps(document, indent=1) + "\n")
    with open(options.results / f"{options.kind}_scaling.csv", "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, [key for key in rows[0] if key != "runs"], extrasaction="ignore")
        writer.writeheader()
        writer.writerows(rows)
    print(render(rows))


if __name__ == "__main__":
    main()
