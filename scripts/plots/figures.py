"""What all plots share: pyplot without a display, and how a figure is written. Needs matplotlib."""

import sys
from pathlib import Path

try:
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot
except ImportError:
    sys.exit(f"{Path(sys.argv[0]).name}: {sys.executable} has no matplotlib (Debian: apt-get install python3-matplotlib, "
             f"then /usr/bin/python3 {sys.argv[0]})")


def save(figure, directory, name):
    """Writes NAME.png and NAME.svg into the directory, a Path, and closes the figure."""
    for suffix in "png", "svg":
        path = directory / f"{name}.{suffix}"
        # No date in the file: the same numbers give the same bytes.
        metadata = {"Date": None} if suffix == "svg" else None
        figure.savefig(path, dpi=130, bbox_inches="tight", metadata=metadata)
    pyplot.close(figure)
    print(f"{directory / name}.png .svg")
