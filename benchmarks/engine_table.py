#!/usr/bin/env python3
"""The engine beside its yardsticks: one table of work, ours, reference, ratio, budget and verdict.

Engine and reference take turns, round by round, on the same graph file. A ratio is formed within a round, because the
two runs of a round share the state of the machine; the table shows medians over the rounds. Every result is also checked
against the reference's: sum of ranks, sum of depths, number of components, sum of distances.

Only the standard library is used. benchmarks/run_engine.sh builds everything and calls this.
"""

import argparse
import datetime
import json
import math
import os
import sys
from pathlib import Path

import engine_growth
from engine_runs import RunFailed, Tools, markdown_table, median, write_atomically

PAGERANK_ROUNDS = 20
MIB = 1 << 20
AIM = "aim 1.00 x"  # worth reaching, but no failure when missed


class Work:
    """One algorithm: how the engine and the reference are called, and how their results are compared."""

    def __init__(self, name, kernel, budget, engine=(), reference=(), weighted=False, sources=False, check=None):
        self.name = name
        self.kernel = kernel
        self.budget = budget  # largest allowed ratio ours / reference
        self.engine = list(engine)
        self.reference = list(reference)
        self.weighted = weighted
        self.sources = sources
        self.check = check


def sum_of_finite(values):
    """Sum over the vertices that were reached."""
    return math.fsum(float(v) for v in values if v not in ("infinity", "9223372036854775807"))


def distinct(values):
    return len(set(values))


WORKS = [
    Work("pagerank", "pagerank", 1.0, engine=["--iterations", PAGERANK_ROUNDS],
         reference=["--rounds", PAGERANK_ROUNDS], check=sum_of_finite),
    Work("bfs", "bfs", 3.0, sources=True, check=sum_of_finite),
    Work("wcc", "components", 1.0, check=distinct),
    Work("sssp", "sssp", 2.0, weighted=True, sources=True, check=sum_of_finite),
]


class Graphs:
    """The files of one scale: text for the engine, the same edges in binary for the yardsticks."""

    def __init__(self, tools, scale, source_count, threads):
        spec = f"kron:scale={scale},degree=16"
        stem = tools.work / f"kron{scale}"
        tools.work.mkdir(parents=True, exist_ok=True)
        self.text = tools.graphgen(spec, stem.with_suffix(".el"))
        self.weighted_text = tools.graphgen(spec + ",weights=int", stem.with_suffix(".wel"))
        self.pairs = stem.with_suffix(".el32")
        self.triples = stem.with_suffix(".wel32")
        for text, binary, flags in ((self.text, self.pairs, []), (self.weighted_text, self.triples, ["--weighted"])):
            if not binary.exists():
                part = binary.with_name("part-" + binary.name)
                tools.reference("load", ["--graph", text, "--repeat", 1, "--write", part, *flags], threads)
                part.replace(binary)
        self.sources = stem.with_suffix(".sources")
        self.source_list = tools.random_sources(self.pairs, source_count)
        write_atomically(self.sources, "".join(f"{v}\n" for v in self.source_list))

    def remove(self):
        for file in (self.text, self.weighted_text, self.pairs, self.triples, self.sources):
            file.unlink(missing_ok=True)


class Measurement:
    """Collects the rounds of the table for one scale."""

    def __init__(self, tools, graphs, options):
        self.tools = tools
        self.graphs = graphs
        self.options = options
        self.rows = []
        self.first_metrics = None

    def engine(self, work, extra=()):
        graph = self.graphs.weighted_text if work.weighted else self.graphs.text
        arguments = ["--graph", graph, "--undirected", *work.engine, *extra]
        if work.weighted:
            arguments.append("--weighted")
        return self.tools.pregel(work.name, arguments)

    def reference(self, work, extra=()):
        graph = self.graphs.triples if work.weighted else self.graphs.pairs
        repeat = 1 if work.sources else self.options.repeat
        arguments = ["--graph", graph, "--repeat", repeat, *work.reference, *extra]
        if work.sources:
            arguments += ["--sources", self.graphs.sources]
        return self.tools.reference(work.kernel, arguments, self.options.ranks)

    def repetition(self, work):
        """A source a run, or the same run again."""
        return ["--sources", self.graphs.sources] if work.sources else ["--repeat", self.options.repeat]

    def result_check(self, work, expected):
        """Runs the work once more with output; returns an empty text or what differs."""
        output = self.tools.work / "result.txt"
        source = ["--source", self.graphs.source_list[0]] if work.sources else []
        self.engine(work, [*source, "--output", output])
        with open(output, encoding="ascii") as lines:
            found = work.check(line.split()[1] for line in lines)
        output.unlink()
        tolerance = 1e-5 if work.name == "pagerank" else 0.0  # the reference's ranks are float
        if abs(found - expected) > tolerance * abs(expected):
            return f"wrong result: {work.check.__name__} is {found:.15g}, the reference has {expected:.15g}"
        return ""

    def measure(self, work):
        """The rounds of one work, and for PageRank those of the probe. Appends one or two rows."""
        ours, theirs, probes = [], [], []
        try:
            for _ in range(self.options.rounds):
                metrics = self.engine(work, self.repetition(work))
                reference = self.reference(work)
                ours.append(metrics["run_seconds"])
                theirs.append(reference["seconds_median"])
                if work.name == "pagerank":
                    self.first_metrics = self.first_metrics or metrics
                    probes.append(self.tools.probe(self.graphs.pairs, self.options.repeat)["seconds_median"])
            remark = self.result_check(work, reference["check"])
        except (RunFailed, KeyError, OSError, ValueError) as error:
            self.rows.append(failed_row(work.name, f"<= {work.budget:.2f} x", error))
            return
        self.rows.append(seconds_row(work.name, f"{work.kernel}, shared memory", ours, theirs, work.budget, remark))
        if probes:
            self.rows.append(seconds_row(work.name, "bare MPI probe", ours, probes, 1.15, remark))
        if work.name == "wcc":
            self.measure_afforest(work, ours)

    def measure_afforest(self, work, ours):
        """Not a budget but the aim; Afforest is steady enough to be measured after the rounds."""
        fastest = self.reference(work, ["--afforest"])["seconds_median"]
        self.rows.append(seconds_row(work.name, "afforest, shared memory", ours, [fastest] * len(ours), None, ""))

    def measure_load(self):
        """Edges of the text file a second, and the memory that the job of the first PageRank took."""
        if self.first_metrics is None:
            return
        try:
            reference = self.tools.reference("load", ["--graph", self.graphs.text], self.options.ranks)
            self.append_load_rows(self.first_metrics, reference)
        except (RunFailed, KeyError) as error:
            self.rows.append(failed_row("load text", ">= 7", error))

    def append_load_rows(self, metrics, reference):
        edges = metrics["edges"]
        ours = edges / metrics["load_seconds"]
        theirs = edges / reference["seconds_median"]
        self.rows.append({
            "work": "load text", "reference_name": "load, shared memory", "unit": "million edges/s",
            "ours": ours / 1e6, "reference": theirs / 1e6, "ratio": ours / theirs,
            "budget": ">= 7", "ok": ours >= 7e6, "remark": "",
        })
        arcs = 2 * edges
        total = metrics["peak_rss_bytes"] * metrics["ranks"]
        allowed = 2.5 * (12 * arcs + 64 * metrics["vertices"])
        self.rows.append({
            "work": "peak memory", "reference_name": "2.5 x (12 B an arc + 64 B a vertex)", "unit": "MiB",
            "ours": total / MIB, "reference": allowed / MIB, "ratio": total / allowed,
            "budget": "<= 1.00 x", "ok": total <= allowed, "remark": f"{total / arcs:.1f} bytes an arc",
        })


def seconds_row(name, reference_name, ours, theirs, budget, remark):
    ratio = median([a / b for a, b in zip(ours, theirs)])
    within = ratio <= (budget or 1.0)
    return {
        "work": name, "reference_name": reference_name, "unit": "s", "ours": median(ours), "reference": median(theirs),
        "ratio": ratio, "budget": f"<= {budget:.2f} x" if budget else AIM, "ok": within and not remark,
        "remark": remark, "rounds": {"ours": ours, "reference": theirs},
    }


def failed_row(name, budget, error):
    reason = f"metrics lack {error}" if isinstance(error, KeyError) else str(error)
    return {
        "work": name, "reference_name": "", "unit": "", "ours": None, "reference": None, "ratio": None,
        "budget": budget, "ok": False, "remark": reason,
    }


def show(value):
    return "-" if value is None else f"{value:.4g}"


def render(rows):
    headings = ["work", "unit", "ours", "reference", "", "ratio", "budget", "ok", "remark"]
    return markdown_table(headings, [
        [row["work"], row["unit"], show(row["ours"]), show(row["reference"]), row["reference_name"], show(row["ratio"]),
         row["budget"], "yes" if row["ok"] else "NO", row["remark"]] for row in rows])


def processor():
    """The processor's name, for the reader of the table."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return "unknown"
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), "unknown")


def circumstances(options):
    """What a reader needs to judge the numbers, the load by others included."""
    return {
        "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
        "processor": processor(), "cores": os.cpu_count(), "load_average": os.getloadavg()[0],
        "ranks": options.ranks, "reference_threads": options.ranks, "rounds": options.rounds,
    }


def main_table(tools, options):
    """Measures one scale, prints and writes the table; true when all is well."""
    if os.getloadavg()[0] > os.cpu_count() / 2:
        print("warning: other programs are running; barriers of both sides will wait for them", file=sys.stderr)
    about = {"graph": f"kron:scale={options.scale},degree=16", **circumstances(options)}
    graphs = Graphs(tools, options.scale, options.sources, options.ranks)
    measurement = Measurement(tools, graphs, options)
    for work in WORKS:
        if options.only and work.name not in options.only:
            continue
        print(f"measuring {work.name} ...", file=sys.stderr, flush=True)
        measurement.measure(work)
    measurement.measure_load()
    metrics = measurement.first_metrics or {}
    about.update({key: metrics.get(key) for key in ("vertices", "edges")}, stamp=metrics.get("stamp"))
    title = (f"{about['graph']}: {about['vertices']} vertices, {about['edges']} edges; {options.ranks} ranks against "
             f"{options.ranks} threads; medians of {options.rounds} rounds; {about['processor']}; load average at the "
             f"start {about['load_average']:.1f}")
    table = f"{title}\n\n{render(measurement.rows)}\n"
    print(table)
    results = Path(options.results)
    write_atomically(results / "table.md", table)
    write_atomically(results / "table.json", json.dumps({"about": about, "rows": measurement.rows}, indent=2) + "\n")
    if not options.keep:
        graphs.remove()
    return all(row["ok"] for row in measurement.rows if row["budget"] != AIM)


def scale_range(text):
    first, _, last = text.partition("-")
    scales = range(int(first), int(last or first) + 1)
    if not scales or scales[0] < 1:
        raise argparse.ArgumentTypeError(f"'{text}' is not a range like 16-22")
    return scales


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", required=True, help="directory of the programs")
    parser.add_argument("--work", required=True, help="directory for graphs")
    parser.add_argument("--results", required=True, help="directory for the tables")
    parser.add_argument("--launcher", default="mpirun", help="command that starts ranks, without -n")
    parser.add_argument("--ranks", type=int, default=2, help="ranks of the engine, threads of the references")
    parser.add_argument("--scale", type=int, default=20, help="scale of the table")
    parser.add_argument("--scales", type=scale_range, help="print the growth over these scales instead: 16-22")
    parser.add_argument("--rounds", type=int, default=3, help="times that engine and reference take turns")
    parser.add_argument("--repeat", type=int, default=3, help="runs within a round, for works without sources")
    parser.add_argument("--sources", type=int, default=16, help="sources of bfs and sssp")
    parser.add_argument("--only", nargs="+", choices=[work.name for work in WORKS], help="measure these works only")
    parser.add_argument("--limit", type=int, default=600, help="seconds after which a single run is ended")
    parser.add_argument("--keep", action="store_true", help="keep the graph files for the next time")
    return parser.parse_args()


def main():
    options = parse_options()
    tools = Tools(options.bin, options.launcher, options.ranks, options.work, options.limit)
    try:
        if options.scales:
            return 0 if engine_growth.growth_tables(tools, options) else 1
        return 0 if main_table(tools, options) else 1
    except RunFailed as error:
        print(f"engine_table: error: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
