"""How a refusal looks from outside: the exit code, one line, nothing written, soon, whatever the number of ranks."""

import contextlib
import itertools
import os
import re
import shutil
import subprocess
import tempfile
import time
from unittest import mock

import superstep_cli
from superstep_cli import CliTest, run

OURS = re.compile(r"(\[rank \d+\] )?(pregel|graphgen): |terminate called|what\(\):")
SOON_SECONDS = 30  # far above what a refusal takes, even on a loaded machine with more ranks than cores
ALL_RANKS = (1, 2, 4, 7)
# Reasons are compared letter by letter, so a table of cases need not run each one on every number of ranks.
NEXT_RANKS = itertools.cycle(((2,), (1,), (4,)))


def our_lines(text):
    """The lines of standard error that our programs wrote; the launcher adds its own."""
    return [line for line in text.splitlines() if OURS.search(line)]


class RefusalTest(CliTest):
    """Tests work in self.work with relative file names, so that messages hold no temporary path."""

    def write(self, name, content):
        data = content if isinstance(content, bytes) else content.encode()
        (self.work / name).write_bytes(data)
        return name

    def expect_refusal(self, arguments, reason, ranks=None, program="pregel", code=2, **options):
        """Runs on each number of ranks, or on one if it does not matter. `reason`: what follows "PROGRAM: error: ", as
        a string or a compiled pattern.

        Returns the lines that were seen, which tests may compare.
        """
        seen = []
        for count in ranks or next(NEXT_RANKS):
            before = sorted(path.name for path in self.work.rglob("*"))
            start = time.monotonic()
            finished = run(program, *arguments, ranks=count, timeout=SOON_SECONDS, cwd=self.work, **options)
            seconds = time.monotonic() - start
            report = f"on {count} ranks, after {seconds:.1f} s: {finished}"
            self.assertEqual(finished.code, code, report)
            lines = our_lines(finished.err)
            self.assertEqual(len(lines), 1, report)
            prefix = f"{program}: error: "
            self.assertTrue(lines[0].startswith(prefix), report)
            said = lines[0][len(prefix):]
            if isinstance(reason, re.Pattern):
                self.assertRegex(said, reason, report)
            else:
                self.assertEqual(said, reason, report)
            self.assertNotIn("error", finished.out, report)
            self.assertEqual(sorted(path.name for path in self.work.rglob("*")), before, "files left " + report)
            self.assertLess(seconds, SOON_SECONDS, report)
            seen.append(said)
        return seen

    @contextlib.contextmanager
    def not_root(self):
        """Options of run() under which nobody's permissions count, in a work directory that everybody may write.

        Skips where root cannot become somebody else.
        """
        if os.geteuid() != 0:
            yield {}
            return
        nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
        if not shutil.which("setpriv"):
            self.skipTest("root may read everything, and there is no setpriv to become somebody else")
        if subprocess.run([*nobody, superstep_cli.BIN / "pregel", "--version"], check=False, capture_output=True,
                          timeout=SOON_SECONDS).returncode != 0:
            self.skipTest("root may read everything, and nobody may not run the program")
        self.work.chmod(0o777)
        with tempfile.TemporaryDirectory(prefix="superstep-nobody-") as home:
            os.chmod(home, 0o777)
            with mock.patch.object(superstep_cli, "LAUNCHER", [*nobody, *superstep_cli.LAUNCHER]):
                yield {"environment": {"HOME": home, "TMPDIR": home}}

    def expect_file_refusal(self, content, place_and_reason, *arguments, name="graph.txt", algorithm="wcc", **options):
        """Refuses a graph file; `place_and_reason` is "LINE: reason"."""
        self.write(name, content)
        self.expect_refusal([algorithm, "--graph", name, *arguments, *OUTPUTS], f"{name}:{place_and_reason}", **options)


OUTPUTS = ["--output", "result.txt", "--metrics", "metrics.json"]  # neither may be there afterwards
