"""Stores: what is written is read, also by others and after the process was killed."""

from __future__ import annotations

import errno
import os
import pathlib
import pickle
import signal
import subprocess
import sys
import threading

import pytest

import bloomery


@pytest.fixture
def store(tmp_path: pathlib.Path):
    with bloomery.Store.create(tmp_path / "root") as opened:
        yield opened


def values(cells: list[bloomery.Cell]) -> dict[bytes, bytes]:
    return {cell.family + b":" + cell.qualifier: cell.value for cell in cells}


def test_what_is_put_is_read(store: bloomery.Store) -> None:
    with store.create_table("t", ["f", "g"]) as t:
        t.put("row", {"f:q": "text", b"f:\x00:": b"\xff", ("g", ""): b"", ("g", "a:b"): "é"})
        assert values(t.get(b"row")) == {b"f:q": b"text", b"f:\x00:": b"\xff", b"g:": b"", b"g:a:b": "é".encode()}
        assert values(t.get("row", columns=["f:q"])) == values(t.get("row", columns=[("f", "q")])) == {b"f:q": b"text"}
        t.flush()
        t.put("row2", {"f:q": "2"}, timestamp=5)
        assert [cell.row for cell in t.scan("row2")] == [b"row2"] and t.get("row2")[0].timestamp == 5
        assert len(list(t.scan(prefix="row", limit=1))) == 4 and t.get("other") == []
        assert t.name == "t" and t.families == ["f", "g"] and store.tables == ["t"]
    assert t.closed
    for call in (lambda: t.put("r", {"f:q": ""}), lambda: t.get("r"), lambda: t.name, t.flush):
        with pytest.raises(ValueError, match="closed"):
            call()


def test_deletes(store: bloomery.Store) -> None:
    t = store.create_table("t", {"f": {"VERSIONS": 3}, "g": {}})
    def fill() -> None:
        for time in (10, 20, 30):
            t.put("r", {"f:a": str(time), "f:b": str(time), "g:c": "1"}, timestamp=time)
    def left(column: str) -> list[int]:
        return [cell.timestamp for cell in t.get("r", columns=[column], versions=3)]
    fill()
    t.delete("r", ["f:a"], 10)
    assert left("f:a") == [30, 20] and left("f:b") == [30, 20, 10]
    t.delete("r", ["f:a"], one_version=True)
    assert left("f:a") == [20]
    t.delete("r", ["f"], 20, one_version=True)
    assert left("f:a") == [] and left("f:b") == [30, 10] and left("g:c") == [30]
    t.delete("r", [("f", "b")])
    assert left("f") == [] and left("g:c") == [30]
    t.delete("r")
    assert t.get("r") == []


def test_writes_that_read(store: bloomery.Store) -> None:
    t = store.create_table("t", ["f"])
    assert [t.increment("r", "f:n"), t.increment("r", "f:n", 40), t.increment("r", ("f", "n"), -1)] == [1, 41, 40]
    assert int.from_bytes(t.get("r", columns=["f:n"])[0].value, "big", signed=True) == 40
    assert t.append("r", "f:s", "a") == b"a" and t.append("r", "f:s", b"b") == b"ab"
    assert t.check_and_put("r", "f:new", None, {"f:new": "1"})
    assert not t.check_and_put("r", "f:new", None, {"f:new": "2"})
    assert t.check_and_put("r", "f:new", b"1", {"f:new": "3", "f:more": "4"})
    assert not t.check_and_delete("r", "f:new", "1") and t.check_and_delete("r", "f:new", "3", ["f:new"])
    assert set(values(t.get("r"))) == {b"f:n", b"f:s", b"f:more"}
    with pytest.raises(bloomery.InvalidArgumentError, match="8 bytes"):
        t.increment("r", "f:s")


def test_a_batch_is_written_at_its_end_or_not_at_all(store: bloomery.Store) -> None:
    t = store.create_table("t", ["f"])
    t.put("c", {"f:q": "1"})
    with t.batch() as b:
        b.put("a", {"f:q": "1", "f:r": "2"})
        b.put("b", {"f:q": "1"})
        b.delete("c")
        assert len(b) == 4 and [cell.row for cell in t.scan()] == [b"c"]
    assert [cell.row for cell in t.scan()] == [b"a", b"a", b"b"]
    with pytest.raises(RuntimeError), t.batch() as b:
        b.put("z", {"f:q": "1"})
        raise RuntimeError
    with pytest.raises(bloomery.Error), t.batch() as b:
        b.put("z", {"f:q": "1"})
        b.put("z", {"no:q": "1"})
    with t.batch():
        pass
    assert t.get("z") == []


def test_many_regions(store: bloomery.Store) -> None:
    t = store.create_table("ns:t", ["f"], splits=["g", b"p"])
    with t.batch() as b:
        for row in "azhq":
            b.put(row, {"f:q": row})
    assert [cell.row for cell in t.scan()] == [b"a", b"h", b"q", b"z"] and store.tables == ["ns:t"]
    store.truncate_table("ns:t")
    assert list(store.table("ns:t").scan()) == []
    store.drop_table("ns:t")
    assert store.tables == []
    with pytest.raises(bloomery.NotFoundError):
        t.put("a", {"f:q": ""})


# The process is killed after it has printed that the put returned.
KILLED = """
import sys, bloomery
store = bloomery.Store.create(sys.argv[1])
t = store.create_table("t", ["f"], durability=sys.argv[2])
t.put("row", {"f:q": "value"})
print("put", flush=True)
sys.stdin.read()
"""


@pytest.mark.parametrize("durability", ["FSYNC_WAL", "SYNC_WAL"])
def test_a_put_survives_the_process(tmp_path: pathlib.Path, durability: str) -> None:
    root = tmp_path / "root"
    words = [sys.executable, "-c", KILLED, str(root), durability]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        assert child.stdout is not None and child.stdout.readline() == b"put\n"
        with pytest.raises(bloomery.IoError) as caught:
            bloomery.Store.open(root)
        assert caught.value.errno == errno.EWOULDBLOCK and str(root) in str(caught.value)
        os.kill(child.pid, signal.SIGKILL)
    with bloomery.Store.open(root) as store:
        assert values(store.table("t").get("row")) == {b"f:q": b"value"}


def test_the_root_is_one_of_hbase(tmp_path: pathlib.Path, command) -> None:
    with bloomery.Store.create(tmp_path / "root", flush_at_close=False) as store:
        store.create_table("t", {"f": {"BLOOMFILTER": "ROWCOL", "COMPRESSION": "ZSTD"}}).put("r", {"f:q": "v"}, 7)
    directory = tmp_path / "root" / "data" / "default" / "t"
    with bloomery.Table(directory) as t:
        assert [tuple(cell) for cell in t.scan()] == [(b"r", b"f", b"q", 7, 4, b"v")]
        assert not hasattr(t, "put")
    assert command("table", "scan", str(directory)).startswith(b"r\t")


def test_a_closed_store(tmp_path: pathlib.Path) -> None:
    store = bloomery.Store.create(tmp_path / "root", cache_bytes=1 << 20, flush_bytes=1 << 20, memory_bytes=1 << 22)
    t = store.create_table("t", ["f"], durability="SKIP_WAL")
    t.put("r", {"f:q": "1"})
    scan = t.scan()
    store.health()
    store.close()
    store.close()
    assert store.closed
    for call in (lambda: store.table("t"), lambda: store.tables, store.health, lambda: t.get("r"),
                 lambda: t.put("r", {"f:q": ""}), lambda: t.scan()):
        with pytest.raises(ValueError, match="closed"):
            call()
    del scan, t, store
    with bloomery.Store.open(tmp_path / "root") as store:
        assert values(store.table("t").get("r")) == {b"f:q": b"1"}, "it was flushed at the close"


def test_a_store_that_nobody_closes_is_closed_at_the_end(tmp_path: pathlib.Path) -> None:
    program = """
import sys, bloomery
store = bloomery.Store.create(sys.argv[1])
store.create_table("t", ["f"], durability="SKIP_WAL").put("r", {"f:q": "1"})
"""
    subprocess.run([sys.executable, "-c", program, str(tmp_path / "root")], check=True)
    with bloomery.Store.open(tmp_path / "root") as store:
        assert values(store.table("t").get("r")) == {b"f:q": b"1"}


def test_a_child_of_fork_has_it_closed(tmp_path: pathlib.Path) -> None:
    program = """
import os, sys, bloomery
store = bloomery.Store.create(sys.argv[1])
t = store.create_table("t", ["f"], durability="ASYNC_WAL")
t.put("r", {"f:q": "1"})
child = os.fork()
if child == 0:
    assert store.closed
    try:
        t.put("r", {"f:q": "2"})
    except ValueError:
        del t, store
        sys.exit(0)
    sys.exit(1)
assert os.waitpid(child, 0)[1] == 0
t.put("r", {"f:q": "3"})
store.close()
"""
    subprocess.run([sys.executable, "-c", program, str(tmp_path / "root")], check=True, timeout=60)
    with bloomery.Store.open(tmp_path / "root") as store:
        assert values(store.table("t").get("r")) == {b"f:q": b"3"}


def test_threads_share_a_table(store: bloomery.Store) -> None:
    t = store.create_table("t", ["f"], durability="SYNC_WAL")
    failures: list[BaseException] = []

    def write(name: str) -> None:
        try:
            for i in range(50):
                t.put(f"{name}{i:03}", {"f:q": str(i)})
                t.increment("sum", "f:n")
        except BaseException as failure:
            failures.append(failure)

    threads = [threading.Thread(target=write, args=(name,)) for name in "abcd"]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        rows = [cell.row for cell in t.scan()]
        assert rows == sorted(rows)
    assert not failures, failures
    assert len(list(t.scan(stop="s"))) == 200 and t.increment("sum", "f:n", 0) == 200


def test_what_is_wrong(store: bloomery.Store, tmp_path: pathlib.Path) -> None:
    t = store.create_table("t", ["f"])
    with pytest.raises(bloomery.InvalidArgumentError, match="family"):
        t.put("r", {"no:q": "1"})
    with pytest.raises(bloomery.InvalidArgumentError, match="row"):
        t.put("", {"f:q": "1"})
    with pytest.raises(bloomery.InvalidArgumentError, match="timestamp"):
        t.put("r", {"f:q": "1"}, -1)
    with pytest.raises(ValueError, match="FAMILY:QUALIFIER"):
        t.put("r", {"f": "1"})
    for call in (lambda: t.put(5, {"f:q": "1"}), lambda: t.put("r", {"f:q": 5}), lambda: t.put("r", {"f:q": "1"}, "now"),
                 lambda: t.put("r", {"f:q": "1"}, 1 << 63), lambda: t.increment("r", "f:q", 1 << 63),
                 lambda: t.delete("r", "f:q"), lambda: t.get("r", columns="f"), lambda: t.append("r", "f:q", None),
                 lambda: store.create_table("u", "f"), lambda: store.create_table("u", [5]), bloomery.Store,
                 lambda: store.create_table("u", ["f"], splits=[5]), lambda: store.table(5),
                 lambda: bloomery.Store.open(tmp_path, flush=1)):
        with pytest.raises(TypeError):
            call()
    with pytest.raises(ValueError, match="FSYNC_WAL"):
        store.table("t", durability="fsync").put("r", {"f:q": "1"})
    assert t.get("r") == []
    with pytest.raises(bloomery.NotFoundError, match="t"):
        store.table("nothing")
    with pytest.raises(bloomery.AlreadyExistsError, match="new table") as caught:
        store.create_table("t", ["f"])
    assert "replace" not in str(caught.value)
    for families in ({"f": {"VERSIONS": 0}}, {"f": {"NOTHING": 1}}, [], [""], ["f", "f"]):
        with pytest.raises(bloomery.InvalidArgumentError):
            store.create_table("u", families)
    with pytest.raises(bloomery.InvalidArgumentError):
        store.create_table("u", ["f"], splits=["b", "a"])
    with pytest.raises(bloomery.AlreadyExistsError):
        bloomery.Store.create(tmp_path / "root")
    with pytest.raises(bloomery.InvalidArgumentError, match="none"):
        bloomery.Store.open(tmp_path / "none")
    with pytest.raises((TypeError, pickle.PicklingError)):
        pickle.dumps(store)


def test_damage_of_a_store(tmp_path: pathlib.Path) -> None:
    with bloomery.Store.create(tmp_path / "root") as store:
        store.create_table("t", ["f"])
    file = tmp_path / "root" / ".bloomery" / "STORE"
    text = bytearray(file.read_bytes())
    text[-5] ^= 1
    file.write_bytes(text)
    with pytest.raises(bloomery.CorruptionError) as caught:
        bloomery.Store.open(tmp_path / "root")
    assert str(file) in caught.value.subject
