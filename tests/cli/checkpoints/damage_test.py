"""Damaged checkpoints: each kind is named, and answered by the one before; without one there is a clear end."""

import re
import shutil

from checkpointed import CheckpointTest, lines_of
from superstep_cli import main


def flip_byte(path, place):
    """The byte at `place` (0 .. 1) of the file."""
    content = bytearray(path.read_bytes())
    content[int(place * (len(content) - 1))] ^= 0x10
    path.write_bytes(content)


def truncate(path):
    path.write_bytes(path.read_bytes()[:-1])


def make_newer(path):
    content = path.read_bytes()
    assert content.count(b"format 1") == 1, "the index does not say its format as it did"
    path.write_bytes(content.replace(b"format 1", b"format 7"))


class Damage(CheckpointTest):

    def setUp(self):
        super().setUp()
        self.wanted = self.undisturbed()
        finished = self.pregel(*self.JOB, *self.GRAPH, *self.EVERY_TWO, *self.ABORT, "--inject",
                               "rank=2,superstep=7", ranks=4)
        self.assertNotIn(finished.code, (0, 2), str(finished))
        self.assertEqual(self.states(), [4, 6])
        shutil.copytree(self.work / "ck", self.work / "sound")

    def restore(self):
        shutil.rmtree(self.work / "ck")
        shutil.copytree(self.work / "sound", self.work / "ck")

    def resume(self, *arguments, ranks=3):
        return self.pregel(*self.JOB, *arguments, *self.RESUME, "--output", "result.txt", ranks=ranks)

    def test_of_a_state(self):
        """What is done to a state, and what is said of it."""
        kinds = {
            "truncated part": (lambda k: truncate(self.part(k, 1)),
                               r"part-00001\.h5 has \d+ bytes, but \d+ were written"),
            "flipped byte": (lambda k: flip_byte(self.part(k, 3), 0.5),
                             r"part-00003\.h5: (dataset \w+/\w+|its HDF5 structure) is damaged "
                             r"\(its checksum does not match\)"),
            "flipped byte at the end": (lambda k: flip_byte(self.part(k, 0), 1.0), r"part-00000\.h5: .* is damaged "),
            "missing part": (lambda k: self.part(k, 2).unlink(), r"part-00002\.h5 is missing"),
            "damaged index": (lambda k: flip_byte(self.index(k), 0.7),
                              r"checkpoint\.h5 is damaged \(its checksum does not match\)"),
            "newer format": (lambda k: make_newer(self.index(k)),
                             r"checkpoint\.h5 has format version 7; this program reads versions up to 1"),
        }
        for name, (damage, line) in kinds.items():
            with self.subTest(name):
                self.restore()
                damage(6)
                finished = self.resume()
                self.expect_bytes(finished, self.wanted)
                said = lines_of(finished)
                self.assertEqual(len(said), 1, str(finished))
                self.assertRegex(said[0], r"warning: ck/superstep-000000000006/" + line)
        # The end is the same for all of them: one kind is enough, and a mixture.
        for damages in (["missing part"] * 2, ["newer format", "truncated part"]):
            with self.subTest(" and ".join(damages)):
                self.restore()
                for superstep, damage in zip((6, 4), damages):
                    kinds[damage][0](superstep)
                finished = self.resume()
                self.expect_line(finished, r"^pregel: error: no checkpoint in ck can be used: "
                                 "ck/superstep-000000000006/" + kinds[damages[0]][1] + "$")

    def test_missing_index(self):
        self.index(6).unlink()
        finished = self.resume()
        self.expect_bytes(finished, self.wanted)
        self.assertEqual(len(lines_of(finished)), 1, str(finished))
        self.assertIn("warning: ck/superstep-000000000006/checkpoint.h5 is missing: the checkpoint is not complete",
                      finished.err)
        self.expect_no_leftovers()
        # Without any index it is as if the job had died in its first write: told, and from the start.
        self.restore()
        self.index(6).unlink()
        self.index(4).unlink()
        finished = self.resume()
        self.expect_bytes(finished, self.wanted)
        missing = re.findall(r"warning: ck/superstep-00000000000[46]/checkpoint\.h5 is missing", finished.err)
        self.assertEqual(len(missing), 2, str(finished))

    def test_of_the_graph(self):
        damages = {
            "truncated": lambda: truncate(self.work / "ck/graph-000000000000/part-00002.h5"),
            "flipped": lambda: flip_byte(self.work / "ck/graph-000000000000/part-00000.h5", 0.6),
            "index": lambda: flip_byte(self.work / "ck/graph-000000000000/checkpoint.h5", 0.9),
        }
        for name, damage in damages.items():
            with self.subTest(name):
                self.restore()
                damage()
                finished = self.resume()
                self.assertRegex(finished.err, r"warning: the stored graph cannot be used: no checkpoint in ck can be "
                                 r"used: ck/graph-000000000000/")
                self.expect_line(finished, "^pregel: error: there is no graph in ck to resume with: give --graph or "
                                 "--generate$", code=2)
                finished = self.resume(*self.GRAPH)
                self.expect_bytes(finished, self.wanted)

    def test_missing_graph(self):
        shutil.rmtree(self.work / "ck/graph-000000000000")
        self.expect_line(self.resume(), "^pregel: error: there is no graph in ck to resume with", code=2)
        finished = self.resume("--generate", "kron:scale=8,seed=4")
        self.expect_line(finished, "^pregel: error: cannot resume from ck: its job ran on another graph$", code=2)


if __name__ == "__main__":
    main()
