"""The work of scripts/graph500.sh: searches, checks, statistics."""

import argparse
import json
import os
import pathlib
import shlex
import subprocess
import sys
import tempfile
import time

import h5py
import numpy

BIN = pathlib.Path(os.environ["SUPERSTEP_BIN_DIR"])
UNREACHED = 9223372036854775807


class Wrong(Exception):
    pass


def require(holds, what):
    if not holds:
        raise Wrong(what)


class Graph:
    """Both directions of every edge, vertices as positions in `ids`."""

    def __init__(self, path):
        with h5py.File(path) as file:
            self.ids = file["ids"][:]
            degrees = numpy.diff(file["offsets"][:].astype("i8"))
            source = numpy.repeat(numpy.arange(len(self.ids)), degrees)
            target = numpy.searchsorted(self.ids, file["targets"][:])
            weights = file["weights"][:] if "weights" in file else numpy.ones(len(target))
        self.source, self.target = numpy.concatenate([source, target]), numpy.concatenate([target, source])
        self.weights = numpy.concatenate([weights, weights])
        self.edges = len(source)
        self.component = self._components()
        # An edge is a number: for "is the parent a neighbour".
        self.pairs = numpy.unique(self.source * len(self.ids) + self.target)

    def _components(self):
        """The smallest position in each vertex's component, by hooking and pointer jumping."""
        label = numpy.arange(len(self.ids))
        while True:
            least = label.copy()
            numpy.minimum.at(least, self.source, label[self.target])
            least = least[least]
            if (least == label).all():
                return label
            label = least

    def with_edges(self):
        return numpy.unique(self.source)

    def check_reached(self, reached, source):
        require((reached == (self.component == self.component[source])).all(), "another component was reached")

    def adjacent(self, a, b):
        pairs = a * len(self.ids) + b
        at = numpy.minimum(numpy.searchsorted(self.pairs, pairs), len(self.pairs) - 1)
        return self.pairs[at] == pairs

    def edges_of_component(self, source):
        return int(numpy.count_nonzero(self.component[self.source] == self.component[source])) // 2


def rows_of(graph, file, name):
    require((file["id"][:] == graph.ids).all(), "the result is of other vertices")
    return file[name][:]


def check_bfs(graph, path, source):
    with h5py.File(path) as file:
        depth, parent = rows_of(graph, file, "depth").astype("u8"), rows_of(graph, file, "parent")
        none = file["parent"].attrs["none"]
    reached = depth != UNREACHED
    graph.check_reached(reached, source)
    require(depth[source] == 0 and numpy.count_nonzero(depth[reached] == 0) == 1, "the source alone is at level 0")
    child = numpy.flatnonzero(reached & (numpy.arange(len(depth)) != source))
    above = numpy.searchsorted(graph.ids, parent[child])
    require((parent[~reached] == none).all(), "a vertex that was not reached has a parent")
    require((graph.ids[numpy.minimum(above, len(graph.ids) - 1)] == parent[child]).all(), "a parent is no vertex")
    require((depth[above] + 1 == depth[child]).all(), "a parent is not one level nearer")
    require(graph.adjacent(child, above).all(), "a parent is no neighbour")
    inside = reached[graph.source]
    levels = depth[graph.source[inside]].astype("i8") - depth[graph.target[inside]].astype("i8")
    require((numpy.abs(levels) <= 1).all(), "an edge joins levels more than one apart")


def check_sssp(graph, path, source):
    with h5py.File(path) as file:
        distance = rows_of(graph, file, "distance")
    reached = numpy.isfinite(distance)
    graph.check_reached(reached, source)
    require(distance[source] == 0, "the source is not at distance 0")
    inside = reached[graph.source]
    offered = distance[graph.source[inside]] + graph.weights[inside]
    target = graph.target[inside]
    require((distance[target] <= offered).all(), "an edge offers a shorter way")
    explained = numpy.zeros(len(distance), dtype=bool)
    explained[target[distance[target] == offered]] = True
    explained[source] = True
    require(explained[reached].all(), "no edge explains a distance")


KERNELS = {"bfs": (["--parents"], check_bfs), "sssp": ([], check_sssp)}


def quartiles(name, values, out):
    low, first, middle, third, high = numpy.percentile(values, [0, 25, 50, 75, 100])
    out.update({f"min_{name}": low, f"firstquartile_{name}": first, f"median_{name}": middle,
                f"thirdquartile_{name}": third, f"max_{name}": high})


def statistics(kernel, options, times, edges, checks, construction, generation):
    """The block that the specification asks for."""
    times, edges = numpy.array(times), numpy.array(edges, dtype=float)
    out = {"SCALE": options.scale, "edgefactor": options.edgefactor, "NBFS": len(times), "graph_generation": generation,
           "num_mpi_processes": options.ranks, "construction_time": construction}
    block = {}
    for name, values in (("time", times), ("nedge", edges)):
        quartiles(name, values, block)
        block[f"mean_{name}"], block[f"stddev_{name}"] = values.mean(), values.std(ddof=1) if len(values) > 1 else 0.0
    rates = edges / times
    quartiles("TEPS", rates, block)
    harmonic = len(rates) / (1 / rates).sum()
    spread = (1 / rates).std(ddof=1) / numpy.sqrt(len(rates) - 1) * harmonic**2 if len(rates) > 1 else 0.0
    block["harmonic_mean_TEPS"], block["harmonic_stddev_TEPS"] = harmonic, spread
    quartiles("validate", checks, block)
    out.update({f"{kernel}  {key}": float(value) for key, value in block.items()})
    return out


def call(words):
    ended = subprocess.run([str(word) for word in words], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if ended.returncode != 0:
        sys.exit(f"graph500.sh: exit code {ended.returncode}: {' '.join(map(str, words))}\n{ended.stderr}")


def search(kernel, graph, spec, sources, options, scratch):
    launch = [*shlex.split(options.launch), str(options.ranks)]
    more, check = KERNELS[kernel]
    times, edges, checks, construction = [], [], [], []
    for number, source in enumerate(sources):
        output, metrics = scratch / "tree.h5", scratch / "metrics.json"
        call([*launch, BIN / "pregel", kernel, "--generate", spec, "--source", graph.ids[source], *more, "--threads",
              options.threads, "--output", output, "--metrics", metrics, "--quiet"])
        m = json.loads(metrics.read_text())
        begin = time.perf_counter()
        try:
            check(graph, output, source)
        except Wrong as wrong:
            sys.exit(f"graph500.sh: {kernel} from vertex {graph.ids[source]}: WRONG: {wrong}")
        checks.append(time.perf_counter() - begin)
        times.append(m["run_seconds"])
        construction.append(m["load_seconds"])
        edges.append(graph.edges_of_component(source))
        if sys.stderr.isatty():
            print(f"\r{kernel}: {number + 1} of {len(sources)} searches", end="", file=sys.stderr, flush=True)
    if sys.stderr.isatty():
        print(file=sys.stderr)
    return times, edges, checks, float(numpy.median(construction))


def main():
    parser = argparse.ArgumentParser(prog="graph500.sh", allow_abbrev=False)
    parser.add_argument("--launch", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--scale", type=int, default=16)
    parser.add_argument("--edgefactor", type=int, default=16)
    parser.add_argument("--searches", type=int, default=64)
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kernels", default="bfs sssp")
    parser.add_argument("--results", type=pathlib.Path, default=pathlib.Path("results/graph500"))
    options = parser.parse_args()
    if options.searches < 1 or not set(options.kernels.split()) <= KERNELS.keys():
        parser.error("--searches from 1 on; --kernels of bfs and sssp")
    options.results.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="graph500-") as directory:
        scratch = pathlib.Path(directory)
        spec = f"kron:scale={options.scale},degree={options.edgefactor},seed={options.seed},weights=real"
        begin = time.perf_counter()
        call([*shlex.split(options.launch), options.ranks, BIN / "graphgen", spec, "--output", scratch / "graph.h5", "--quiet"])
        generation = time.perf_counter() - begin
        graph = Graph(scratch / "graph.h5")
        able = graph.with_edges()
        random = numpy.random.default_rng(options.seed)
        sources = random.choice(able, size=min(options.searches, len(able)), replace=False)
        for kernel in options.kernels.split():
            found = search(kernel, graph, spec, sources, options, scratch)
            block = statistics(kernel, options, *found, generation)
            (options.results / f"graph500-{kernel}.json").write_text(json.dumps(block, indent=1) + "\n")
            for key, value in block.items():
                print(f"{key + ':':32}{value if isinstance(value, int) else format(value, '.6g')}")
            print(f"{kernel}  validation:               {len(sources)} of {len(sources)} passed\n", flush=True)


if __name__ == "__main__":
    main()
