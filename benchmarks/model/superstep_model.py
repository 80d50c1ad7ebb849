#!/usr/bin/env python3
"""How long would a job take on R ranks? A LogGP-style model of a superstep, checked against a virtual cluster.

  benchmarks/model/superstep_model.py validate --results DIR [--rate 200mbit] [--hosts 1,2,4,8] [--scale 16]
  benchmarks/model/superstep_model.py predict --results DIR [--latency 20e-6] [--bandwidth 1.25e9]

A superstep of a bulk-synchronous job is the slowest rank's computing, the exchange of values, and a barrier (Valiant, A
bridging model for parallel computation, CACM 1990; the network as in Alexandrov and others, LogGP, SPAA 1995):

  T_k(R) = imbalance * c_k / R * max(1, R / cores)  +  B_k(R) / R * G  +  l_k(R)

  c_k      seconds that ONE rank computes in superstep k: measured, or costs per vertex and arc times their numbers.
           Virtual hosts share this machine's cores, real ones have their own.
  B_k(R)   bytes that cross ranks. A sender with d arcs is mirrored on (R-1) (1 - (1-1/R)^d) other ranks of a hash
           partition, and each mirror gets its value once; a pair of ranks sends all values, a bitmap and values, or
           indices and values, whichever is shortest (docs/engine.md).
  G        seconds a byte of a link that sends and receives at once: from an all-reduce of ringbench between two hosts.
           A virtual link is a token bucket: after a pause its first 256 KiB pass at once. Loading has sent through it
           until a moment before a run begins: it is taken as half full then.
  l_k(R)   what a superstep costs without work. Where all vertices send, sizes are known and one exchange does it; else
           ranks first tell each other how much comes. On virtual hosts both are measured, on graphs of 64 and
           256 vertices: there R processes share the cores, which no formula in R knows. For predictions it is the latency of two
           reductions, and of one or two exchanges of R - 1 messages that cost a processor a microsecond each.

validate (root, Open MPI 4) runs PageRank, components and BFS on one rank, predicts R hosts from that and from the
network's two numbers, runs R hosts of scripts/drills/virtual_cluster.sh, and prints the error of each prediction.
predict measures costs on one rank here and applies the model to workloads that do not fit here; its assumptions are
printed with the table. Both write what they print, and what went into it, into DIR.
"""

import argparse
import collections
import dataclasses
import json
import math
import os
import pathlib
import sys
import tempfile
import typing

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "scaling"))
from jobs import BIN, CLUSTER, default_launch, numbers, run  # pylint: disable=wrong-import-position

VALUE_BYTES = {"pagerank": 8, "wcc": 8, "sssp": 8, "bfs": 0}  # of bfs only who sends is news
INDEX_BYTES = 4
BURST = 262144  # bytes, as scripts/drills/virtual_cluster.sh sets it
OVERHEAD = 1e-6  # seconds of a processor for a message sent or received, in predictions (LogGP's o)


# The model.

def crossings(senders, degree, ranks):
    """Values that cross ranks when `senders` vertices of degree `degree` publish one each."""
    return senders * (ranks - 1) * (1 - (1 - 1 / ranks) ** degree)


@dataclasses.dataclass
class Step:
    """A superstep, as it is on one rank. Functions are of the number of ranks."""

    compute: float  # seconds
    published: typing.Callable[[int], float]  # values that cross ranks
    boundary: typing.Callable[[int], float]  # values that could
    value_bytes: int
    everybody: bool  # all vertices send: sizes are known

    def bytes(self, ranks):
        """Between all pairs, each in the shortest of the encodings."""
        if ranks == 1:
            return 0
        published, boundary = self.published(ranks), self.boundary(ranks)
        if published >= boundary:
            return boundary * self.value_bytes
        return min(boundary / 8 + published * self.value_bytes, published * (INDEX_BYTES + self.value_bytes))


@dataclasses.dataclass
class Machine:
    cores: float  # for all ranks together; infinite where each has its own
    imbalance: float  # largest over mean computing time of the ranks
    seconds_a_byte: float  # LogGP's G
    barrier: typing.Callable[[int, bool], float]  # l(R), by whether everybody sends
    burst: float = 0  # bytes that a link lets through at once after a pause

    def run_seconds(self, steps, ranks):
        total, tokens = 0, self.burst / 2
        for step in steps:
            idle = (self.imbalance * step.compute / ranks * max(1, ranks / self.cores)
                    + self.barrier(ranks, step.everybody))
            tokens = min(self.burst, tokens + idle / self.seconds_a_byte)
            sent = step.bytes(ranks) / ranks
            total += idle + max(0, sent - tokens) * self.seconds_a_byte
            tokens = max(0, tokens - sent)
        return total


# Measuring.

def launch(ranks, cluster):
    if cluster:
        return [CLUSTER, "run", "-n", ranks, "--hosts", ranks]
    return default_launch().format(ranks=ranks).split()


def metrics_of(program, options, option, ranks=1, cluster=False):
    """What `program` writes into the file that it is given with `option`."""
    with tempfile.TemporaryDirectory() as directory:
        file = pathlib.Path(directory) / "metrics.json"
        run([*launch(ranks, cluster), BIN / program, *options, option, file])
        return json.loads(file.read_text())


def job(options, ranks=1, cluster=False, rounds=1):
    """The metrics of the run of pregel that took longer than a quarter of `rounds`. Where eight processes take turns on two
    cores, now and then a superstep waits several milliseconds for one that has no turn: as long as a whole short run."""
    runs = [metrics_of("pregel", [*options, "--quiet"], "--metrics", ranks, cluster) for _ in range(rounds)]
    return sorted(runs, key=lambda metrics: metrics["run_seconds"])[rounds // 4]


def degree_counts(graph):
    """How many vertices have each degree."""
    with tempfile.TemporaryDirectory() as directory:
        output = pathlib.Path(directory) / "degrees.txt"
        run([*launch(1, False), BIN / "pregel", "degree", "--generate", graph, "--quiet", "--output", output])
        return collections.Counter(int(line.split()[1]) for line in output.read_text().splitlines())


def steps_of(metrics, counts):
    """The supersteps of a run on one rank. Where all arcs carry a message the degrees of the senders are those of the
    graph; else they are taken as equal, which overrates the crossings of skewed ones a little."""
    def boundary(ranks):
        return sum(crossings(vertices, degree, ranks) for degree, vertices in counts.items())

    def published(step):
        if step["sent"] >= metrics["arcs"]:
            return boundary
        senders = min(max(1, step["active"]), sum(counts.values()) - counts.get(0, 0))
        return lambda ranks: crossings(senders, step["sent"] / senders, ranks)

    size = VALUE_BYTES[metrics["algorithm"]]
    return [Step(step["compute_seconds"], published(step), boundary, size, step["sent"] >= metrics["arcs"])
            for step in metrics["per_superstep"]]


# Validation on virtual hosts.

def source_of(graph):
    """A vertex from which much can be reached: the largest component's smallest id is as good as any."""
    with tempfile.TemporaryDirectory() as directory:
        output = pathlib.Path(directory) / "components.txt"
        run([*launch(1, False), BIN / "pregel", "wcc", "--generate", graph, "--quiet", "--output", output])
        labels = collections.Counter(line.split()[1] for line in output.read_text().splitlines())
        return labels.most_common(1)[0][0]


def measured_cluster(options):
    """The network's numbers, and how long a superstep without work takes on each number of hosts: in runs about as short
    as those to be predicted, which are as rarely held up."""
    empty = {True: ["pagerank", "--generate", "kron:scale=6", "--iterations", 20],
             False: ["bfs", "--generate", "grid:rows=16,cols=16", "--source", 0]}
    reduced = metrics_of("ringbench", ["--algorithms", "ring", "--min", "4M", "--max", "4M"], "--json", 2, True)
    barrier = {everybody: {} for everybody in empty}
    for everybody, words in empty.items():
        for ranks in options.hosts:
            told = job(words, ranks, ranks > 1, options.rounds)
            barrier[everybody][ranks] = told["run_seconds"] / told["supersteps"]
    return {"seconds_a_byte": 1 / reduced["results"][0]["busbw"], "all": barrier[True], "some": barrier[False]}


def validate(options):
    graph = f"kron:scale={options.scale},degree=16,seed=1"
    counts = degree_counts(graph)
    works = {"pagerank": ["--iterations", 20], "wcc": [], "bfs": ["--source", source_of(graph)]}
    run([CLUSTER, "up", max(options.hosts), options.rate])
    try:
        measured = measured_cluster(options)
        machine = Machine(cores=os.cpu_count(), imbalance=1.0, seconds_a_byte=measured["seconds_a_byte"],
                          barrier=lambda ranks, everybody: measured["all" if everybody else "some"][ranks],
                          burst=BURST)
        rows = []
        for name, more in works.items():
            words = [name, "--generate", graph, *more]
            steps = steps_of(job(words, rounds=options.rounds), counts)
            for ranks in options.hosts:
                found = job(words, ranks, ranks > 1, options.rounds)
                predicted = machine.run_seconds(steps, ranks)
                rows.append({"work": name, "hosts": ranks, "supersteps": found["supersteps"],
                             "bytes_predicted": sum(step.bytes(ranks) for step in steps),
                             "bytes": found["bytes_sent"], "predicted": predicted, "seconds": found["run_seconds"],
                             "error": predicted / found["run_seconds"] - 1})
    finally:
        run([CLUSTER, "down"])
    lines = ["| work | hosts | supersteps | MB sent, predicted | MB sent | s predicted | s measured | error |",
             "|---|--:|--:|--:|--:|--:|--:|--:|"]
    for row in rows:
        lines.append(f"| {row['work']} | {row['hosts']} | {row['supersteps']} | {row['bytes_predicted'] / 1e6:.2f} | "
                     f"{row['bytes'] / 1e6:.2f} | {row['predicted']:.4f} | {row['seconds']:.4f} | {row['error']:+.0%} |")
    worst = max(rows, key=lambda row: abs(row["error"]))
    lines.append(f"\nLinks of {options.rate}: {1e-6 / measured['seconds_a_byte']:.1f} MB/s; an empty superstep takes "
                 + "; ".join(", ".join(f"{seconds * 1e6:.0f} us on {ranks}" for ranks, seconds in measured[who].items())
                             + f" hosts where {who} send" for who in ("all", "some"))
                 + f". Largest error {worst['error']:+.0%} ({worst['work']} on {worst['hosts']}).")
    return {"rate": options.rate, "scale": options.scale, "network": measured, "rows": rows}, "\n".join(lines)


# Beyond this machine.

def tree_steps(vertices, seconds_a_vertex):
    """Shortest paths from the root of a binary tree: a level a superstep, each vertex sends along its two edges."""
    levels = math.ceil(math.log2(vertices + 1))
    steps = []
    for level in range(levels):
        count = min(2.0 ** level, vertices - (2.0 ** level - 1))
        crossing = lambda ranks, n=count: crossings(n, 2, ranks)
        boundary = lambda ranks: crossings(vertices, 2, ranks)
        steps.append(Step(count * seconds_a_vertex, crossing, boundary, VALUE_BYTES["sssp"], False))
    return steps


def grown_steps(metrics, counts, factor):
    """The supersteps of a run on one rank, on a graph `factor` times as large that looks the same level by level."""
    return [Step(step.compute * factor, lambda ranks, s=step: s.published(ranks) * factor,
                 lambda ranks, s=step: s.boundary(ranks) * factor, step.value_bytes, step.everybody)
            for step in steps_of(metrics, counts)]


def predict(options):
    def barrier(ranks, everybody):
        exchanges = 1 if everybody else 2
        return (2 * math.ceil(math.log2(ranks)) + exchanges) * options.latency + exchanges * (ranks - 1) * OVERHEAD

    machine = Machine(cores=math.inf, imbalance=options.imbalance, seconds_a_byte=1 / options.bandwidth,
                      barrier=barrier)
    tree = job(["sssp", "--generate", f"tree:n={2 ** 20 - 1}", "--source", 0], rounds=options.rounds)
    seconds_a_vertex = sum(step["compute_seconds"] for step in tree["per_superstep"]) / tree["vertices"]
    graph = f"kron:scale={options.scale},degree=16,seed=1"
    breadth = job(["bfs", "--generate", graph, "--source", source_of(graph)], rounds=options.rounds)
    factor = 2.0 ** (30 - options.scale)
    works = [("shortest paths, binary tree of 10^9 vertices", tree_steps(1e9, seconds_a_vertex), (50, 800), 1e9),
             ("breadth-first search, Kronecker scale 30", grown_steps(breadth, degree_counts(graph), factor),
              (64, 256, 1024), breadth["edges"] * factor)]
    rows = [{"work": name, "ranks": ranks, "seconds": machine.run_seconds(steps, ranks),
             "bytes": sum(step.bytes(ranks) for step in steps), "edges": edges}
            for name, steps, sizes, edges in works for ranks in sizes]
    lines = ["| work | ranks | s predicted | GB sent | edges/s |", "|---|--:|--:|--:|--:|"]
    for row in rows:
        lines.append(f"| {row['work']} | {row['ranks']} | {row['seconds']:.2f} | {row['bytes'] / 1e9:.1f} | "
                     f"{row['edges'] / row['seconds']:.2e} |")
    lines.append(f"\nAssumed: a core and a link of {options.bandwidth / 1e6:.0f} MB/s for each rank, "
                 f"{options.latency * 1e6:.0f} us from rank to rank, {OVERHEAD * 1e6:.0f} us a message, slowest rank {options.imbalance} of the mean. "
                 f"Measured on one rank here: {seconds_a_vertex * 1e9:.1f} ns a vertex of the tree; the search of scale "
                 f"{options.scale}, each of whose supersteps is taken {factor:.0f} times.")
    return {"assumed": {"latency": options.latency, "bandwidth": options.bandwidth, "imbalance": options.imbalance},
            "seconds_a_vertex": seconds_a_vertex, "rows": rows}, "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("validate", "predict"))
    parser.add_argument("--results", type=pathlib.Path, required=True, help="directory for the table and its JSON")
    parser.add_argument("--rounds", type=int, default=11, help="runs of everything; the lower quartile counts (11)")
    parser.add_argument("--scale", type=int, default=16, help="of the Kronecker graph that is measured (16)")
    parser.add_argument("--rate", default="200mbit", help="validate: of the virtual links (200mbit)")
    parser.add_argument("--hosts", type=numbers, default=[1, 2, 4, 8], help="validate: (1,2,4,8)")
    parser.add_argument("--latency", type=float, default=20e-6, help="predict: seconds between two ranks (20e-6)")
    parser.add_argument("--bandwidth", type=float, default=1.25e9, help="predict: bytes/s of a rank's link (1.25e9)")
    parser.add_argument("--imbalance", type=float, default=1.2, help="predict: slowest rank over the mean (1.2)")
    options = parser.parse_args()
    document, table = {"validate": validate, "predict": predict}[options.what](options)
    options.results.mkdir(parents=True, exist_ok=True)
    (options.results / f"model_{options.what}.json").write_text(json.dumps(document, indent=1) + "\n")
    (options.results / f"model_{options.what}.md").write_text(table + "\n")
    print(table)


if __name__ == "__main__":
    main()
