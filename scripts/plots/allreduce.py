#!/usr/bin/env python3
"""Plots of all-reduce measurements: python3 scripts/plots/allreduce.py --results DIR [--rate 200mbit]

Reads what benchmarks/run_allreduce.sh leaves (node-RANKS.json, cluster-HOSTS.json), what a batch job leaves
(job-RANKS.json), or any JSON of ringbench under such a name, and writes PNG and SVG files beside them:

  node-RANKS-time, node-RANKS-busbw   time and bus bandwidth against size, on one node; job-RANKS-…: on several
  cluster-hosts                       time against the number of hosts m, with the lines 2(m-1) d/b (naive ring),
                                      2(m-1)/m d/b (chunked ring) and the textbook's rough m d/b and d/b

Needs matplotlib (Debian: python3-matplotlib).
"""

import argparse
import json
import re
import sys
from pathlib import Path

from figures import pyplot, save

MAIN = {"automatic": "#d62728", "chunked_ring": "#1f77b4", "naive_ring": "#7f7f7f", "mpi": "#000000"}
OTHERS = ["#2ca02c", "#9467bd", "#8c564b", "#e377c2", "#bcbd22", "#17becf", "#ff7f0e", "#aec7e8", "#98df8a"]


def read_runs(directory, kind):
    """{ranks: {algorithm: [rows by size]}}"""
    runs = {}
    for path in directory.glob(f"{kind}-*.json"):
        document = json.loads(path.read_text())
        curves = {}
        for row in document["results"]:
            curves.setdefault(row["algorithm"], []).append(row)
        runs[document["topology"]["ranks"]] = curves
    return dict(sorted(runs.items()))


def style_of(name, names):
    """The few that matter stand out; MPI's forced algorithms are dotted."""
    if name in MAIN:
        return {"color": MAIN[name], "linewidth": 2.2, "zorder": 3}
    others = [one for one in names if one not in MAIN]
    line = ":" if name.startswith("mpi_") else "-"
    return {"color": OTHERS[others.index(name) % len(OTHERS)], "linewidth": 1.1, "linestyle": line}


def size_axis(axes):
    axes.set_xscale("log", base=2)
    axes.set_xlabel("bytes")
    ticks = [8 << (3 * i) for i in range(9)]
    axes.set_xticks(ticks, [f"{t}" if t < 1024 else f"{t >> 10}K" if t < 1 << 20 else f"{t >> 20}M" for t in ticks])
    axes.grid(True, which="major", alpha=0.3)
    axes.legend(fontsize="small", loc="center left", bbox_to_anchor=(1.01, 0.5))


def plot_sizes(directory, kind, ranks, curves):
    for quantity, label, scale, name in (("seconds_median", "seconds (median)", 1, "time"),
                                         ("busbw", "bus bandwidth, GB/s", 1e-9, "busbw")):
        figure, axes = pyplot.subplots(figsize=(8, 5))
        for algorithm, rows in curves.items():
            axes.plot([row["bytes"] for row in rows], [row[quantity] * scale for row in rows], label=algorithm,
                      **style_of(algorithm, list(curves)))
        if name == "time":
            axes.set_yscale("log")
        axes.set_ylabel(label)
        axes.set_title(f"All-reduce, {ranks} ranks" + (" on one node" if kind == "node" else ""))
        size_axis(axes)
        save(figure, directory, f"{kind}-{ranks}-{name}")


def plot_hosts(directory, runs, rate):
    hosts = list(runs)
    data = max(row["bytes"] for rows in runs[hosts[0]].values() for row in rows)
    figure, axes = pyplot.subplots(figsize=(8, 5))
    names = list(dict.fromkeys(name for curves in runs.values() for name in curves))
    for algorithm in names:
        points = [(m, row["seconds_median"]) for m in hosts for row in runs[m].get(algorithm, [])
                  if row["bytes"] == data]
        axes.plot(*zip(*points), marker="o", markersize=4, label=algorithm, **style_of(algorithm, names))
    time = data / rate
    many = [hosts[0] + i * (hosts[-1] - hosts[0]) / 60 for i in range(61)]
    for formula, label, dashes in ((lambda m: 2 * (m - 1) * time, "2(m-1) d/b", (4, 2)),
                                   (lambda m: 2 * (m - 1) / m * time, "2(m-1)/m d/b", (4, 1, 1, 1)),
                                   (lambda m: m * time, "m d/b", (1, 2)), (lambda m: time, "d/b", (1, 4))):
        axes.plot(many, [formula(m) for m in many], color="#555555", linewidth=1, dashes=dashes, label=label)
    axes.set_yscale("log")
    axes.set_xticks(hosts)
    ticks = [0.25, 0.5, 1, 2, 4, 8]
    axes.set_yticks(ticks, [f"{t:g}" for t in ticks])
    axes.minorticks_off()
    axes.set_xlabel("hosts m")
    axes.set_ylabel("seconds (median)")
    axes.set_title(f"All-reduce of {data / (1 << 20):g} MiB over links of {rate * 8 / 1e6:g} Mbit/s")
    axes.grid(True, which="major", alpha=0.3)
    axes.legend(fontsize="small", loc="center left", bbox_to_anchor=(1.01, 0.5))
    save(figure, directory, "cluster-hosts")


def bytes_per_second(rate):
    match = re.fullmatch(r"([0-9.]+)([kmg])bit", rate)
    if not match:
        raise argparse.ArgumentTypeError(f"{rate}: a rate such as 200mbit")
    return float(match[1]) * {"k": 1e3, "m": 1e6, "g": 1e9}[match[2]] / 8


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--results", type=Path, default=Path("results/allreduce"), help="directory with the JSON files")
    parser.add_argument("--rate", type=bytes_per_second, default="200mbit", help="of the cluster's links (200mbit)")
    options = parser.parse_args()
    pyplot.rcParams["svg.fonttype"] = "none"  # text stays text: a fifth of the bytes
    pyplot.rcParams["svg.hashsalt"] = "superstep"
    by_size = {kind: read_runs(options.results, kind) for kind in ("node", "job")}
    clusters = read_runs(options.results, "cluster")
    if not any(by_size.values()) and not clusters:
        sys.exit(f"allreduce.py: {options.results}: no node-*.json, job-*.json or cluster-*.json")
    for kind, runs in by_size.items():
        for ranks, curves in runs.items():
            plot_sizes(options.results, kind, ranks, curves)
    if clusters:
        plot_hosts(options.results, clusters, options.rate)


if __name__ == "__main__":
    main()
