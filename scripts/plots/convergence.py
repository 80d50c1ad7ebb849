#!/usr/bin/env python3
"""How runs of pregel come to their end: python3 scripts/plots/convergence.py RUN... --output DIR [--column NAME]

Reads metrics (--metrics FILE.json; every algorithm of a list) and traces (--trace FILE.csv) and writes convergence.png
and .svg, a line a run over its supersteps:

  active vertices
  messages sent
  max_delta    the largest change of a vertex, which pagerank, ppr and hits stop by; or another aggregator of traces,
               named by --column. Only traces have it, and only of runs with --tolerance.

Needs matplotlib (Debian: python3-matplotlib).
"""

import argparse
import csv
import json
import sys
from pathlib import Path

from figures import pyplot, save


def fail(reason):
    sys.exit(f"convergence.py: {reason}")


def from_metrics(path):
    """{name of the run: rows}"""
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        entries = [document, *document.get("then", [])]
        several = len(entries) > 1
        return {f"{path.stem}: {i + 1} {entry['algorithm']}" if several else path.stem: entry["per_superstep"]
                for i, entry in enumerate(entries)}
    except (ValueError, KeyError, AttributeError):
        fail(f"{path}: no metrics of pregel")


def from_trace(path):
    with open(path, encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    try:
        return {path.stem: [{name: float(text) if text else None for name, text in row.items() if name != "mode"}
                            for row in rows]}
    except (ValueError, TypeError, AttributeError):
        fail(f"{path}: no trace of pregel")


def read(path):
    try:
        runs = from_trace(path) if path.suffix == ".csv" else from_metrics(path)
    except (OSError, UnicodeDecodeError) as error:
        fail(f"cannot read {path}: {getattr(error, 'strerror', None) or 'not text'}")
    for rows in runs.values():
        if any("active" not in row or "superstep" not in row for row in rows):
            fail(f"{path}: no trace of pregel")
    return runs


def line_of(rows, column):
    """Supersteps in which the column has a value, and the values."""
    points = [(row["superstep"], row[column]) for row in rows if row.get(column) is not None]
    return [x for x, _ in points], [y for _, y in points]


def draw(axes, runs, column, title):
    for name, rows in runs.items():
        steps, values = line_of(rows, column)
        if steps:
            axes.plot(steps, values, label=name, linewidth=1.4, marker="." if len(steps) < 40 else None)
    positive = [y for rows in runs.values() for y in line_of(rows, column)[1] if y > 0]
    if positive and max(positive) > 50 * min(positive):  # zeros, of a run that ends, stay visible
        axes.set_yscale("symlog" if column in ("active", "sent") else "log")
    axes.set_title(title)
    axes.set_xlabel("superstep")
    axes.grid(alpha=0.3)


def main():
    parser = argparse.ArgumentParser(prog="convergence.py", description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="+", type=Path, metavar="RUN", help="metrics (.json) or traces (.csv)")
    parser.add_argument("--output", type=Path, required=True, help="directory for the plot")
    parser.add_argument("--column", default="max_delta", help="aggregator of traces to draw (default: max_delta)")
    arguments = parser.parse_args()
    runs = {}
    for path in arguments.files:
        for name, rows in read(path).items():
            runs[name if name not in runs else str(path)] = rows
    panels = [("active", "active vertices"), ("sent", "messages sent")]
    if any(line_of(rows, arguments.column)[0] for rows in runs.values()):
        panels.append((arguments.column, arguments.column.replace("_", " ")))
    elif arguments.column != "max_delta":
        fail(f"no trace has values of '{arguments.column}'")
    figure, all_axes = pyplot.subplots(1, len(panels), figsize=(5.2 * len(panels), 4.2))
    for axes, (column, title) in zip(all_axes, panels):
        draw(axes, runs, column, title)
    all_axes[0].legend(fontsize=8)
    figure.tight_layout()
    pyplot.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "superstep"})  # the same numbers, the same bytes
    arguments.output.mkdir(parents=True, exist_ok=True)
    save(figure, arguments.output, "convergence")


if __name__ == "__main__":
    main()
