"""Files: of the command, of other systems, and damaged ones."""

from __future__ import annotations

import gzip
import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest

import bloomery


@pytest.fixture
def saved(tmp_path: pathlib.Path) -> pathlib.Path:
    f = bloomery.Filter(1000)
    f.update(range(1000))
    f.save(tmp_path / "f.bloom")
    return tmp_path / "f.bloom"


def test_open_maps_and_changes_stay_in_memory(saved: pathlib.Path) -> None:
    before = saved.read_bytes()
    for name in (saved, str(saved), os.fsencode(saved)):
        for access in ("map", "copy"):
            f = bloomery.open(name, access=access)
            f.add("more")
            assert "more" in f and f.contains(range(1000)).all() and saved.read_bytes() == before
    f.save(saved, replace=True)
    assert "more" in bloomery.open(saved, verify=False)


def test_save_does_not_replace_unless_told(saved: pathlib.Path) -> None:
    with pytest.raises(bloomery.Error):
        bloomery.Filter(5).save(saved)
    bloomery.Filter(5).save(saved, replace=True)
    assert bloomery.open(saved).capacity == 5


def test_every_cut_and_many_damaged_bytes_are_an_exception_with_the_file(saved: pathlib.Path) -> None:
    whole = saved.read_bytes()
    damaged = saved.parent / "damaged"
    cuts = list(range(200)) + list(range(200, len(whole), 37))
    for bad in [whole[:cut] for cut in cuts] + [
        whole[:at] + bytes([whole[at] ^ 0x10]) + whole[at + 1 :] for at in list(range(192)) + list(range(192, len(whole), 41))
    ]:
        damaged.write_bytes(bad)
        with pytest.raises((bloomery.CorruptionError, bloomery.UnsupportedError)) as caught:
            bloomery.open(damaged)
        assert str(damaged) in caught.value.subject and caught.value.code in ("corruption", "unsupported")
        with pytest.raises(bloomery.Error):
            bloomery.Filter.from_bytes(bad)
    damaged.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
    with pytest.raises(bloomery.CorruptionError) as caught:
        bloomery.open(damaged)
    assert caught.value.offset == 192 and caught.value.subject == f"{damaged}: payload"


def test_what_cannot_be_opened(tmp_path: pathlib.Path) -> None:
    with pytest.raises(FileNotFoundError) as caught:
        bloomery.open(tmp_path / "none")
    assert isinstance(caught.value, bloomery.NotFoundError) and caught.value.errno == 2
    for call in (lambda: bloomery.open(tmp_path), lambda: bloomery.Filter(5).save(tmp_path / "no" / "folder")):
        with pytest.raises(bloomery.Error):
            call()
    for bad in (None, 5, ["x"]):
        with pytest.raises(TypeError):
            bloomery.open(bad)
    with pytest.raises(ValueError):
        bloomery.open("a\0b")
    with pytest.raises(ValueError, match="access"):
        bloomery.open(tmp_path / "none", access="x")
    with pytest.raises(ValueError):
        bloomery.open("x", "guava", verify=False)
    with pytest.raises(ValueError):
        bloomery.open("x", key_form="hex")


@pytest.mark.parametrize("data", [b"", b"x", bytes(1000), bytearray(100), np.zeros(50, dtype=np.uint8)])
def test_bytes_that_are_no_filter(data: object) -> None:
    with pytest.raises(bloomery.CorruptionError) as caught:
        bloomery.Filter.from_bytes(data)
    assert caught.value.offset is not None


def test_bytes_of_other_shapes(saved: pathlib.Path) -> None:
    data = saved.read_bytes()
    f = bloomery.Filter.from_bytes(np.frombuffer(data, dtype=np.uint8))
    f.add("x")
    assert 5 in f and "x" in f
    for bad in (np.frombuffer(data + data, dtype=np.uint8)[::2], np.zeros((2, 2), dtype=np.uint8)):
        with pytest.raises(ValueError):
            bloomery.Filter.from_bytes(bad)
    for bad in ("text", 5, None):
        with pytest.raises(TypeError):
            bloomery.Filter.from_bytes(bad)


def test_a_file_that_is_cut_while_it_is_mapped_is_an_exception(tmp_path: pathlib.Path) -> None:
    program = """
import sys, os, bloomery, numpy as np
bloomery.survive_cut_files()
f = bloomery.Filter(1_000_000)
f.update(np.arange(1_000_000))
f.save(sys.argv[1])
f = bloomery.open(sys.argv[1], verify=False)
assert 5 in f
os.truncate(sys.argv[1], 4096)
for call in (lambda: all(i in f for i in range(1000)), lambda: f.contains(np.arange(1000)), lambda: f.test_and_add(7),
             lambda: f.verify()):
    try:
        call()
    except bloomery.CorruptionError as error:
        assert sys.argv[1] in error.subject
    else:
        raise SystemExit("no exception")
print("well")
"""
    done = subprocess.run([sys.executable, "-c", program, str(tmp_path / "f")], capture_output=True, text=True, check=False)
    assert done.stdout == "well\n", done.stderr


def test_a_merge_with_a_filter_of_the_command(tmp_path: pathlib.Path, command) -> None:
    path = str(tmp_path / "c")
    command("build", "-o", path, "-n", "1000", "-p", "0.001", "--no-summary", text=b"a\nb\n")
    mine = bloomery.Filter(1000, 0.001, hash="xxh3")
    mine.add("c")
    both = mine | bloomery.open(path)
    assert both.contains(["a", "b", "c"]).all()
    both.save(tmp_path / "both")
    assert command("query", "--no-summary", str(tmp_path / "both"), text=b"a\nb\nc\nd\n") == b"a\nb\nc\n"
    with pytest.raises(bloomery.InvalidArgumentError, match="hash"):
        bloomery.Filter(1000, 0.001).merge(bloomery.open(path))


# ---- Other systems ----


def guava_item(family: str, i: int) -> tuple[object, str]:
    """An item as a Python key, and its key form; tests/golden/guava/README.md has the rule."""
    if family == "string_utf8":
        return f"key{i:06d}", "text"
    if family in ("chars_utf16le", "unicode_utf8"):
        return f"ké€😀-{i}", "utf16" if family == "chars_utf16le" else "text"
    if family == "int":
        return (i * 0x9E3779B1 + 2**31) % 2**32 - 2**31, "int32"
    if family == "long":
        return (i * 0x9E3779B97F4A7C15 + 2**63) % 2**64 - 2**63, "int64"
    return i.to_bytes(4, "big") + bytes((i * 7 + j * 13) & 255 for j in range(i % 37)), "text"


@pytest.mark.parametrize("family", ["string_utf8", "chars_utf16le", "unicode_utf8", "int", "long", "bytes"])
def test_filters_of_guava(family: str, golden: pathlib.Path) -> None:
    path = golden / "guava" / f"{family}_s1_e10000_n10000_p0.01.bf"
    if not path.exists():
        path = golden / "guava" / f"{family}_s1_e100_n100_p0.01.bf"
    count = int(path.name.split("_n")[1].split("_")[0])
    form = guava_item(family, 0)[1]
    java = bloomery.open(path, dialect="guava", key_form=form)
    items = [guava_item(family, i)[0] for i in range(count)]
    assert java.contains(items).all() and all(item in java for item in items[:50])
    others = [guava_item(family, i)[0] for i in range(10**6, 10**6 + 2000)]
    assert java.contains(others).sum() < 60
    assert java.to_bytes() == path.read_bytes()
    made = bloomery.build_dialect("guava", items, capacity=count, fpp=0.01, key_form=form)
    assert made.to_bytes() == path.read_bytes() and made.facts()["dialect"] == made.dialect


def test_what_a_key_of_guava_must_be(golden: pathlib.Path) -> None:
    java = bloomery.open(golden / "guava" / "java" / "long.ser", dialect="guava")
    assert guava_item("long", 7)[0] in java and str(guava_item("long", 7)[0]) in java  # the file names its funnel
    with pytest.raises(ValueError, match="int64"):
        bloomery.open(golden / "guava" / "java" / "long.ser", dialect="guava", key_form="int32")
    plain = bloomery.open(golden / "guava" / "long_s1_e100_n100_p0.01.bf", dialect="guava")
    for call in (lambda: 5 in plain, lambda: plain.contains([5]), lambda: plain.add(5), lambda: 1.5 in plain):
        with pytest.raises(TypeError):
            call()
    for keys in ("abc", b"abc", 5):
        with pytest.raises(TypeError):
            plain.contains(keys)


def test_a_dialect_is_filled_merged_and_saved(tmp_path: pathlib.Path, command) -> None:
    a = bloomery.build_dialect("guava", ["a"], capacity=100, fpp=0.01)
    b = bloomery.build_dialect("guava", ["b"], capacity=100, fpp=0.01)
    assert b.add("c") and not b.add("c")
    a.merge(b)
    a.update(str(i) for i in range(50))
    a.save(tmp_path / "a.bf")
    with pytest.raises(bloomery.Error):
        a.save(tmp_path / "a.bf")
    assert bloomery.open(tmp_path / "a.bf", "guava").contains(["a", "b", "c", "7"]).all()
    lines = command("query", "--dialect", "guava", "--no-summary", str(tmp_path / "a.bf"), text=b"a\nb\nc\n49\nnone\n")
    assert lines == b"a\nb\nc\n49\n"
    with pytest.raises(bloomery.InvalidArgumentError):
        a.merge(bloomery.build_dialect("guava", [], capacity=200, fpp=0.01))
    (tmp_path / "bad").write_bytes(a.to_bytes()[:-3])
    with pytest.raises(bloomery.CorruptionError):
        bloomery.open(tmp_path / "bad", "guava")
    with pytest.raises(bloomery.Error):
        bloomery.open(tmp_path / "a.bf", "no such system")
    assert "guava" in " ".join(bloomery.dialects())


def test_columns_of_parquet_have_the_type_that_the_file_states(golden: pathlib.Path, command) -> None:
    path = golden / "parquet" / "arrow_integers.parquet"
    columns: dict[str, list[str]] = {}
    for line in (golden / "parquet" / "arrow_integers.keys").read_text().splitlines():
        name, value = line.split("\t")
        columns.setdefault(name, []).append(value)
    for name, values in columns.items():
        column = bloomery.open(path, f"parquet:{name}")
        assert column.contains(values).all() and column.is_static
        if all(value.lstrip("-").isdigit() for value in values):
            assert column.contains([int(value) for value in values]).all()


def test_text_is_no_key_of_cassandra_unless_it_is_said(tmp_path: pathlib.Path) -> None:
    names = [name for name in bloomery.dialects() if name.startswith("cassandra")]
    assert names
    with pytest.raises(TypeError, match="partition key"):
        bloomery.build_dialect("cassandra:nb", ["a"], capacity=10, fpp=0.01)
    with pytest.raises(ValueError, match="Cassandra"):
        bloomery.build_dialect("cassandra:nb", [1], capacity=10, fpp=0.01, key_form="int64")
    assert "a" in bloomery.build_dialect("cassandra:nb", ["a", b"b"], capacity=10, fpp=0.01, key_form="text")


# ---- HBase ----


def cells_of(path: pathlib.Path) -> list[tuple]:
    text = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    rows = [line.split(b"\t") for line in text.splitlines()]
    return [(r[0], r[1], r[2], int(r[3]), int(r[4]), r[5]) for r in rows]


def test_cells_of_an_hfile(golden: pathlib.Path) -> None:
    h = bloomery.HFile(golden / "hbase" / "bloom_row.hfile")
    expected = cells_of(golden / "hbase" / "bloom_row.cells.gz")
    assert len(h) == len(expected) and [tuple(cell) for cell in h] == expected
    middle = expected[len(expected) // 2][0]
    assert [tuple(cell) for cell in h.cells(middle)] == [cell for cell in expected if cell[0] >= middle]
    assert h.may_contain_row(middle) and next(iter(h)).row == expected[0][0]
    cells = iter(h)
    del h  # the iterator keeps the file
    assert len(list(cells)) == len(expected) and next(cells, None) is None


def test_an_hfile_is_closed(golden: pathlib.Path) -> None:
    with bloomery.HFile(golden / "hbase" / "bloom_row.hfile") as h:
        cells, expected = iter(h), list(h)
        assert not h.closed and next(cells) == expected[0]
    assert h.closed
    for call in (lambda: iter(h), lambda: len(h), lambda: h.cells(b"r"), lambda: h.may_contain_row(b"r")):
        with pytest.raises(ValueError, match="closed"):
            call()
    assert list(cells) == expected[1:], "an iterator keeps the file"
    h.close()


def test_a_damaged_hfile(golden: pathlib.Path, tmp_path: pathlib.Path) -> None:
    whole = (golden / "hbase" / "bloom_row.hfile").read_bytes()
    bad = tmp_path / "bad"
    bad.write_bytes(whole[:200] + bytes([whole[200] ^ 1]) + whole[201:])
    with pytest.raises(bloomery.Error) as caught:
        list(bloomery.HFile(bad))
    assert "bad" in caught.value.subject
    bad.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(bloomery.Error):
        bloomery.HFile(bad)
    with pytest.raises(FileNotFoundError):
        bloomery.HFile(tmp_path / "none")


@pytest.fixture(scope="module")
def hbase(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    root = pathlib.Path(__file__).resolve().parents[2]
    folder = tmp_path_factory.mktemp("hbase")
    subprocess.run(["tar", "-C", str(folder), "-xf", str(root / "tests/golden/hbase-tables/hbase.tar.zst")], check=True)
    return folder / "root"


def table_folder(hbase: pathlib.Path, name: str) -> pathlib.Path:
    return hbase / "data" / "default" / name


def test_a_table(hbase: pathlib.Path, command) -> None:
    t = bloomery.Table(table_folder(hbase, "wide"))
    cells = list(t.scan())
    lines = command("table", "scan", str(table_folder(hbase, "wide"))).splitlines()
    assert cells and len(cells) == len(lines)
    row = cells[0].row
    of_row = [cell for cell in cells if cell.row == row]
    assert t.get(row) == of_row == list(t.scan(start=row, limit=1)) and t.get(b"no such row") == []
    first = of_row[0]
    assert t.get(row, columns=[(first.family, first.qualifier)]) == [first]
    assert t.get(row, columns=[first.family]) == [cell for cell in of_row if cell.family == first.family]
    rows = sorted({cell.row for cell in cells})
    assert [cell.row for cell in t.scan(reverse=True, limit=2)][0] == rows[-1]
    assert {cell.row for cell in t.scan(start=rows[1], stop=rows[3])} == set(rows[1:3])
    assert {cell.row for cell in t.scan(prefix=rows[0][:2])} == {r for r in rows if r.startswith(rows[0][:2])}
    of_prefix = [cell.row for cell in t.scan(prefix=rows[0][:2])]
    assert [cell.row for cell in t.scan(prefix=rows[0][:2], reverse=True)][::-1] == sorted(of_prefix)
    with pytest.raises(ValueError, match="prefix"):
        t.scan("a", prefix="b")
    assert {cell.qualifier for cell in t.scan(filter="ColumnPaginationFilter(1, 0)")} and isinstance(t.warnings, list)
    scan = t.scan()
    del t  # the scan keeps the table
    assert len(list(scan)) == len(cells) and next(scan, None) is None


def test_a_table_is_closed(hbase: pathlib.Path) -> None:
    with bloomery.Table(table_folder(hbase, "wide")) as t:
        scan, expected = t.scan(), list(t.scan())
        assert not t.closed and next(scan) == expected[0]
    assert t.closed
    for call in (lambda: t.scan(), lambda: t.get(b"r"), lambda: t.warnings):
        with pytest.raises(ValueError, match="closed"):
            call()
    assert list(scan) == expected[1:], "a scan keeps the table"
    t.close()


def test_a_snapshot_and_versions(hbase: pathlib.Path) -> None:
    t = bloomery.Table(hbase / ".hbase-snapshot" / "first")
    cells = list(t.scan(versions=3, raw=True))
    assert len(cells) >= len(list(t.scan())) > 0
    last = max(cell.timestamp for cell in cells)
    assert all(cell.timestamp < last for cell in t.scan(until=last)) and list(t.scan(since=last + 1)) == []


def test_what_is_wrong_with_a_table(hbase: pathlib.Path, tmp_path: pathlib.Path) -> None:
    for call in (lambda: bloomery.Table(tmp_path), lambda: bloomery.Table(tmp_path / "none")):
        with pytest.raises(bloomery.Error):
            call()
    t = bloomery.Table(table_folder(hbase, "wide"))
    for call in (lambda: t.get(5), lambda: t.get("r", columns=[5]), lambda: t.get("r", filter=5), lambda: t.get("r", versions="x"),
                 lambda: t.scan(limit=-1), lambda: t.get("r", columns=[("f",)])):
        with pytest.raises((TypeError, ValueError)):
            call()
    with pytest.raises(bloomery.Error):
        t.get("r", filter="NoSuchFilter(")
    with pytest.raises(bloomery.Error):
        t.get("r", columns=["no such family"])
