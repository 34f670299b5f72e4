"""How a store is written and read: by the command, one process a call, or by the Python package, one open store.

Another driver has the same methods, and a line in DRIVERS. A method returns a Done. `status` is the command's: 0 done,
1 no cell, 2 a refused or wrong call. Cells are tuples (row, family, qualifier, timestamp, kind, value) of bytes and int.
"""

import dataclasses
import os
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


class PythonDriver(CommandDriver):
    """Reads and writes with the Python package, which keeps the store open for some calls: 100, unless it is closed for the
    command. What the package lacks is the command's: alterations, JSON and CSV, lines with a fault, columns by times of a
    family or by number, moments far from now, and the table's verification.
    """

    CALLS_OF_A_STORE = 100
    NEAR = 3_600_000  # ms; no cell of the work expires so soon after another

    def __init__(self, binary, root):
        super().__init__(binary, root)
        import bloomery  # where it is installed

        self.bloomery, self.store, self.left = bloomery, None, 0

    def run(self, *arguments, given=b""):
        self.close()
        return super().run(*arguments, given=given)

    def close(self):
        if self.store is not None:
            self.store.close()
            self.store = None

    def opened(self):
        if self.left == 0:
            self.close()
        if self.store is None:
            known = self.bloomery.Store.open if os.path.exists(self.root) else self.bloomery.Store.create
            self.store = known(self.root, flush_bytes=20_000, flush_at_close=self.calls % 2 == 0)
            self.left = self.CALLS_OF_A_STORE
        self.left -= 1
        return self.store

    def call(self, work):
        """`work` returns what the command prints, or cells."""
        self.calls += 1
        output, status, errors = b"", 0, b""
        began = time.time_ns() // 1_000_000
        try:
            output = work(self.opened())
        except (self.bloomery.Error, ValueError, OverflowError) as refused:
            status, errors = 2, str(refused).encode()
        ended = time.time_ns() // 1_000_000
        while time.time_ns() // 1_000_000 <= ended:
            time.sleep(0.0002)
        return Done(status, b"" if output is None else output, errors, began, ended)

    @staticmethod
    def lines_of(cells):
        fields = lambda cell: (cell.row, cell.family, cell.qualifier, b"%d" % cell.timestamp, KINDS[cell.type].encode(), cell.value)  # noqa: E731
        return b"".join(b"\t".join(escaped(field) for field in fields(cell)) + b"\n" for cell in cells)

    def create(self, table, families, splits=()):
        named = {family.decode("latin-1"): settings for family, settings in families.items()}
        return self.call(lambda store: store.create_table(table, named, splits=splits) and b"")

    def put(self, table, row, family, qualifier, value, timestamp=None, durability=None):
        def work(store):
            self.table_of(store, table, durability).put(row, {(family, qualifier): value}, timestamp)

        return self.call(work)

    @staticmethod
    def table_of(store, table, durability):
        return store.table(table) if durability is None else store.table(table, durability=durability)

    def increment(self, table, row, family, qualifier, amount, durability=None):
        def work(store):
            return b"%d\n" % self.table_of(store, table, durability).increment(row, (family, qualifier), amount)

        if isinstance(amount, str):  # no number: Python refuses it as TypeError
            return super().increment(table, row, family, qualifier, amount, durability)
        return self.call(work)

    def append(self, table, row, family, qualifier, value, durability=None):
        def work(store):
            return escaped(self.table_of(store, table, durability).append(row, (family, qualifier), value)) + b"\n"

        return self.call(work)

    def delete(self, table, row, family=None, qualifier=None, timestamp=None, one_version=False):
        columns = None if family is None else [family] if qualifier is None else [(family, qualifier)]
        return self.call(lambda store: store.table(table).delete(row, columns, timestamp, one_version=one_version))

    def load(self, table, data, form="lines", columns=None, header=False, files=(), options=()):
        cells = [] if form != "lines" or options else cells_to_write(data)
        if not cells:
            return super().load(table, data, form, columns, header, files, options)

        if self.call(lambda store: b"known" if {cell[1].decode() for cell in cells} <= set(store.table(table).families) else b"").output == b"":
            return super().load(table, data, form, columns, header, files, options)

        def work(store):
            with store.table(table).batch() as batch:
                for row, family, qualifier, timestamp, kind, value in cells:
                    if kind == "Put":
                        batch.put(row, {(family, qualifier): value}, timestamp)
                    else:
                        is_family = kind.startswith("DeleteFamily")
                        one_version = kind in ("Delete", "DeleteFamilyVersion")
                        batch.delete(row, [family if is_family else (family, qualifier)], timestamp, one_version=one_version)

        return self.call(work)

    def flush(self, *tables):
        return self.call(lambda store: [store.table(name).flush() for name in tables or store.tables] and b"")

    def truncate(self, table):
        return self.call(lambda store: store.truncate_table(table))

    def drop(self, table):
        return self.call(lambda store: store.drop_table(table))

    def is_ours(self, request):
        is_near = request.now is None or abs(request.now - time.time_ns() // 1_000_000) < self.NEAR
        return is_near and not request.family_times and request.most is None and not request.offset

    @staticmethod
    def request_of(request):
        columns = [family if qualifier is None else (family, qualifier) for family, qualifier in request.columns]
        until = None if request.until == 2**63 - 1 else request.until
        return {"columns": columns, "versions": min(request.versions, 2**31 - 1), "since": request.since, "until": until}

    def get(self, table, row, request):
        if not self.is_ours(request):
            return super().get(table, row, request)
        done = self.call(lambda store: self.lines_of(store.table(table).get(row, **self.request_of(request))))
        return dataclasses.replace(done, status=1) if done.status == 0 and not done.output else done

    def scan(self, table, scan, verb="scan", options=()):
        if not self.is_ours(scan) or verb != "scan" or scan.excludes_start or scan.includes_stop:
            return super().scan(table, scan, verb, options)

        def work(store):
            return self.lines_of(
                store.table(table).scan(
                    scan.start,
                    scan.stop,
                    prefix=scan.prefix or None,
                    limit=scan.limit,
                    reverse=scan.reverse,
                    raw="--raw" in options,
                    **self.request_of(scan),
                )
            )

        return self.call(work)


KINDS = {4: "Put", 8: "Delete", 10: "DeleteFamilyVersion", 12: "DeleteColumn", 14: "DeleteFamily"}


def cells_to_write(data):
    """The cells of lines that the command accepts, or none if one of them has a fault."""
    cells = []
    if re.search(rb"\\(?!x[0-9A-Fa-f]{2}|\\)", data.replace(b"\\\\", b"")):
        return []
    for line in data.split(b"\n")[:-1]:
        fields = [unescaped(field) for field in line.split(b"\t")]
        if len(fields) == 8:
            row, family, qualifier, timestamp, kind, value = fields[:6]
        elif len(fields) in (3, 4) and b":" in fields[1]:
            row, value, kind, timestamp = fields[0], fields[2], b"Put", (fields[3:] or [None])[0]
            family, qualifier = fields[1].split(b":", 1)
        else:
            return []
        if timestamp is not None and not timestamp.isdigit():
            return []
        cells.append((row, family, qualifier, None if timestamp is None else int(timestamp), kind.decode(), value))
    return cells


DRIVERS = {"command": CommandDriver, "python": PythonDriver}
