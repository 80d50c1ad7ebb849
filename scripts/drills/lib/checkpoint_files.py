"""Checkpoints as they lie on the disk, read without the programs that wrote them: an independent look at whether one is
whole. libcore/include/core/checkpoint/store.hpp describes the files."""

import json
import pathlib
import re
import struct
import zlib

HEAD_BYTES = 512
TITLE = b"Superstep checkpoint index, format "
FORMATS = {("unsigned", 8): "Q", ("unsigned", 4): "I", ("signed", 8): "q", ("real", 8): "d"}


class Damaged(Exception):
    """What is wrong, with the file."""


class Dataset:
    """A stretch of a part file."""

    def __init__(self, name, record, kind, element_bytes):
        self.name, self.offset, self.checksum = name, record["offset"], record["checksum"]
        self.elements, self.kind, self.element_bytes = record["elements"], kind, element_bytes
        self.bytes = self.elements * element_bytes

    def read(self, part):
        with open(part, "rb") as file:
            file.seek(self.offset)
            return file.read(self.bytes)

    def values(self, part):
        code = FORMATS[self.kind, self.element_bytes]
        return list(struct.unpack(f"<{self.elements}{code}", self.read(part)))


class Checkpoint:
    """DIRECTORY/PREFIX-NUMBER, with an index or without."""

    def __init__(self, directory):
        self.directory = pathlib.Path(directory)
        self.number = int(self.directory.name.rpartition("-")[2])
        self.index = self.directory / "checkpoint.h5"

    def committed(self):
        return self.index.exists()

    def parts(self):
        """The records of the index, after a look at its own checksum."""
        image = self.index.read_bytes()
        head, rest = image[:HEAD_BYTES], image[HEAD_BYTES:]
        said = re.search(rb"HDF5 follows: (\d+) bytes from byte 512 on, CRC-32 ([0-9a-f]{8})", head)
        if not head.startswith(TITLE) or not said:
            raise Damaged(f"{self.index} does not begin as an index does")
        if int(said[1]) != len(rest) or int(said[2], 16) != zlib.crc32(rest):
            raise Damaged(f"{self.index}: its checksum does not match")
        begin = image.find(b'[{"bytes":')
        if begin < 0:
            raise Damaged(f"{self.index} names no parts")
        return json.JSONDecoder().raw_decode(image[begin:].decode("latin-1"))[0]

    def datasets(self, record):
        for table in record["tables"]:
            for column in table["columns"]:
                name = f"{table['name']}/{column['name']}"
                yield Dataset(name, column["values"], column["kind"], column["bytes"])
                if "counts" in column:
                    yield Dataset(name + "_count", column["counts"], "unsigned", 8)

    def verify(self):
        """Raises Damaged unless every byte that was promised is there. Returns the number of parts."""
        records = self.parts()
        for record in records:
            part = self.directory / record["file"]
            if not part.exists():
                raise Damaged(f"{part} is missing")
            if part.stat().st_size != record["bytes"]:
                raise Damaged(f"{part} has {part.stat().st_size} bytes, not {record['bytes']}")
            for dataset in self.datasets(record):
                if zlib.crc32(dataset.read(part)) != dataset.checksum:
                    raise Damaged(f"{part}: dataset {dataset.name} is damaged")
        return len(records)

    def column(self, part, name):
        """The values of one column in one part."""
        record = self.parts()[part]
        dataset = next(d for d in self.datasets(record) if d.name == name)
        return dataset.values(self.directory / record["file"])


def checkpoints(directory, prefix="superstep"):
    """All of one kind, ascending."""
    found = [Checkpoint(path) for path in pathlib.Path(directory).glob(f"{prefix}-*") if path.is_dir()]
    return sorted(found, key=lambda checkpoint: checkpoint.number)


def verified(directory, prefix="superstep"):
    """The numbers of those that have an index; Damaged unless each of them is whole."""
    whole = [c for c in checkpoints(directory, prefix) if c.committed()]
    for checkpoint in whole:
        checkpoint.verify()
    return [checkpoint.number for checkpoint in whole]


def temporary_files(directory):
    return sorted(str(path.relative_to(directory)) for path in pathlib.Path(directory).rglob("*") if ".tmp" in path.name)
