"""Outputs of the algorithms, byte for byte, over ranks x threads x partitioners. The argument is the graph of jobs.py.

A selection in which every pair of a number of ranks and a number of threads occurs, and for one graph every pair of a
number of ranks and a partitioner; tests/pregel/algorithms/determinism_test.cpp runs the full product inside one job.
"""

import shlex
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

    def write_all(self, source, options, ranks, threads, partition):
        """All outputs, by job; one launch reads the graph once and runs the jobs one after the other."""
        outputs = {name: self.work / f"{name}.txt" for name in jobs(source)}
        first, *others = ([*map(str, job), "--output", str(outputs[name])] for name, job in jobs(source).items())
        then = [word for job in others for word in ("--then", shlex.join(job))]
        self.run_well("pregel", *first, *then, *options, "--partition", partition, "--threads", threads, "--quiet",
                      ranks=ranks)
        return {name: output.read_bytes() for name, output in outputs.items()}

    def test_same_bytes(self):
        options, source = GRAPHS[GRAPH](self.work)
        wanted = None
        for ranks, threads, partition in SPREADS:
            found = self.write_all(source, options, ranks, threads, partition)
            wanted = wanted or found
            for job, output in found.items():
                with self.subTest(job, ranks=ranks, threads=threads, partition=partition):
                    self.compare(output, wanted[job])

    def compare(self, found, wanted):
        self.assertTrue(found, "nothing was written")
        # Not assertEqual: the difference of two long outputs helps nobody.
        if found != wanted:
            lines = zip(wanted.splitlines(), found.splitlines())
            self.fail(next((pair for pair in lines if pair[0] != pair[1]), "their lengths differ"))


if __name__ == "__main__":
    main()
