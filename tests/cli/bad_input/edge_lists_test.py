"""Malformed edge lists, plain and gzipped: FILE:LINE: reason, the same for every number of ranks."""

import gzip
import re

from refusals import ALL_RANKS, OUTPUTS, RefusalTest
from superstep_cli import main

GOOD = "".join(f"{i} {i + 1} 0.5\n" for i in range(2000))  # enough lines that every rank has some
LARGEST = 2**64 - 2


class EdgeLists(RefusalTest):

    def test_fields_that_are_no_ids(self):
        cases = {
            "1 2\n3 four\n": "2: 'four' is not a number: vertex ids are decimal integers, unless names are asked for "
                             "(--ids string)",
            "1 2\n-3 4\n": f"2: '-3' is negative: vertex ids go from 0 to {LARGEST}",
            "1 2\n\n# comment\n3 4.5\n": "4: '4.5' is not a vertex id: ids are decimal integers without sign, point or "
                                         "exponent",
            f"1 {2**64 - 1}\n": f"1: '{2**64 - 1}' is too large for a vertex id: ids go up to {LARGEST}",
        }
        for content, expected in cases.items():
            with self.subTest(content):
                self.expect_file_refusal(content, expected)

    def test_columns_that_are_missing_or_glued(self):
        self.expect_file_refusal("1 2\n3\n", "2: expected 'source target', found 1 column")
        self.expect_file_refusal("1,2\n", "1: '1,2': columns must be separated by blanks or tabs, not by ','")
        self.expect_file_refusal("1 2 3\n1 2\n", "2: expected 'source target weight', found 2 columns", "--weighted")

    def test_weights(self):
        cases = {
            "1 2 0.5\n2 3 nan\n": "2: 'nan' is not finite: no weight can be that",
            "1 2 0.5\n2 3 -inf\n": "2: '-inf' is not finite: no weight can be that",
            "1 2 0.5\n2 3 heavy\n": "2: 'heavy' is not a number: the weight must be one",
            "1 2 0,5\n": "1: '0,5' is not a number: the decimal separator is a point",
            "1 2 1e999\n": "1: '1e999' is too large: it does not fit into a double",
        }
        for content, expected in cases.items():
            with self.subTest(content):
                self.expect_file_refusal(content, expected, "--weighted", "--source", "1", algorithm="sssp")

    def test_first_of_many_bad_lines(self):
        bad = GOOD.splitlines(keepends=True)
        for line in (700, 1300, 1999):
            bad[line] = "oops\n"
        reason = ("701: 'oops' is not a number: vertex ids are decimal integers, unless names are asked for "
                  "(--ids string)")
        self.expect_file_refusal("".join(bad), reason, ranks=ALL_RANKS)
        self.expect_file_refusal("".join(bad), reason, "--threads", "3")
        self.expect_file_refusal(gzip.compress("".join(bad).encode()), reason, name="graph.txt.gz", ranks=ALL_RANKS)

    def test_what_is_no_text(self):
        cases = {
            b"1 2\n3 \0 4\n": "2: this line holds a zero byte: binary data or UTF-16, not a text file",
            "1 2\n".encode("utf-16"): "1: this is UTF-16 text: convert it (iconv -f UTF-16 -t UTF-8)",
            b"1 2\r3 4\r5 6\n": "1: a carriage return inside the line: convert the line ends (tr '\\r' '\\n' for those "
                                "of old Macs)",
            b"BZh91AY&SY": "1: this is a bzip2 file: decompress it first (gzip and zstd are read as they are)",
            b"%%MatrixMarket matrix coordinate\n2 2 1\n1 2\n":
                "1: expected '%%MatrixMarket object format values symmetry', found 3 words",
        }
        for content, expected in cases.items():
            with self.subTest(content):
                self.expect_file_refusal(content, expected)

    def test_the_beginning_of_an_hdf5_file(self):
        self.write("graph.txt", b"\x89HDF\r\n\x1a\n")
        self.expect_refusal(["wcc", "--graph", "graph.txt", *OUTPUTS], re.compile(r"graph\.txt: a damaged HDF5 file: .+"))

    def test_names_with_zero_bytes(self):
        self.expect_file_refusal(b"ann bob\nbo\0b eve\n",
                                 "2: this line holds a zero byte: binary data or UTF-16, not a text file",
                                 "--ids", "string")

    def test_damaged_gzip(self):
        packed = gzip.compress(GOOD.encode(), mtime=0)
        cut = packed[:len(packed) // 2]
        # Where the good text ends depends on zlib; ranks must agree on it all the same.
        self.write("graph.txt.gz", cut)
        reason = re.compile(r"^graph\.txt\.gz:\d+: the gzip data end too early: is the file complete\?$")
        seen = self.expect_refusal(["wcc", "--graph", "graph.txt.gz", *OUTPUTS], reason, ranks=ALL_RANKS)
        self.assertEqual(len(set(seen)), 1, seen)
        broken = bytearray(packed)
        broken[-6] ^= 0xff  # the checksum
        self.expect_file_refusal(bytes(broken), "2001: the gzip data are damaged (incorrect data check)",
                                 name="graph.txt.gz")
        self.expect_file_refusal(packed + b"more", "2001: something that is not gzip data follows the end of the gzip "
                                 "data", name="graph.txt.gz")


class Files(RefusalTest):

    def test_missing_file(self):
        self.expect_refusal(["wcc", "--graph", "absent.txt", *OUTPUTS],
                            "cannot open absent.txt: No such file or directory", ranks=ALL_RANKS)

    def test_directory_instead_of_a_file(self):
        (self.work / "graph.d").mkdir()
        self.expect_refusal(["wcc", "--graph", "graph.d", *OUTPUTS], "cannot open graph.d: Is a directory")

    def test_device_instead_of_a_file(self):
        self.expect_refusal(["wcc", "--graph", "/dev/null", *OUTPUTS],
                            "cannot read /dev/null: not a regular file (ranks cannot share a pipe or a device)")

    def test_unreadable_file(self):
        self.write("graph.txt", "1 2\n")
        (self.work / "graph.txt").chmod(0)
        with self.not_root() as options:
            self.expect_refusal(["wcc", "--graph", "graph.txt", *OUTPUTS], "cannot open graph.txt: Permission denied",
                                **options)


class Algorithms(RefusalTest):

    def test_negative_weight(self):
        self.write("graph.txt", "1 2 1\n5 3 -0.25\n2 4 -1\n")
        paths = ["sssp", "--graph", "graph.txt", "--weighted", *OUTPUTS]
        why = "shortest paths need weights that are not negative: edge "
        self.expect_refusal([*paths, "--source", "1"], why + "5 3 has weight -0.25", ranks=ALL_RANKS)
        self.expect_refusal([*paths, "--source", "1", "--undirected"], why + "2 4 has weight -1")
        self.expect_refusal([*paths, "--source", "1", "--ids", "string"], why + "5 3 has weight -0.25")

    def test_source_that_does_not_exist(self):
        self.write("graph.txt", "1 2\n2 3\n")
        self.expect_refusal(["bfs", "--graph", "graph.txt", "--source", "99", *OUTPUTS],
                            "source vertex 99 does not exist in graph.txt", ranks=ALL_RANKS)
        self.expect_refusal(["sssp", "--graph", "graph.txt", "--ids", "string", "--source", "ann", *OUTPUTS],
                            "source vertex ann does not exist in graph.txt")

    def test_source_that_is_no_number(self):
        self.write("graph.txt", "1 2\n2 3\n")
        for word in ("ann", "1.5", "0x1", "18446744073709551616"):
            self.expect_refusal(["bfs", "--graph", "graph.txt", f"--source={word}", *OUTPUTS],
                                f"source vertex '{word}' is not an unsigned 64-bit number")


if __name__ == "__main__":
    main()
