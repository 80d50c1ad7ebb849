#!/usr/bin/env python3
"""Tables and verdicts from ringbench's JSON: node-RANKS.json and cluster-HOSTS.json in one directory.

Writes table.md there and prints it. Exit code 1 when a budget is missed or a result was wrong. Only the standard library
is used; benchmarks/run_allreduce.sh makes the files and calls this.
"""

import argparse
import json
import re
import sys
from pathlib import Path

from engine_runs import markdown_table, median, write_atomically

MIB = 1 << 20
UNITS = {"k": 1e3, "m": 1e6, "g": 1e9}


def bytes_per_second(rate):
    """What a link of "200mbit" carries in one direction."""
    match = re.fullmatch(r"([0-9.]+)([kmg])bit", rate)
    if not match:
        raise argparse.ArgumentTypeError(f"{rate}: a rate such as 200mbit")
    return float(match[1]) * UNITS[match[2]] / 8


def load(directory, kind):
    """{ranks: document} of one kind of runs."""
    runs = {}
    for path in directory.glob(f"{kind}-*.json"):
        document = json.loads(path.read_text())
        runs[document["topology"]["ranks"]] = document
    return dict(sorted(runs.items()))


def of(document, algorithm):
    """{bytes: row} of one algorithm."""
    return {row["bytes"]: row for row in document["results"] if row["algorithm"] == algorithm}


def algorithms_of(document):
    """In the order of the run."""
    return list(dict.fromkeys(row["algorithm"] for row in document["results"]))


def size_text(size):
    for unit, name in ((MIB, "MiB"), (1 << 10, "KiB")):
        if size >= unit:
            return f"{size / unit:g} {name}"
    return f"{size} B"


def time_text(seconds):
    for unit, name in ((1, "s"), (1e-3, "ms")):
        if seconds >= unit:
            return f"{seconds / unit:.3g} {name}"
    return f"{seconds / 1e-6:.3g} us"


class Verdicts:
    """Budgets and what was measured."""

    def __init__(self):
        self.rows = []
        self.missed = False

    def at_least(self, what, value, budget):
        self._add(what, f"{value:.2f}", f">= {budget:.2f}", value >= budget)

    def at_most(self, what, value, budget):
        self._add(what, f"{value:.2f}", f"<= {budget:.2f}", value <= budget)

    def _add(self, what, value, budget, kept):
        self.missed = self.missed or not kept
        self.rows.append([what, value, budget, "kept" if kept else "MISSED"])


def node_table(document):
    """Times by size for our algorithms' choice, the best of them, and MPI's."""
    automatic, mpi = of(document, "automatic"), of(document, "mpi")
    ours = [name for name in algorithms_of(document) if name != "automatic" and not name.startswith("mpi")]
    forced = [name for name in algorithms_of(document) if name.startswith("mpi_")]
    rows = []
    for size, row in automatic.items():
        best = min((of(document, name)[size] for name in ours), key=lambda r: r["seconds_median"])
        cells = [size_text(size), row["runs_as"], time_text(row["seconds_median"]), f"{row['busbw'] / 1e9:.2f}",
                 best["algorithm"], time_text(best["seconds_median"]), time_text(mpi[size]["seconds_median"]),
                 f"{row['times_mpi']:.2f}"]
        if forced:
            fastest = min((of(document, name)[size] for name in forced), key=lambda r: r["seconds_median"])
            cells += [fastest["algorithm"], time_text(fastest["seconds_median"])]
        rows.append(cells)
    headings = ["bytes", "automatic is", "time", "busbw GB/s", "fastest of ours", "time", "MPI", "x MPI"]
    if forced:
        headings += ["fastest forced", "time"]
    return markdown_table(headings, rows)


def judge_node(ranks, document, verdicts):
    ratios = {size: row["times_mpi"] for size, row in of(document, "automatic").items()}
    large = [ratio for size, ratio in ratios.items() if MIB <= size <= 64 * MIB]
    small = [ratio for size, ratio in ratios.items() if size < MIB]
    if large:
        verdicts.at_least(f"{ranks} ranks, 1 to 64 MiB: automatic x MPI, median over sizes", median(large), 1.3)
        verdicts.at_least(f"{ranks} ranks, 1 to 64 MiB: automatic x MPI, worst size", min(large), 1.0)
    if small:
        verdicts.at_least(f"{ranks} ranks, below 1 MiB: automatic x MPI, worst size", min(small), 0.9)


def one_size(document):
    """The largest size of a run: the cluster has only one."""
    return max(row["bytes"] for row in document["results"])


def link_share(row, hosts, link):
    """How much of the link's rate 2(m-1)/m of the vector got, in each direction."""
    return 2 * (hosts - 1) / hosts * row["bytes"] / link / row["seconds_median"]


def cluster_table(runs, link):
    names = list(dict.fromkeys(name for document in runs.values() for name in algorithms_of(document)))
    rows = []
    for name in names:
        cells = [name]
        for hosts, document in runs.items():
            row = of(document, name).get(one_size(document))
            cells += [f"{row['seconds_median']:.3f}", f"{100 * link_share(row, hosts, link):.0f} %"] if row else ["", ""]
        rows.append(cells)
    headings = ["algorithm"]
    for hosts in runs:
        headings += [f"{hosts} hosts, s", "of the link"]
    return markdown_table(headings, rows)


def judge_cluster(runs, link, verdicts):
    rings, naive = {}, {}
    for hosts, document in runs.items():
        size = one_size(document)
        rings[hosts], naive[hosts] = of(document, "chunked_ring")[size], of(document, "naive_ring")[size]
    for hosts, row in rings.items():
        verdicts.at_least(f"{hosts} hosts: chunked ring, share of the link", link_share(row, hosts, link), 0.9)
    per_byte = [1 / link_share(row, hosts, link) for hosts, row in rings.items()]
    verdicts.at_most("chunked ring: time per byte moved, slowest to fastest number of hosts",
                     max(per_byte) / min(per_byte), 1.2)
    for hosts, row in naive.items():
        verdicts.at_most(f"{hosts} hosts: naive ring, time to 2(m-1) n/B",
                         row["seconds_median"] / (2 * (hosts - 1) * row["bytes"] / link), 1.15)
    if 4 in rings:
        verdicts.at_least("4 hosts: chunked ring x MPI", rings[4]["times_mpi"], 1.4)


def judge_results(runs, verdicts):
    wrong = sum(row["errors"] for document in runs for row in document["results"]
                if not row["algorithm"].startswith("mpi"))
    verdicts.at_most("wrong elements of our algorithms", wrong, 0)


def conditions(document):
    stamp = document["stamp"]
    return f"{stamp['mpi']}; load at the start {stamp['load_average']:.1f}; {stamp['started']}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--results", type=Path, required=True, help="directory with the JSON files")
    parser.add_argument("--rate", type=bytes_per_second, default="200mbit", help="of the cluster's links (200mbit)")
    options = parser.parse_args()
    nodes, clusters = load(options.results, "node"), load(options.results, "cluster")
    if not nodes and not clusters:
        sys.exit(f"{options.results}: no node-*.json and no cluster-*.json")

    verdicts, parts = Verdicts(), []
    for ranks, document in nodes.items():
        parts += [f"## One node, {ranks} ranks, {document['place']}", conditions(document), node_table(document)]
        judge_node(ranks, document, verdicts)
    if clusters:
        size = size_text(one_size(next(iter(clusters.values()))))
        parts += [f"## Virtual cluster, {size}, links of {options.rate * 8 / 1e6:g} Mbit/s",
                  "\n".join(f"{hosts} hosts: {conditions(document)}  " for hosts, document in clusters.items()),
                  cluster_table(clusters, options.rate)]
        judge_cluster(clusters, options.rate, verdicts)
    judge_results([*nodes.values(), *clusters.values()], verdicts)
    parts += ["## Budgets", markdown_table(["what", "measured", "budget", "verdict"], verdicts.rows)]
    text = "\n\n".join(parts) + "\n"
    write_atomically(options.results / "table.md", text)
    print(text)
    sys.exit(1 if verdicts.missed else 0)


if __name__ == "__main__":
    main()
