"""The virtual cluster comes up, slows messages down to its links' rate, and goes without a trace."""

import os
import re
import shutil
import subprocess
import time
import unittest

from superstep_cli import BIN, REPOSITORY, CliTest, main, read_json

SCRIPT = REPOSITORY / "scripts/drills/virtual_cluster.sh"
CLUSTER = f"sstest{os.getpid()}"  # a user's own cluster is left alone
LINK = 200e6 / 8  # bytes per second


def why_not():
    """The reason why no cluster can be made here, or None."""
    if os.geteuid() != 0:
        return "network namespaces need root"
    for tool in "ip", "tc", "unshare", "mpirun":
        if not shutil.which(tool):
            return f"{tool} is not installed"
    version = subprocess.run(["mpirun", "--version"], capture_output=True, text=True, check=False).stdout
    if not re.search(r"Open MPI\) 4\.", version):
        return "starting ranks in namespaces needs Open MPI 4"
    probe = f"{CLUSTER}-probe"
    made = subprocess.run(["ip", "netns", "add", probe], capture_output=True, check=False).returncode == 0
    subprocess.run(["ip", "netns", "del", probe], capture_output=True, check=False)
    return None if made else "network namespaces cannot be made here"


def cluster(*words, timeout=60):
    """Runs the script on the test's own cluster."""
    return subprocess.run([SCRIPT, *map(str, words)], capture_output=True, text=True, check=False, timeout=timeout,
                          env={**os.environ, "SUPERSTEP_CLUSTER": CLUSTER})


class WordsTest(CliTest):

    def test_without_a_cluster(self):
        for words in [], ["sideways"]:
            finished = cluster(*words)
            self.assertEqual(finished.returncode, 2)
            self.assertEqual(len(finished.stderr.splitlines()), 1, finished.stderr)
        self.assertIn("virtual_cluster.sh up N RATE", cluster("--help").stdout)
        self.assertEqual(cluster("down").returncode, 0)

    def test_says_when_it_is_not_root(self):
        if os.geteuid() == 0 and not shutil.which("setpriv"):
            self.skipTest("no setpriv to become somebody else")
        nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] if os.geteuid() == 0 else []
        if subprocess.run([*nobody, "test", "-x", SCRIPT], check=False).returncode != 0:
            self.skipTest("the checkout is closed to other users")
        finished = subprocess.run([*nobody, SCRIPT, "up", "2", "200mbit"], capture_output=True, text=True, check=False)
        self.assertEqual(finished.returncode, 1)
        self.assertEqual(finished.stderr, "virtual_cluster.sh: needs root, to make network namespaces\n")


@unittest.skipIf(why_not(), why_not())
class ClusterTest(CliTest):

    def setUp(self):
        super().setUp()
        self.addCleanup(cluster, "down")

    def must(self, *words):
        finished = cluster(*words)
        self.assertEqual(finished.returncode, 0, f"{finished.stdout}{finished.stderr}")
        return finished.stdout

    def namespaces(self):
        listed = subprocess.run(["ip", "netns", "list"], capture_output=True, text=True, check=True).stdout
        return [line for line in listed.splitlines() if line.startswith(CLUSTER)]

    def test_life(self):
        for words in ["up"], ["up", "2", "fast"], ["up", "0", "1gbit"], ["up", "2x", "1gbit"]:
            self.assertEqual(cluster(*words).returncode, 2, words)
        self.assertEqual(self.namespaces(), [])
        self.must("up", 2, "200mbit")
        self.assertIn("already up", self.must("up", 2, "200mbit"))
        self.assertEqual(cluster("up", 3, "200mbit").returncode, 1)
        self.assertIn("200Mbit", self.must("status"))

        self.assertEqual(sorted(self.must("run", "-n", 4, "hostname").split()),
                         [f"{CLUSTER}-host1"] * 2 + [f"{CLUSTER}-host2"] * 2)
        self.assertEqual(cluster("run", "sh", "-c", "exit 7").returncode, 7)
        for words in ["run"], ["run", "--hosts", "3", "hostname"], ["run", "-n", "x", "hostname"]:
            self.assertEqual(cluster(*words).returncode, 2, words)

        result = self.work / "result.json"
        self.must("run", BIN / "ringbench", "--algorithms", "naive,ring", "--min", "2M", "--max", "2M", "--iterations",
                  "2", "--warmup", "1", "--json", result)
        document = read_json(result)
        self.assertEqual(document["topology"], {"ranks": 2, "nodes": 2, "shared_memory": False})
        seconds = {row["algorithm"]: row["seconds_min"] for row in document["results"]}
        size = document["results"][0]["bytes"]
        # The token bucket lets 256 KiB through at once; a busy machine can only be slower.
        self.assertGreater(seconds["ring"], 0.7 * size / LINK)
        self.assertGreater(seconds["naive"], 1.3 * seconds["ring"])

        self.must("down")
        self.assertEqual(self.namespaces(), [])
        self.assertEqual(cluster("run", "hostname").returncode, 1)

    def test_an_interrupted_run_leaves_no_process(self):
        self.must("up", 2, "1gbit")
        with subprocess.Popen([SCRIPT, "run", "sleep", "600"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                              env={**os.environ, "SUPERSTEP_CLUSTER": CLUSTER}) as job:
            deadline = time.monotonic() + 20
            while self.must("status").count(" 0 processes") > 0 and time.monotonic() < deadline:
                time.sleep(0.1)
            job.terminate()
            job.wait(timeout=20)
        deadline = time.monotonic() + 20
        while self.must("status").count(" 0 processes") < 2 and time.monotonic() < deadline:
            time.sleep(0.1)
        self.assertEqual(self.must("status").count(" 0 processes"), 2)


if __name__ == "__main__":
    main()
