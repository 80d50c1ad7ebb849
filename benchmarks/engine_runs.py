"""Starts the programs that are measured and hands back their JSON.

Each run is its own process group with a time limit, so that a hanging job is ended as a whole and named. A run that
fails raises RunFailed with the last line the program said; the table shows it and goes on with the next row.
"""

import json
import os
import signal
import statistics
import subprocess
from pathlib import Path


class RunFailed(Exception):
    """A program ended badly, ran too long or left no metrics."""


class Tools:
    """The programs under test and how ranks are started."""

    def __init__(self, binaries, launcher, ranks, work, limit_seconds):
        self.binaries = Path(binaries)
        self.launcher = launcher.split()
        self.ranks = ranks
        self.work = Path(work)
        self.limit_seconds = limit_seconds

    def graphgen(self, spec, output):
        """Writes the graph once; a file that is there already is complete, because graphgen renames at the end."""
        if not output.exists():
            self._run(self._ranked("graphgen", [spec, "--output", output]))
        return output

    def pregel(self, algorithm, arguments):
        """One job of the engine; returns its metrics."""
        metrics = self.work / "metrics.json"
        metrics.unlink(missing_ok=True)
        self._run(self._ranked("pregel", [algorithm, *arguments, "--quiet", "--metrics", metrics]))
        try:
            return json.loads(metrics.read_text())
        except (OSError, ValueError) as error:
            raise RunFailed(f"pregel {algorithm} left no metrics: {error}") from error

    def reference(self, kernel, arguments, threads):
        """One run of a reference kernel; returns what it prints."""
        command = [self.binaries / "engine_reference", kernel, "--threads", threads, *arguments]
        return json.loads(self._run(command))

    def random_sources(self, graph, count):
        """Vertices that have edges, the same for the same graph."""
        command = [self.binaries / "engine_reference", "sources", "--graph", graph, "--count", count]
        return [int(line) for line in self._run(command).split()]

    def probe(self, pairs, repeat):
        """The bare MPI PageRank on as many ranks as the engine gets."""
        return json.loads(self._run(self._ranked("pagerank_limit", [pairs, "--repeat", repeat])))

    def _ranked(self, program, arguments):
        if not (self.binaries / program).exists():  # the launcher's own words for that fill a page
            raise RunFailed(f"{program} is not built")
        prefix = [*self.launcher, "-n", self.ranks] if self.launcher else []
        return [*prefix, self.binaries / program, *arguments]

    def _run(self, command):
        command = [str(part) for part in command]
        name = next((Path(part).name for part in command if str(self.binaries) in part), command[0])
        try:
            process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                       start_new_session=True)
        except OSError as error:
            raise RunFailed(f"{name} cannot be started: {error.strerror}") from error
        try:
            output, errors = process.communicate(timeout=self.limit_seconds)
        except subprocess.TimeoutExpired as expired:
            raise RunFailed(f"{name} did not end within {self.limit_seconds} s") from expired
        finally:
            if process.poll() is None:  # too slow, or we were interrupted: nothing may stay behind
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        if process.returncode != 0:
            raise RunFailed(f"{name} ended with exit code {process.returncode}: {complaint(errors or output)}")
        return output


def complaint(text):
    """The line in which a program says what is wrong: launchers print banners around it."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return next((line for line in lines if "error:" in line), lines[-1] if lines else "no message")


def median(values):
    return statistics.median(values)


def write_atomically(path, text):
    """No reader ever sees half a table."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(path.name + ".part")
    temporary.write_text(text)
    temporary.replace(path)


def markdown_table(headings, rows):
    """Rows of cells as an aligned Markdown table."""
    cells = [headings, *[[str(cell) for cell in row] for row in rows]]
    widths = [max(len(row[column]) for row in cells) for column in range(len(headings))]
    lines = ["| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths)) + " |" for row in cells]
    lines.insert(1, "|" + "|".join("-" * (width + 2) for width in widths) + "|")
    return "\n".join(lines)
