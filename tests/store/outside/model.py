"""What a table of HBase answers, written from docs/table.md, docs/store.md and docs/formats/hbase-table.md alone.

A cell is a put or a marker. A marker hides the puts of its column or family that are not newer, or those of its timestamp,
whenever they were written. What is hidden, superfluous or expired may be dropped when memory is written to a file or files
are compacted, and nobody says when: such a cell is `loose`. A marker is loose once it has expired. An answer is certain if
it is the same with and without the loose cells, and without the loose markers alone; else it has nothing that was never
written.

A write without a timestamp has one between the beginning and the end of its call: `low` and `high` differ until an answer
shows it. Timestamps that are given are far from the clock, so that their order is known.
"""

import dataclasses

FOREVER = None
LAST = 2**63 - 1
MARKERS = ["DeleteFamily", "DeleteColumn", "DeleteFamilyVersion", "Delete"]
ORDER = {"DeleteFamily": 0, "DeleteColumn": 1, "DeleteFamilyVersion": 2, "Delete": 3, "Put": 4}


@dataclasses.dataclass
class Cell:
    row: bytes
    family: bytes
    qualifier: bytes
    low: int
    high: int
    kind: str = "Put"
    value: bytes = b""
    loose: bool = False

    def hides(self, put):
        if self.family != put.family or (self.kind in ("DeleteColumn", "Delete") and self.qualifier != put.qualifier):
            return False
        return put.low == self.low if self.kind in ("Delete", "DeleteFamilyVersion") else put.low <= self.low


@dataclasses.dataclass
class Family:
    versions: int = 1
    min_versions: int = 0
    ttl: int | None = FOREVER  # seconds
    keep_deleted: str = "FALSE"


@dataclasses.dataclass
class Request:
    columns: list = dataclasses.field(default_factory=list)  # (family, qualifier or None)
    versions: int = 1
    since: int = 0
    until: int = LAST  # exclusive; LAST: no bound
    family_times: dict = dataclasses.field(default_factory=dict)
    most: int | None = None  # cells of a row and family
    offset: int = 0
    now: int | None = None  # ms

    def qualifiers(self, families):
        """Which qualifiers of which families are asked for; None: all."""
        if not self.columns:
            return {family: None for family in families}
        asked = {}
        for family, qualifier in self.columns:
            if qualifier is None:
                asked[family] = None
            else:
                asked[family] = (asked.get(family) or set()) | {qualifier}
        return asked


@dataclasses.dataclass
class Scan(Request):
    start: bytes = b""
    stop: bytes = b""
    excludes_start: bool = False
    includes_stop: bool = False
    prefix: bytes = b""
    reverse: bool = False
    limit: int | None = None

    def has(self, row):
        if self.prefix:
            return row.startswith(self.prefix)
        first, last = (self.stop, self.start) if self.reverse else (self.start, self.stop)
        without_first = not self.includes_stop if self.reverse else self.excludes_start
        without_last = self.excludes_start if self.reverse else not self.includes_stop
        return not (
            (first and (row < first or (row == first and without_first)))
            or (last and (row > last or (row == last and without_last)))
        )


class Table:
    def __init__(self, families):
        self.families = families  # name: Family
        self.cells = {}  # row: {(family, qualifier, timestamp, kind): Cell}
        self.replaced = {}  # row: cells whose key was written again

    def write(self, cells, now):
        rows = set()
        for cell in cells:
            # A later cell of the same key takes the place of the earlier one. A raw scan may find the earlier one again.
            of_row, key = self.cells.setdefault(cell.row, {}), (cell.family, cell.qualifier, cell.low, cell.kind)
            if key in of_row:
                self.replaced.setdefault(cell.row, []).append(of_row[key])
            of_row[key] = cell
            rows.add(cell.row)
        for row in rows:
            self.loosen(row, now)

    def loosen(self, row, now):
        """Notes what may be dropped from now on."""
        for name, family in self.families.items():
            visible = {id(cell) for cell in self.of_family(row, name, Request(versions=LAST, now=now), ())}
            for cell in self.cells.get(row, {}).values():
                is_marker = cell.family == name and cell.kind != "Put"
                cell.loose |= is_marker and not family.min_versions and self.is_expired(cell, family, now)
            ranks = {}
            for cell in self.puts(row, name):
                ranks[cell.qualifier] = ranks.get(cell.qualifier, 0) + 1
                if family.keep_deleted == "FALSE":
                    cell.loose |= id(cell) not in visible
                else:
                    cell.loose |= ranks[cell.qualifier] > family.versions or self.is_expired(cell, family, now)

    def alter(self, name, family, now):
        self.families[name] = family
        for row in self.cells:
            self.loosen(row, now)

    def remove_family(self, name):
        del self.families[name]
        for row, cells in list(self.cells.items()):
            self.cells[row] = {key: cell for key, cell in cells.items() if key[0] != name}

    def puts(self, row, family):
        """Of each column the newest first."""
        found = [cell for cell in self.cells.get(row, {}).values() if cell.family == family and cell.kind == "Put"]
        return sorted(found, key=lambda cell: (cell.qualifier, -cell.low))

    @staticmethod
    def is_expired(cell, family, now):
        return family.ttl is not FOREVER and cell.low < now - 1000 * family.ttl

    def of_family(self, row, name, request, without):
        """The visible puts of a row and family, all qualifiers, without the loose cells of a set of kinds."""
        family = self.families[name]
        since, until = request.family_times.get(name, (request.since, request.until))
        markers = [cell for cell in self.cells.get(row, {}).values() if cell.kind != "Put" and cell.low >= since]
        markers = [cell for cell in markers if not (cell.loose and cell.kind in without)]
        if family.keep_deleted != "FALSE":
            markers = [cell for cell in markers if until == LAST or cell.low < until]
        is_named = request.qualifiers(self.families)[name] is not None
        found, column, count, was_expired = [], None, 0, False
        for cell in self.puts(row, name):
            if cell.qualifier != column:
                column, count, was_expired = cell.qualifier, 0, False
            if "Put" in without and cell.loose:
                continue
            expired = self.is_expired(cell, family, request.now)
            if expired and not family.min_versions:
                continue
            if any(marker.hides(cell) for marker in markers):
                continue
            if cell.low < since or (until != LAST and cell.low >= until):
                continue
            count += 1
            # A request that names the column gets the first expired version that MIN_VERSIONS does not need, too.
            beyond = expired and count > family.min_versions and not (is_named and not was_expired)
            was_expired = expired and count >= family.min_versions
            if count <= min(family.versions, request.versions) and not beyond:
                found.append(cell)
        return found

    def get(self, row, request, without=()):
        found = []
        asked = request.qualifiers(self.families)
        for name in sorted(asked):
            cells = self.of_family(row, name, request, without)
            cells = [cell for cell in cells if asked[name] is None or cell.qualifier in asked[name]]
            found += cells[request.offset :][: request.most]
        return found

    def scan(self, scan, without=()):
        found, rows = [], 0
        for row in sorted(self.cells, reverse=scan.reverse):
            if scan.limit is not None and rows == scan.limit:
                break
            cells = self.get(row, scan, without) if scan.has(row) else []
            found += cells
            rows += bool(cells)
        return found

    def newest(self, row, family, qualifier, now):
        """The newest visible put of a column: the cell, or None; and whether that is certain."""
        request = Request(columns=[(family, qualifier)], now=now)
        cells = self.get(row, request)
        return (cells[0] if cells else None), self.is_certain(cells, lambda without: self.get(row, request, without))

    @staticmethod
    def is_certain(cells, answer):
        """Whether what may be dropped changes nothing. `answer` takes the kinds whose loose cells are dropped."""
        return all(answer(without) == cells for without in (["Put"], MARKERS, ["Put", *MARKERS]))

    def markers(self):
        return [cell for row in self.cells.values() for cell in row.values() if cell.kind != "Put"]
