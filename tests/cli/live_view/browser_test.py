"""The live view in a real browser: a rank is killed, and a watcher sees it and the recovery, by relaunch and in place.

Needs Chromium, its driver and Selenium for Python (Debian: chromium chromium-driver python3-selenium); skipped without.
In place: where ranks are launched with ULFM, or SUPERSTEP_ULFM_LAUNCHER has the words that do so, to be followed by the
number of ranks and the command (scripts/drills/watch_a_recovery.sh).
SUPERSTEP_SCREENSHOT=FILE.png in the environment keeps a picture of the page after the recovery.
"""

import os
import pathlib
import shlex
import shutil
import signal
import subprocess
import sys
import time
import unittest

try:
    from selenium import webdriver
    from selenium.webdriver.chrome.options import Options
    from selenium.webdriver.chrome.service import Service
except ImportError:  # Debian's packages are for Debian's own Python
    if sys.executable != "/usr/bin/python3" and os.path.exists("/usr/bin/python3"):
        os.execv("/usr/bin/python3", ["/usr/bin/python3", *sys.argv])
    webdriver = None

from superstep_cli import BIN, LAUNCHER, CliTest, main
from viewed import SOON, fetch, free_port

BROWSER, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
# What starts ranks whose survivors go on, or nothing; `pregel` is then found on its PATH.
ULFM_LAUNCHER = shlex.split(os.environ.get("SUPERSTEP_ULFM_LAUNCHER", "")) or (LAUNCHER if "ulfm" in LAUNCHER else [])
# Seconds from an event until the page shows it.
LIMIT = 2 * float(os.environ.get("SUPERSTEP_TEST_TIMEOUT_SCALE") or 1)


def process_of_rank(rank, port):
    """The pid of a rank of the job with this port."""
    for directory in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            words = (directory / "cmdline").read_bytes().split(b"\0")
            environment = (directory / "environ").read_bytes().split(b"\0")
        except OSError:
            continue
        mine = words[0].rsplit(b"/")[-1] == b"pregel" and str(port).encode() in words
        if mine and any(f"{name}={rank}".encode() in environment for name in ("OMPI_COMM_WORLD_RANK", "PMI_RANK")):
            return int(directory.name)
    raise AssertionError(f"no rank {rank}")


@unittest.skipUnless(webdriver and BROWSER and DRIVER, "chromium, chromium-driver and python3-selenium are not all here")
class BrowserTest(CliTest):
    def setUp(self):
        super().setUp()
        self.port = free_port()
        options = Options()
        options.binary_location = BROWSER
        for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                         f"--user-data-dir={self.work / 'profile'}"):
            options.add_argument(argument)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        self.browser = webdriver.Chrome(service=Service(DRIVER), options=options)
        self.addCleanup(self.browser.quit)

    def start_job(self, *launcher):
        """`launcher`: the words up to the program. Returns when the page is open and shows supersteps."""
        errors = open(self.work / "stderr", "wb")
        self.addCleanup(errors.close)
        self.job = subprocess.Popen(
            [*launcher, "pagerank", "--generate", "kron:scale=14", "--iterations", "10000000", "--checkpoint-dir",
             self.work / "checkpoints", "--checkpoint-every", "100", "--monitor", str(self.port)],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=errors)
        self.addCleanup(self.end_job)
        self.seen(lambda: fetch(f"http://127.0.0.1:{self.port}/"))
        self.browser.get(f"http://127.0.0.1:{self.port}/")
        self.seen(lambda: self.text("phase") == "running" and self.text("tile-checkpoints") not in ("-", "0", "1"))
        for rank in range(3):
            self.seen(lambda: f"rank {rank}" in self.text("ranks"))  # pylint: disable=cell-var-from-loop

    def end_job(self):
        if self.job.poll() is None:
            self.job.terminate()
        self.job.wait(timeout=SOON)

    def text(self, element):
        return self.browser.execute_script(f"return document.getElementById('{element}').textContent")

    def seen(self, what, seconds=SOON):
        """Waits until the page is as `what` wants; when that was."""
        end = time.time() + seconds
        while time.time() < end:
            if what():
                return time.time()
            time.sleep(0.02)
        self.fail(f"not seen within {seconds} s; banner: {self.text('banner')}; events: {self.text('event-rows')}")

    def set_width(self, width):
        self.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                                     {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False})

    def check_layout(self):
        for scheme in "light", "dark":
            self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia",
                                         {"features": [{"name": "prefers-color-scheme", "value": scheme}]})
            for width in 400, 1280:
                self.set_width(width)
                wide = self.browser.execute_script("return document.documentElement.scrollWidth")
                self.assertLessEqual(wide, width, f"at {width} px, {scheme}")
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})

    def check_console(self):
        """Nothing but that the server could not be reached while there was none."""
        for line in self.browser.get_log("browser"):
            self.assertTrue(line["source"] == "network" and "status.json" in line["message"], line)

    def test_a_rank_dies_and_the_job_recovers(self):
        self.start_job(BIN / "supervise", "--delay", "0.5", "--", *LAUNCHER, "3", BIN / "pregel")
        self.assertEqual(self.text("title"), "pregel pagerank")
        self.check_layout()

        killed = time.time()
        os.kill(process_of_rank(2, self.port), signal.SIGKILL)
        noticed = self.seen(lambda: "connection lost" in self.text("phase") or "told to stop" in self.text("banner"))
        self.assertLess(noticed - killed, LIMIT)
        self.seen(lambda: self.text("phase") == "connection lost" or "recovery" in self.text("event-rows"))

        recovered = self.seen(lambda: "went on from the checkpoint" in self.text("event-rows"))
        happened = self.browser.execute_script("return status.events.find(e => e.kind === 'recovery').time")
        self.assertLess(recovered - happened, LIMIT)
        story = self.text("event-rows")
        self.assertIn("rank 2 failed", story)
        self.assertIn("started again on 2 ranks", story)
        self.assertIn("connection lost", story)
        self.assertIn("Recovered", self.text("banner"))
        print(f"the death was seen after {noticed - killed:.2f} s, the recovery {recovered - happened:.2f} s after it "
              f"and {recovered - killed:.2f} s after the death")
        self.seen(lambda: self.text("phase") == "running" and "rank 2" not in self.text("ranks"))
        self.check_layout()
        if "SUPERSTEP_SCREENSHOT" in os.environ:
            time.sleep(3)  # for the curves
            self.set_width(1280)
            self.browser.save_screenshot(os.environ["SUPERSTEP_SCREENSHOT"])
        self.check_console()

    @unittest.skipUnless(ULFM_LAUNCHER, "ranks are not launched with ULFM here: scripts/drills/watch_a_recovery.sh does")
    def test_the_survivors_go_on_in_place(self):
        """First a rank that only computes dies, then the one that serves the page."""
        program = "pregel" if "SUPERSTEP_ULFM_LAUNCHER" in os.environ else BIN / "pregel"
        self.start_job(*ULFM_LAUNCHER, "3", program)
        for deaths, victim in enumerate((2, 0), start=1):
            killed = time.time()
            os.kill(process_of_rank(victim, self.port), signal.SIGKILL)
            noticed = self.seen(lambda: f"rank {victim} lost at superstep" in self.text("event-rows"))
            self.assertLess(noticed - killed, LIMIT)
            self.seen(lambda: self.text("event-rows").count("went on from the checkpoint") == deaths)
            recovered = self.seen(lambda: self.text("phase") == "running" and "Recovered" in self.text("banner"))
            self.assertLess(recovered - killed, 2 * LIMIT)
            self.assertNotIn(f"rank {victim}", self.text("ranks"))
            print(f"the death of rank {victim} was seen after {noticed - killed:.2f} s, the recovery in place "
                  f"{recovered - killed:.2f} s after the death")
        self.assertIn("rank 2 lost", self.text("event-rows"))  # the new rank 0 knows the whole story
        self.assertIsNone(self.job.poll(), "nothing was started anew")
        self.check_console()


if __name__ == "__main__":
    main()
