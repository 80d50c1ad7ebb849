"""A program with a live view, while it runs."""

import json
import re
import socket
import subprocess
import time
import urllib.error
import urllib.request

from superstep_cli import BIN, LAUNCHER, PREFIX

SOON = 30  # seconds, on a busy machine


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def fetch(url):
    """(status, content type, text); None if nobody answers."""
    try:
        with urllib.request.urlopen(url, timeout=5) as answer:
            return answer.status, answer.headers["Content-Type"], answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.headers["Content-Type"], error.read().decode()
    except OSError:
        return None


class Viewed:
    """bin/PROGRAM on `ranks` ranks with --monitor 0; the address is what it prints."""

    def __init__(self, test, program, *arguments, ranks):
        self.errors = test.work / "stderr"
        with open(self.errors, "wb") as errors:
            self.process = subprocess.Popen(
                [*LAUNCHER, str(ranks), *PREFIX, BIN / program, *map(str, arguments), "--monitor", "0"],
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=errors)
        test.addCleanup(self.end)
        self.url = self.wait_for(self.printed_url)

    def printed_url(self):
        found = re.search(r"live view: (http://127\.0\.0\.1:\d+/)\n", self.errors.read_text())
        return found and found.group(1)

    def wait_for(self, what):
        """The first true value of what()."""
        end = time.time() + SOON
        while time.time() < end:
            value = what()
            if value:
                return value
            time.sleep(0.02)
        raise AssertionError(f"nothing within {SOON} s; standard error:\n{self.errors.read_text()}")

    def status(self):
        answer = fetch(self.url + "status.json")
        return json.loads(answer[2]) if answer else None

    def status_when(self, condition):
        def look():
            status = self.status()
            return status if status and condition(status) else None
        return self.wait_for(look)

    def end(self):
        """Ends it, if it has not ended; its exit code."""
        if self.process.poll() is None:
            self.process.terminate()
        return self.process.wait(timeout=SOON)
