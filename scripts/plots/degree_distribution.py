#!/usr/bin/env python3
"""How degrees are spread: python3 scripts/plots/degree_distribution.py FILE... --output DIR [--column NAME]

Reads results of `pregel degree --output` (text or HDF5) or graphs of `graphgen --convert IN graph.h5`, a line a file,
and writes degree_distribution.png and .svg:

  left    how many vertices have a degree, in bins that double, divided by the bins' width
  right   the share of vertices with at least that degree (CCDF), which takes no bins: a power law is a straight line

Vertices without edges are not shown, as no logarithm is; the legend has their number. Needs matplotlib and, for HDF5,
h5py (Debian: python3-matplotlib, python3-h5py).
"""

import argparse
import sys
from pathlib import Path

from figures import pyplot, save
import numpy

COLUMNS = {"degree": 1, "in_degree": 2, "out_degree": 3}  # of a text result, where the id is column 0


def from_text(path, column):
    try:
        return numpy.loadtxt(path, dtype=numpy.uint64, comments=None, usecols=COLUMNS[column], ndmin=1)
    except (ValueError, IndexError) as error:
        sys.exit(f"degree_distribution.py: {path}: no result of pregel degree: {error}")


def ends_of_graph(file, column):
    """Degrees of a graph: its edges are listed at one end, so the others are counted."""
    ids, offsets, targets = (file[name][:] for name in ("ids", "offsets", "targets"))
    out = numpy.diff(offsets.astype(numpy.int64))
    into = numpy.bincount(numpy.searchsorted(ids, targets), minlength=len(ids))
    if file.attrs["directed"] and column != "degree":
        return out if column == "out_degree" else into
    if file.attrs["directed"]:
        return out + into
    # pregel counts a loop of an undirected graph as one arc.
    sources = numpy.repeat(ids, out)
    loops = numpy.bincount(numpy.searchsorted(ids, targets[sources == targets]), minlength=len(ids))
    return out + into - loops


def from_hdf5(path, column):
    try:
        import h5py
    except ImportError:
        sys.exit(f"degree_distribution.py: {sys.executable} has no h5py (Debian: apt-get install python3-h5py, then "
                 f"/usr/bin/python3 {sys.argv[0]})")
    try:
        with h5py.File(path) as file:
            if column in file:
                return file[column][:]
            if file.attrs.get("format") in ("superstep-graph", b"superstep-graph"):
                return ends_of_graph(file, column)
    except (OSError, KeyError) as error:
        sys.exit(f"degree_distribution.py: {path}: {error}")
    sys.exit(f"degree_distribution.py: {path}: neither a result with a dataset '{column}' nor a graph of graphgen")


def degrees_of(path, column):
    if not path.is_file():
        sys.exit(f"degree_distribution.py: cannot read {path}")
    return (from_hdf5 if path.suffix in (".h5", ".hdf5") else from_text)(path, column)


def binned(degrees):
    """Middles of the bins 1, 2-3, 4-7 ... and vertices per degree in them; empty bins left out."""
    bins = numpy.bincount(numpy.frexp(degrees.astype(float))[1] - 1)
    at = numpy.flatnonzero(bins)
    width = 2.0 ** at
    return width * numpy.where(at == 0, 1, numpy.sqrt(2)), bins[at] / width


def tail(degrees):
    """Each degree that occurs, and the share of vertices that have at least that."""
    values, counts = numpy.unique(degrees, return_counts=True)
    return values, counts[::-1].cumsum()[::-1]


def main():
    parser = argparse.ArgumentParser(prog="degree_distribution.py", description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE", help="result of `pregel degree`, or graph.h5")
    parser.add_argument("--output", type=Path, required=True, help="directory for the plot")
    parser.add_argument("--column", choices=COLUMNS, default="degree", help="which degree (default: degree)")
    arguments = parser.parse_args()
    read = {path: degrees_of(path, arguments.column) for path in arguments.files}
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(11, 4.5))
    for path, degrees in read.items():
        positive = degrees[degrees > 0]
        label = f"{path.stem}: {len(degrees)} vertices, {len(degrees) - len(positive)} of degree 0"
        if len(positive) == 0:
            sys.exit(f"degree_distribution.py: {path}: no vertex has an edge")
        left.plot(*binned(positive), marker="o", markersize=4, linewidth=1, label=label)
        values, counts = tail(positive)
        right.step(values, counts / len(degrees), where="post", linewidth=1.3)
    name = arguments.column.replace("_", "-")
    for axes, label in ((left, f"vertices a {name}"), (right, f"share of vertices with at least this {name}")):
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_xlabel(name)
        axes.set_ylabel(label)
        axes.grid(alpha=0.3)
    left.legend(fontsize=8)
    pyplot.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "superstep"})  # the same numbers, the same bytes
    arguments.output.mkdir(parents=True, exist_ok=True)
    save(figure, arguments.output, "degree_distribution")


if __name__ == "__main__":
    main()
