#!/usr/bin/env python3
"""Plots of training runs: python3 scripts/plots/training.py RUN.json... --output DIR [--target LOSS] [--log]

Reads metrics of pstrain (--metrics) and writes PNG and SVG files:

  loss        loss against time, and against the number of gradients, a line a run
  staleness   how often each clock lead and each version staleness was seen, a row a run

A run is called what its file is called, without .json. Needs matplotlib (Debian: python3-matplotlib).
"""

import argparse
import json
import sys
from pathlib import Path

from figures import pyplot, save

BARS = 40  # of a histogram; what is beyond is added to the last one


def plot_loss(runs, directory, target, logarithmic):
    figure, axes = pyplot.subplots(1, 2, figsize=(11, 4.2), sharey=True)
    for axis, (key, label) in zip(axes, (("seconds", "seconds"), ("gradients", "gradients"))):
        for name, run in runs.items():
            points = [point for point in run["curve"] if point["loss"] is not None]
            axis.plot([point[key] for point in points], [point["loss"] for point in points], label=name, linewidth=1.4)
        if target is not None:
            axis.axhline(target, color="black", linewidth=0.7, linestyle=":")
        if logarithmic:
            axis.set_yscale("log")
        axis.set_xlabel(label)
        axis.grid(alpha=0.3)
    axes[0].set_ylabel("loss on the monitored rows")
    axes[1].legend(fontsize=8)
    save(figure, directory, "loss")


def shortened(histogram):
    if len(histogram) <= BARS:
        return histogram
    return histogram[:BARS - 1] + [sum(histogram[BARS - 1:])]


def plot_staleness(runs, directory):
    figure, axes = pyplot.subplots(len(runs), 2, figsize=(10, 1.7 * len(runs) + 0.6), squeeze=False)
    for row, (name, run) in zip(axes, runs.items()):
        for axis, key in zip(row, ("clock_lead", "version_staleness")):
            bars = shortened(run[key]["histogram"])
            axis.bar(range(len(bars)), bars, width=0.9)
            axis.set_title(f"{name}: {key.replace('_', ' ')}, mean {run[key]['mean']:.2f}, max {run[key]['max']}",
                           fontsize=8)
            axis.tick_params(labelsize=7)
    figure.tight_layout()
    save(figure, directory, "staleness")


def main():
    parser = argparse.ArgumentParser(prog="training.py", description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="+", type=Path, metavar="RUN.json")
    parser.add_argument("--output", type=Path, required=True, help="directory for the plots")
    parser.add_argument("--target", type=float, help="a line at this loss")
    parser.add_argument("--log", action="store_true", help="logarithmic losses")
    arguments = parser.parse_args()
    runs = {}
    for path in arguments.files:
        document = json.loads(path.read_text(encoding="utf-8"))
        if "curve" not in document:
            sys.exit(f"training.py: {path}: no metrics of pstrain")
        runs[path.stem] = document
    arguments.output.mkdir(parents=True, exist_ok=True)
    plot_loss(runs, arguments.output, arguments.target, arguments.log)
    plot_staleness(runs, arguments.output)


if __name__ == "__main__":
    main()
