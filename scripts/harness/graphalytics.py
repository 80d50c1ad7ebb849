"""The work of scripts/graphalytics.sh: runs, rules, table."""

import argparse
import csv
import json
import math
import os
import pathlib
import shlex
import subprocess
import sys
import tempfile

PREGEL = pathlib.Path(os.environ["SUPERSTEP_BIN_DIR"]) / "pregel"


def read_properties(path):
    """The keys below graph.NAME."""
    prefix, found = f"graph.{path.stem}.", {}
    for line in path.read_text(encoding="utf-8").splitlines():
        key, equals, value = line.partition("=")
        if equals and key.strip().startswith(prefix):
            found[key.strip()[len(prefix):]] = value.strip()
    return found


def read_results(path):
    with open(path, encoding="utf-8") as file:
        return dict(line.split(maxsplit=1) for line in file if line.strip())


def exactly(found, wanted):
    return next((v for v in wanted if found[v].strip() != wanted[v].strip()), None)


def within_tolerance(found, wanted):
    """Relative 1e-4; infinity only equals itself."""
    def close(a, b):
        return a == b or math.isclose(a, b, rel_tol=1e-4)
    return next((v for v in wanted if not close(float(found[v]), float(wanted[v]))), None)


def up_to_names(found, wanted):
    """Two vertices share a component in both results or in neither: names correspond one to one."""
    there, back = {}, {}
    for vertex, name in wanted.items():
        if there.setdefault(name, found[vertex]) != found[vertex] or back.setdefault(found[vertex], name) != name:
            return vertex
    return None


# Graphalytics' name: (pregel's, suffix of the reference, options from the properties, rule)
KERNELS = {
    "bfs": ("bfs", "BFS", lambda p: ["--source", p["bfs.source-vertex"]], exactly),
    "pr": ("pagerank", "PR", lambda p: ["--iterations", p["pr.num-iterations"], "--damping", p["pr.damping-factor"]],
           within_tolerance),
    "wcc": ("wcc", "WCC", lambda p: [], up_to_names),
    "cdlp": ("cdlp", "CDLP", lambda p: ["--iterations", p["cdlp.max-iterations"]], exactly),
    "lcc": ("lcc", "LCC", lambda p: [], within_tolerance),
    "sssp": ("sssp", "SSSP", lambda p: ["--weighted", "--source", p["sssp.source-vertex"]], within_tolerance),
}


def verdict(rule, output, reference):
    if not reference.exists():
        return "no reference"
    found, wanted = read_results(output), read_results(reference)
    if found.keys() != wanted.keys():
        return f"WRONG: {len(found)} vertices instead of {len(wanted)}"
    wrong = rule(found, wanted)
    return "right" if wrong is None else f"WRONG at {wrong}: {found[wrong].strip()} instead of {wanted[wrong].strip()}"


def run(directory, name, kernel, properties, options):
    """A row of the table."""
    algorithm, suffix, options_of, rule = KERNELS[kernel]
    try:
        more = options_of(properties)
    except KeyError as missing:
        sys.exit(f"graphalytics.sh: {directory / name}.properties: no graph.{name}.{missing.args[0]}")
    with tempfile.TemporaryDirectory() as scratch:
        output, metrics = pathlib.Path(scratch, "result.txt"), pathlib.Path(scratch, "metrics.json")
        words = [*shlex.split(options.launch), str(options.ranks), PREGEL, algorithm, "--graph", directory / f"{name}.e",
                 *more, "--threads", options.threads, "--output", output, "--metrics", metrics, "--quiet"]
        ended = subprocess.run([str(word) for word in words], stdin=subprocess.DEVNULL, capture_output=True, text=True)
        if ended.returncode != 0:
            return {"graph": name, "algorithm": kernel, "verdict": f"FAILED: {ended.stderr.strip()}"}
        m = json.loads(metrics.read_text())
        seconds = m["run_seconds"]
        return {"graph": name, "algorithm": kernel, "vertices": m["vertices"], "edges": m["edges"],
                "load_seconds": f"{m['load_seconds']:.4f}", "processing_seconds": f"{seconds:.4f}",
                "evps": f"{(m['vertices'] + m['edges']) / max(seconds, 1e-9):.3g}",
                "verdict": verdict(rule, output, directory / f"{name}-{suffix}")}


COLUMNS = ("graph", "algorithm", "vertices", "edges", "load_seconds", "processing_seconds", "evps", "verdict")


def main():
    parser = argparse.ArgumentParser(prog="graphalytics.sh", allow_abbrev=False)
    parser.add_argument("directory", type=pathlib.Path)
    parser.add_argument("--launch", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--graphs", help="names, by default all")
    parser.add_argument("--algorithms", help="by default those of the .properties file")
    parser.add_argument("--results", type=pathlib.Path, default=pathlib.Path("results/graphalytics"))
    options = parser.parse_args()
    if unknown := set((options.algorithms or "").split()) - KERNELS.keys():
        parser.error(f"no algorithm '{unknown.pop()}'; known: {' '.join(KERNELS)}")
    files = sorted(options.directory.glob("*.properties"))
    names = options.graphs.split() if options.graphs else [file.stem for file in files]
    if not files or not names:
        parser.error(f"{options.directory}: no .properties files")
    for name in names:
        if not (options.directory / f"{name}.properties").exists():
            parser.error(f"{options.directory}: no {name}.properties")
    rows = []
    print("| " + " | ".join(COLUMNS) + " |\n" + "|---" * len(COLUMNS) + "|", flush=True)
    for name in names:
        properties = read_properties(options.directory / f"{name}.properties")
        own = [word.strip() for word in properties.get("algorithms", ",".join(KERNELS)).split(",")]
        for kernel in (options.algorithms or " ".join(own)).split():
            if kernel not in KERNELS:
                parser.error(f"{name}.properties: unknown algorithm '{kernel}'")
            if kernel in own:
                rows.append(run(options.directory, name, kernel, properties, options))
                print("| " + " | ".join(str(rows[-1].get(column, "–")) for column in COLUMNS) + " |", flush=True)
    options.results.mkdir(parents=True, exist_ok=True)
    with open(options.results / "graphalytics.csv", "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, COLUMNS)
        writer.writeheader()
        writer.writerows(rows)
    wrong = [row for row in rows if row["verdict"] not in ("right", "no reference")]
    print(f"== {len(rows) - len(wrong)} of {len(rows)} runs as they should be")
    return 1 if wrong or not rows else 0


if __name__ == "__main__":
    sys.exit(main())
