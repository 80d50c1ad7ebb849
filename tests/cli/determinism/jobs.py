"""Which programs must write the same bytes however they are run: graphs, and what runs on each.

    jobs.py DIRECTORY RANKS [GRAPH...]    writes all outputs into DIRECTORY, for comparison with another build
"""

import pathlib
import random
import sys
import tempfile

from superstep_cli import run


def write_directed(directory):
    """A directed random graph with real weights, loops and repeats."""
    numbers = random.Random(12)
    lines = [f"{numbers.randrange(1500)} {numbers.randrange(1500)} {numbers.random():.17g}" for _ in range(9000)]
    path = directory / "directed.txt"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return ["--graph", path, "--weighted"], numbers.choice(lines).split()[0]


def write_names(directory):
    """String ids of many lengths, some beyond ASCII, written to the file in no order."""
    numbers = random.Random(13)
    starts = ("a", "vertex-", "http://example.org/resource/", "é", "ζ", "Z" * 40)
    names = [numbers.choice(starts) + str(numbers.randrange(10**numbers.randrange(1, 9))) for _ in range(800)]
    lines = [f"{numbers.choice(names)}\t{numbers.choice(names)}" for _ in range(3000)]
    path = directory / "names.txt"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return ["--graph", path, "--ids", "string", "--undirected"], numbers.choice(lines).split("\t")[0]


def write_awkward(directory):
    """Shapes that break programs, side by side: star, chain, loops, repeats, huge ids, and vertices without edges."""
    edges = [(1000, 1000 + leaf) for leaf in range(1, 60)]
    edges += [(2000 + i, 2001 + i) for i in range(30)]
    edges += [(3000, 3000), (3000, 3000), (3001, 3002), (3001, 3002), (3002, 3001), (3002, 3003), (3003, 1000)]
    huge = [2**64 - 2, 2**64 - 3, 2**63, 2**63 - 1, 2**32, 2**32 - 1, 0, 2000]
    edges += list(zip(huge, huge[1:]))
    vertices = sorted({v for edge in edges for v in edge} | {5, 7, 2**40, 2**64 - 4})
    (directory / "awkward.e").write_text("".join(f"{u} {v}\n" for u, v in edges), encoding="utf-8")
    (directory / "awkward.v").write_text("".join(f"{v}\n" for v in vertices), encoding="utf-8")
    return ["--graph", directory / "awkward.e"], "0"


def kronecker(_):
    return ["--generate", "kron:scale=14,degree=16,weights=int"], "1"


GRAPHS = {"kronecker": kronecker, "directed": write_directed, "names": write_names, "awkward": write_awkward}


def jobs(source):
    """Name of the output -> what comes before the options of the graph."""
    return {
        "pagerank-iterations": ["pagerank", "--iterations", 10],
        "pagerank-tolerance": ["pagerank", "--tolerance", 1e-6],
        "cdlp": ["cdlp", "--iterations", 6],
        "degree": ["degree"],
        "hits": ["hits", "--iterations", 5],
        "lcc": ["lcc"],
        "ppr": ["ppr", "--source", source, "--iterations", 8],
        "triangles": ["triangles"],
        "sssp": ["sssp", "--source", source],
        "bfs": ["bfs", "--source", source, "--parents"],
        "wcc": ["wcc"],
    }


def main(directory, ranks, *graphs):
    for graph in graphs or GRAPHS:
        with tempfile.TemporaryDirectory() as inputs:
            options, source = GRAPHS[graph](pathlib.Path(inputs))
            for name, job in jobs(source).items():
                finished = run("pregel", *job, *options, "--quiet", "--output",
                               pathlib.Path(directory) / f"{graph}-{name}-{ranks}.txt", ranks=ranks)
                if finished.code != 0:
                    sys.exit(str(finished))


if __name__ == "__main__":
    main(*sys.argv[1:])
