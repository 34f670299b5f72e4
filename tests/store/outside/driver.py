"""How a store is written and read: by the command, one process a call.

Another driver has the same methods, and a line in DRIVERS. A method returns a Done. `status` is the command's: 0 done,
1 no cell, 2 a refused or wrong call. Cells are tuples (row, family, qualifier, timestamp, kind, value) of bytes and int.
"""

import dataclasses
import re
import subprocess
import time


@dataclasses.dataclass
class Done:
    status: int
    output: bytes
    errors: bytes
    began: int  # ms, by the clock that the store reads
    ended: int

    def cells(self):
        return [cell_of(line) for line in self.output.split(b"\n")[:-1]]


def escaped(data):
    return b"".join(bytes([byte]) if 0x21 <= byte <= 0x7E and byte != 0x5C else b"\\x%02x" % byte for byte in data)


def unescaped(data):
    return re.sub(rb"\\(?:x(..)|\\)", lambda found: bytes.fromhex(found[1].decode()) if found[1] else b"\\", data)


def cell_of(line):
    row, family, qualifier, timestamp, kind, value = line.split(b"\t")[:6]
    return unescaped(row), unescaped(family), unescaped(qualifier), int(timestamp), kind.decode(), unescaped(value)


class CommandDriver:
    """Reads and writes with `bloomery table`."""

    def __init__(self, binary, root):
        self.binary, self.root = binary, root
        self.calls = 0

    def run(self, *arguments, given=b""):
        self.calls += 1
        began = time.time_ns() // 1_000_000
        done = subprocess.run([self.binary, "table", *arguments], input=given, capture_output=True)
        ended = time.time_ns() // 1_000_000
        while time.time_ns() // 1_000_000 <= ended:  # the next call begins in a later millisecond
            time.sleep(0.0002)
        return Done(done.returncode, done.stdout, done.stderr, began, ended)

    @staticmethod
    def attributes(family, settings):
        return b",".join([escaped(family), *(f"{name}={value}".encode() for name, value in settings.items())])

    # --- what writes

    def create(self, table, families, splits=()):
        cuts = [part for row in splits for part in ("--split", escaped(row))]
        return self.run("create", self.root, table, *(self.attributes(*each) for each in families.items()), *cuts)

    def alter(self, table, families, removed=()):
        gone = [part for family in removed for part in ("--remove", escaped(family))]
        return self.run("alter", self.root, table, *(self.attributes(*each) for each in families.items()), *gone)

    def put(self, table, row, family, qualifier, value, timestamp=None, durability=None):
        return self.change("put", table, row, family, qualifier, value, timestamp, durability)

    def increment(self, table, row, family, qualifier, amount, durability=None):
        return self.change("increment", table, row, family, qualifier, str(amount).encode(), None, durability)

    def append(self, table, row, family, qualifier, value, durability=None):
        return self.change("append", table, row, family, qualifier, value, None, durability)

    def change(self, verb, table, row, family, qualifier, value, timestamp, durability):
        options = [] if timestamp is None else ["--timestamp", str(timestamp)]
        options += [] if durability is None else ["--durability", durability]
        column = escaped(family) + b":" + escaped(qualifier)
        return self.run(verb, *options, "--", self.root, table, escaped(row), column, value if verb == "increment" else escaped(value))

    def delete(self, table, row, family=None, qualifier=None, timestamp=None, one_version=False):
        options = [] if timestamp is None else ["--timestamp", str(timestamp)]
        options += ["--one-version"] if one_version else []
        column = [] if family is None else [escaped(family) + (b"" if qualifier is None else b":" + escaped(qualifier))]
        return self.run("delete", *options, "--", self.root, table, escaped(row), *column)

    def load(self, table, data, form="lines", columns=None, header=False, files=(), options=()):
        """`data` is what the command reads; `columns` those of CSV."""
        options = list(options) + {"lines": [], "json": ["--json"], "csv": ["--csv", "--columns", columns]}[form]
        options += ["--header"] if header else []
        return self.run("import", *options, self.root, table, *files, given=data)

    def flush(self, *tables):
        return self.run("flush", self.root, *tables)

    def truncate(self, table):
        return self.run("truncate", self.root, table)

    def drop(self, table):
        return self.run("drop", self.root, table)

    # --- what reads

    def get(self, table, row, request):
        return self.run("get", "--root", self.root, "--table", table, "--row", escaped(row), *self.of_request(request))

    def scan(self, table, scan, verb="scan", options=()):
        words = []
        for name, bound in (("--start", scan.start), ("--stop", scan.stop), ("--prefix", scan.prefix)):
            words += [name, escaped(bound)] if bound else []
        words += ["--exclude-start"] if scan.excludes_start else []
        words += ["--include-stop"] if scan.includes_stop else []
        words += ["--reverse"] if scan.reverse else []
        words += ["--limit", str(scan.limit)] if scan.limit is not None else []
        return self.run(verb, "--root", self.root, "--table", table, *words, *options, *self.of_request(scan))

    @staticmethod
    def of_request(request):
        words = []
        for family, qualifier in request.columns:
            words += ["--column", escaped(family) + (b"" if qualifier is None else b":" + escaped(qualifier))]
        words += ["--versions", "all" if request.versions > 10**9 else str(request.versions)] if request.versions != 1 else []
        words += ["--from", str(request.since)] if request.since else []
        words += ["--to", str(request.until)] if request.until < 2**63 - 1 else []
        for family, (since, until) in request.family_times.items():
            words += ["--family-times", escaped(family) + f":{since}:{until}".encode()]
        words += ["--max-per-family", str(request.most)] if request.most is not None else []
        words += ["--offset-per-family", str(request.offset)] if request.offset else []
        words += ["--now", str(request.now)] if request.now is not None else []
        return words

    def tables(self):
        return self.run("list", self.root)

    def verify(self):
        return self.run("verify", self.root)


DRIVERS = {"command": CommandDriver}
