"""The guard: no None for a row that is there, one load a key, the exception of a load, the cache, shadow mode, asyncio."""

from __future__ import annotations

import asyncio
import os
import pathlib
import random
import threading
import time

import pytest
from leased_page import BOUND_NS, DEADLINE, LeasedPage, now_ns

import bloomery


@pytest.fixture
def page(tmp_path: pathlib.Path) -> LeasedPage:
    made = LeasedPage(tmp_path / "users.leased")
    made.put_filter(1, ["in", "gone"])
    made.renew()
    return made


class Rows:
    """A database that counts its queries."""

    def __init__(self, **rows: bytes) -> None:
        self.rows = rows
        self.asked: list[str] = []

    def load(self, key: str) -> bytes | None:
        self.asked.append(key)
        return self.rows.get(key)

    async def aload(self, key: str) -> bytes | None:
        await asyncio.sleep(0)
        return self.load(key)


def counter(guard: bloomery.Guard, name: str) -> int:
    lines = [line for line in guard.metrics().splitlines() if line.startswith(name) and "#" not in line]
    assert lines, guard.metrics()
    return sum(int(float(line.rsplit(" ", 1)[1])) for line in lines)


def test_reads_are_denied_loaded_and_cached(page: LeasedPage) -> None:
    guard = bloomery.Guard(page.path)
    database = Rows(**{"in": b"row"})
    assert guard.state == "active"
    assert guard.read("out", database.load) is None
    assert database.asked == []
    assert guard.read("in", database.load) == b"row"
    assert guard.read("in", database.load) == b"row"
    assert guard.read(b"in", database.load) == b"row"
    assert guard.read("gone", database.load) is None
    assert guard.read("gone", database.load) is None
    assert database.asked == ["in", "gone"]
    assert 'table="users"' in guard.metrics(table="users")
    assert 'table="a\\"b"' in guard.metrics(table='a"b')


def test_without_a_lease_every_read_is_a_query(page: LeasedPage) -> None:
    guard = bloomery.Guard(page.path, keep_absent=0)
    database = Rows(out=b"row")
    page.set(DEADLINE, 0)
    assert guard.state == "cold"
    assert guard.read("out", database.load) == b"row"
    assert guard.read("nobody", database.load) is None
    assert database.asked == ["out", "nobody"]


def test_a_filter_that_lags_beyond_the_bound_is_not_believed(page: LeasedPage) -> None:
    guard = bloomery.Guard(page.path, bound=1)
    page.renew(BOUND_NS - 2 * 10**9)  # complete as of two seconds ago
    assert guard.read("out", Rows(out=b"row").load) == b"row"


def test_shadow_and_off_query_the_database(page: LeasedPage) -> None:
    guard = bloomery.Guard(page.path, mode="shadow", absent_bytes=0)
    database = Rows()
    assert guard.read("out", database.load) is None
    guard.mode = "off"
    assert guard.read("out", database.load) is None
    assert database.asked == ["out", "out"]
    guard.mode = "enforce"
    assert guard.mode == "enforce"
    assert guard.read("out", database.load) is None
    assert len(database.asked) == 2
    with pytest.raises(ValueError, match="mode"):
        guard.mode = "on"


def test_the_exception_of_a_load_is_raised_and_nothing_is_cached(page: LeasedPage) -> None:
    guard = bloomery.Guard(page.path)

    def fail(key: str) -> bytes | None:
        raise KeyError(key)

    for _ in range(2):
        with pytest.raises(KeyError, match="in"):
            guard.read("in", fail)
    with pytest.raises(TypeError, match="bytes or None"):
        guard.read("in", lambda key: "text")
    with pytest.raises(TypeError):
        guard.read(7, fail)
    assert guard.read("in", lambda key: b"row") == b"row"


def test_a_load_may_read_another_key(page: LeasedPage) -> None:
    guard = bloomery.Guard(page.path)
    database = Rows(**{"in": b"1", "gone": b"2"})
    both = guard.read("in", lambda key: database.load(key) + guard.read("gone", database.load))
    assert both == b"12"


def test_readers_share_one_load(page: LeasedPage) -> None:
    guard = bloomery.Guard(page.path, load_deadline=60)
    entered, let_go = threading.Event(), threading.Event()
    loads: list[str] = []

    def load(key: str) -> bytes:
        loads.append(key)
        entered.set()
        assert let_go.wait(60)
        return b"row"

    results: list[bytes | None] = []
    threads = [threading.Thread(target=lambda: results.append(guard.read("in", load))) for _ in range(8)]
    for thread in threads:
        thread.start()
    assert entered.wait(60)
    let_go.set()
    for thread in threads:
        thread.join()
    assert results == [b"row"] * 8
    assert loads == ["in"]


def test_a_write_is_seen_by_the_next_reader(page: LeasedPage) -> None:
    guard = bloomery.Guard(page.path)
    database = Rows(**{"in": b"1"})
    assert guard.read("in", database.load) == b"1"
    with guard.write("in"):
        database.rows["in"] = b"2"
    assert guard.read("in", database.load) == b"2"
    assert guard.read("new", database.load) is None
    with guard.write("new"):
        database.rows["new"] = b"row"
    assert guard.read("new", database.load) == b"row"
    with pytest.raises(ZeroDivisionError), guard.write("in"):
        database.rows["in"] = b"3"
        raise ZeroDivisionError
    assert guard.read("in", database.load) == b"3"
    with guard.erase("in"):
        del database.rows["in"]
    assert guard.read("in", database.load) is None


def test_asyncio(page: LeasedPage) -> None:
    guard = bloomery.Guard(page.path, load_deadline=60)
    database = Rows(**{"in": b"row"})

    async def fail(key: str) -> bytes | None:
        raise KeyError(key)

    async def main() -> None:
        assert await asyncio.gather(*(guard.aread("in", database.aload) for _ in range(200))) == [b"row"] * 200
        assert await guard.aread("out", database.aload) is None
        with pytest.raises(KeyError):
            await guard.aread("gone", fail)

    asyncio.run(main())
    assert database.asked == ["in"]


def test_a_load_of_asyncio_has_a_deadline(page: LeasedPage) -> None:
    guard = bloomery.Guard(page.path, load_deadline=0.05)
    cancelled: list[str] = []

    async def hang(key: str) -> bytes | None:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            cancelled.append(key)
            raise
        return None

    async def main() -> None:
        with pytest.raises(TimeoutError):
            await guard.aread("in", hang)
        while not cancelled:
            await asyncio.sleep(0.001)

    asyncio.run(main())
    assert cancelled == ["in"]


def test_wrong_options_and_files(page: LeasedPage, tmp_path: pathlib.Path) -> None:
    for wrong in ({"mode": "on"}, {"keep": -1}, {"keep": float("nan")}, {"keep_absent": 5}, {"bound": 0}):
        with pytest.raises(ValueError, match="expected"):
            bloomery.Guard(page.path, **wrong)
    with pytest.raises(FileNotFoundError):
        bloomery.Guard(tmp_path / "none")


def test_a_child_refuses_the_guard_of_its_parent(page: LeasedPage) -> None:
    guard = bloomery.Guard(page.path)
    write = guard._native.write("in", True)
    child = os.fork()
    if child == 0:
        status = 1
        try:
            guard.read("out", Rows().load)
        except RuntimeError:
            own = bloomery.Guard(page.path)
            status = 0 if own.read("out", Rows().load) is None else 2
        del write, guard
        os._exit(status)
    assert os.waitpid(child, 0)[1] == 0
    write.end()


# Readers and writers beside a feeder that rebuilds the filter of what was committed when it began, and stops at times. A row
# that was written through the guard is seen at once, in its newest version, and one of another program after the bound.
def test_no_row_that_is_there_is_denied(page: LeasedPage) -> None:
    seed = random.randrange(2**32)
    print("seed", seed)
    bound, most_keys, ends = 0.3, 800, time.monotonic() + 6
    guard = bloomery.Guard(page.path, bound=bound, keep_absent=0.1, keep=60, load_deadline=60)
    rows: dict[str, int] = {}  # the newest committed version
    finished: dict[str, int] = {}  # the newest version whose write has ended
    strangers: dict[str, float] = {}  # when another program had committed the row
    denied: list[str] = []
    failures: list[BaseException] = []
    reads = [0]

    def load(key: str) -> bytes | None:
        version = rows.get(key)
        time.sleep(0)
        return None if version is None else str(version).encode()

    def feed(dice: random.Random) -> None:
        generation = 1
        while time.monotonic() < ends:
            generation += 1
            complete_at = now_ns()
            page.put_filter(generation, list(rows))
            page.set(DEADLINE, complete_at + BOUND_NS)
            page.filter_path(generation - 1).unlink()
            time.sleep(dice.choice([0, 0.01, 0.05, 0.6]))

    def read(dice: random.Random) -> None:
        while time.monotonic() < ends:
            key = f"{dice.choice(['own', 'other', 'none'])} {dice.randrange(most_keys // 2)}"
            began = time.monotonic()
            committed = finished.get(key, 0) if key.startswith("own") else 0
            if began - strangers.get(key, began) > bound:
                committed = 1
            found = guard.read(key, load)
            reads[0] += 1
            if (0 if found is None else int(found)) < committed:
                denied.append(f"{key}: expected version {committed}, found {found!r}")

    def write(dice: random.Random) -> None:
        while time.monotonic() < ends:
            key = f"own {dice.randrange(most_keys // 2)}"
            with guard.write(key):
                version = rows.get(key, 0) + 1
                time.sleep(0)
                rows[key] = version
            finished[key] = version
            if dice.random() < 0.2 and len(strangers) < most_keys // 2:
                key = f"other {len(strangers)}"
                rows[key] = 1
                strangers[key] = time.monotonic()
            time.sleep(0.001)

    def run(work, number: int) -> None:
        try:
            work(random.Random(seed + number))
        except BaseException as failure:
            failures.append(failure)

    works = [feed, write, read, read, read]
    threads = [threading.Thread(target=run, args=(work, number)) for number, work in enumerate(works)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures, failures
    assert not denied, (len(denied), denied[:5])
    assert reads[0] > 1000
    assert counter(guard, "bloomery_guard_rejected_total") > 100
