"""Outputs of the algorithms, byte for byte, over ranks x threads x partitioners. The argument is the graph of jobs.py.

A selection in which every pair of a number of ranks and a number of threads occurs, and for one graph every pair of a
number of ranks and a partitioner; tests/pregel/algorithms/determinism_test.cpp runs the full product inside one job.
"""

import sys

from jobs import GRAPHS, jobs
from superstep_cli import CliTest, main

GRAPH = sys.argv.pop() if len(sys.argv) > 1 and sys.argv[-1] in GRAPHS else "directed"
PARTITIONERS = ("hash", "modulo", "range")
RANKS = (1, 2, 3, 4, 7)
if GRAPH == "directed":
    SPREADS = [(ranks, 1 + (i + j) % 2, partition) for i, ranks in enumerate(RANKS)
               for j, partition in enumerate(PARTITIONERS)]
else:
    SPREADS = [(ranks, threads, PARTITIONERS[(i + 2 * threads) % 3]) for i, ranks in enumerate(RANKS)
               for threads in (1, 2)]


class Determinism(CliTest):

    def check(self, job):
        options, source = GRAPHS[GRAPH](self.work)
        output = self.work / "output.txt"
        wanted = None
        for ranks, threads, partition in SPREADS:
            self.run_well("pregel", *jobs(source)[job], *options, "--partition", partition, "--threads", threads,
                          "--output", output, "--quiet", ranks=ranks)
            found = output.read_bytes()
            wanted = wanted or found
            self.assertTrue(found, "nothing was written")
            # Not assertEqual: the difference of two long outputs helps nobody.
            if found != wanted:
                lines = zip(wanted.splitlines(), found.splitlines())
                first = next((pair for pair in lines if pair[0] != pair[1]), "their lengths differ")
                self.fail(f"{job} on {ranks} ranks, {threads} threads, {partition}: {first}")


for name in jobs("0"):
    setattr(Determinism, f"test_{name.replace('-', '_')}", lambda self, job=name: self.check(job))

if __name__ == "__main__":
    main()
