"""How the engine's costs grow: per edge over the scales of one graph family, and per superstep on long chains.

Costs must grow linearly with the edges, so the columns per edge should stay level; what rises is the share of memory
accesses that miss a cache. On a chain the frontier is one vertex, so a superstep shows its fixed cost, which must not
depend on the number of vertices.
"""

import json
import sys
from pathlib import Path

from engine_runs import RunFailed, markdown_table, write_atomically

CHAIN_VERTICES = (10_000, 1_000_000)
CHAIN_SUPERSTEPS = 100_000  # of the long chain only the first so many are run
CHAIN_LIMIT_MICROSECONDS = 50.0
CHAIN_LIMIT_RATIO = 1.3
ALGORITHMS = {"pagerank": ["--iterations", 20], "bfs": [], "wcc": []}


def measure_scale(tools, scale, repeat):
    """Seconds and bytes per edge of one Kronecker graph; its file is removed afterwards."""
    graph = tools.graphgen(f"kron:scale={scale},degree=16", tools.work / f"growth{scale}.el")
    row = {"scale": scale}
    try:
        source = tools.random_sources(graph, 1)[0]
        for algorithm, arguments in ALGORITHMS.items():
            from_source = ["--source", source] if algorithm == "bfs" else []
            metrics = tools.pregel(
                algorithm, ["--graph", graph, "--undirected", "--repeat", repeat, *arguments, *from_source])
            edges = metrics["edges"]
            row[f"{algorithm}_ns_per_edge"] = metrics["run_seconds"] / edges * 1e9
            if algorithm == "pagerank":
                row["edges"] = edges
                row["load_ns_per_edge"] = metrics["load_seconds"] / edges * 1e9
                row["peak_bytes_per_edge"] = metrics["peak_rss_bytes"] * metrics["ranks"] / edges
    finally:
        graph.unlink(missing_ok=True)
    return row


def measure_chain(tools, vertices, repeat):
    """Microseconds a superstep of a search along a chain."""
    metrics = tools.pregel("bfs", ["--generate", f"chain:n={vertices}", "--source", 0, "--max-supersteps",
                                   CHAIN_SUPERSTEPS, "--repeat", repeat])
    return {"vertices": vertices, "supersteps": metrics["supersteps"],
            "microseconds_per_superstep": metrics["run_seconds"] / metrics["supersteps"] * 1e6}


def render_scales(rows):
    headings = ["scale", "edges", "load ns/edge", "pagerank ns/edge", "bfs ns/edge", "wcc ns/edge", "peak bytes/edge"]
    keys = ["load_ns_per_edge", "pagerank_ns_per_edge", "bfs_ns_per_edge", "wcc_ns_per_edge", "peak_bytes_per_edge"]
    return markdown_table(headings, [[row["scale"], row["edges"], *[f"{row[key]:.3g}" for key in keys]] for row in rows])


def render_chains(rows):
    ratio = rows[-1]["microseconds_per_superstep"] / rows[0]["microseconds_per_superstep"]
    slow = rows[-1]["microseconds_per_superstep"] > CHAIN_LIMIT_MICROSECONDS
    table = markdown_table(["chain", "supersteps", "microseconds/superstep"],
                           [[row["vertices"], row["supersteps"], f"{row['microseconds_per_superstep']:.2f}"]
                            for row in rows])
    ok = not slow and ratio <= CHAIN_LIMIT_RATIO
    verdict = (f"long / short chain {ratio:.2f} (<= {CHAIN_LIMIT_RATIO}), at most {CHAIN_LIMIT_MICROSECONDS:.0f} "
               f"microseconds: {'ok' if ok else 'MISSED'}")
    return f"{table}\n\n{verdict}", ok


def growth_tables(tools, options):
    """Measures, prints and writes the tables; true when the chains keep their limits. RunFailed passes through."""
    tools.work.mkdir(parents=True, exist_ok=True)
    scales, chains = [], []
    try:
        for scale in options.scales:
            print(f"measuring scale {scale} ...", file=sys.stderr, flush=True)
            scales.append(measure_scale(tools, scale, options.repeat))
        for vertices in CHAIN_VERTICES:
            print(f"measuring a chain of {vertices} ...", file=sys.stderr, flush=True)
            chains.append(measure_chain(tools, vertices, options.repeat))
    except KeyError as error:
        raise RunFailed(f"metrics lack {error}") from error
    chain_text, ok = render_chains(chains)
    text = f"kron:degree=16, {options.ranks} ranks\n\n{render_scales(scales)}\n\n{chain_text}\n"
    print(text)
    results = Path(options.results)
    write_atomically(results / "growth.md", text)
    write_atomically(results / "growth.json", json.dumps({"scales": scales, "chains": chains}, indent=2) + "\n")
    return ok
