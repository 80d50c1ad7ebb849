#!/usr/bin/env python3
"""What keeping a graph in memory is worth: PageRank by pregel and as a chain of MapReduce jobs, in turns.

  benchmarks/scaling/mapreduce_baseline.py [--scale 16] [--ranks 2] [--iterations 10] [--rounds 3]

Medians; the ranks of both must agree within 1e-9 of each other. The files of the chain go to a temporary directory (TMPDIR).
"""

import argparse
import json
import pathlib
import statistics
import sys
import tempfile

from jobs import BIN, default_launch, run


def ranks_in(paths):
    return {vertex: float(rank) for path in paths for vertex, rank in map(str.split, path.read_text().splitlines())}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scale", type=int, default=16)
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--iterations", type=int, default=10)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    ranked = default_launch().format(ranks=options.ranks).split()
    common = ("--generate", f"kron:scale={options.scale}", "--iterations", options.iterations)
    told = {"pregel": [], "mapreduce": []}
    with tempfile.TemporaryDirectory() as directory:
        work = pathlib.Path(directory)
        metrics = work / "metrics.json"
        for _ in range(options.rounds):
            run([*ranked, BIN / "pregel", "pagerank", *common, "--output", work / "pregel.txt", "--metrics", metrics,
                 "--quiet"])
            told["pregel"].append(json.loads(metrics.read_text()))
            run([*ranked, BIN / "mapreduce_pagerank", *common, "--directory", work / "rounds", "--output",
                 work / "chain.txt", "--metrics", metrics])
            told["mapreduce"].append(json.loads(metrics.read_text()))
        ours = ranks_in([work / "pregel.txt"])
        theirs = ranks_in([work / f"chain.txt.{rank}" for rank in range(options.ranks)])
    apart = max((abs(theirs[vertex] / rank - 1) for vertex, rank in ours.items()), default=0)
    if ours.keys() != theirs.keys() or apart > 1e-9:
        sys.exit(f"mapreduce_baseline.py: the two disagree, by {apart:.1e} of a rank")
    seconds = {name: statistics.median(run["run_seconds"] for run in runs) for name, runs in told.items()}
    ratio = statistics.median(b["run_seconds"] / a["run_seconds"] for a, b in zip(told["pregel"], told["mapreduce"]))
    print(f"pregel {seconds['pregel']:.4f} s, through the disk {seconds['mapreduce']:.4f} s: {ratio:.0f} x; "
          f"{told['mapreduce'][0]['bytes'] / options.iterations / 1e6:.1f} MB a round; largest difference {apart:.0e}")


if __name__ == "__main__":
    main()
