#!/usr/bin/env python3
"""Plots of a scaling study: python3 scripts/plots/scaling.py DIR

Reads strong_scaling.json and weak_scaling.json of benchmarks/scaling/scaling_study.py, whichever are there, and writes PNG
and SVG files beside them:

  strong_scaling, weak_scaling               speed-up and efficiency against units (ranks x threads)
  strong_scaling-time, weak_scaling-time     where the time goes: compute, exchange, wait

Needs matplotlib (Debian: python3-matplotlib).
"""

import argparse
import json
import sys
from pathlib import Path

from figures import pyplot, save

PARTS = {"compute": "#2ca02c", "exchange": "#1f77b4", "wait": "#d62728"}


def curves_of(points):
    """{"pagerank" or "pagerank, 2 threads": [points]}"""
    several = len({point["threads"] for point in points}) > 1
    curves = {}
    for point in points:
        name = point["workload"] + (f", {point['threads']} threads" if several and point["threads"] > 1 else "")
        curves.setdefault(name, []).append(point)
    return curves


def units(point):
    return point["ranks"] * point["threads"]


def plot_ratios(directory, kind, points):
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(11, 4.5))
    for name, curve in curves_of(points).items():
        at = [units(point) for point in curve]
        if curve[0]["speed_up"] is not None:
            left.plot(at, [point["speed_up"] for point in curve], marker="o", label=name)
        right.plot(at, [point["efficiency"] for point in curve], marker="o", label=name)
    ticks = sorted({units(point) for point in points})
    left.plot(ticks, [tick / ticks[0] for tick in ticks], color="#555555", dashes=(4, 2), label="ideal")
    right.axhline(1, color="#555555", dashes=(4, 2))
    for axes, label in ((left, "speed-up" if kind == "strong" else "scaled speed-up"), (right, "efficiency")):
        axes.set_xscale("log", base=2)
        axes.set_xticks(ticks, [str(tick) for tick in ticks])
        axes.set_xlabel("ranks x threads")
        axes.set_ylabel(label)
        axes.grid(True, alpha=0.3)
    right.set_ylim(bottom=0)
    left.legend(fontsize="small")
    figure.suptitle(f"{kind.capitalize()} scaling")
    save(figure, directory, f"{kind}_scaling")


def plot_time(directory, kind, points):
    figure, axes = pyplot.subplots(figsize=(max(6, 0.55 * len(points)), 4.5))
    bottoms = [0.0] * len(points)
    for part, color in PARTS.items():
        # As shares of the whole, because workloads differ in seconds by orders of magnitude.
        whole = [sum(point[name] for name in PARTS) or 1 for point in points]
        heights = [point[part] / total for point, total in zip(points, whole)]
        axes.bar(range(len(points)), heights, bottom=bottoms, color=color, label=part)
        bottoms = [bottom + height for bottom, height in zip(bottoms, heights)]
    labels = [f"{point['workload']} {point['ranks']}x{point['threads']}" for point in points]
    axes.set_xticks(range(len(points)), labels, rotation=60, ha="right", fontsize="small")
    axes.set_ylabel("share of the time")
    axes.legend(fontsize="small", loc="center left", bbox_to_anchor=(1.01, 0.5))
    axes.set_title(f"{kind.capitalize()} scaling: where the time goes (ranks x threads)")
    save(figure, directory, f"{kind}_scaling-time")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", type=Path)
    options = parser.parse_args()
    pyplot.rcParams["svg.fonttype"] = "none"
    pyplot.rcParams["svg.hashsalt"] = "superstep"
    found = [kind for kind in ("strong", "weak") if (options.directory / f"{kind}_scaling.json").is_file()]
    if not found:
        sys.exit(f"scaling.py: {options.directory}: no strong_scaling.json and no weak_scaling.json")
    for kind in found:
        points = json.loads((options.directory / f"{kind}_scaling.json").read_text())["points"]
        plot_ratios(options.directory, kind, points)
        plot_time(options.directory, kind, points)


if __name__ == "__main__":
    main()
