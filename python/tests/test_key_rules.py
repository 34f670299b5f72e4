"""A key of a type that the filter's rule has no place for is an error, and never a silent no."""

from __future__ import annotations

import hashlib
import pathlib
import sqlite3
import subprocess

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import bloomery


def opened(command, tmp_path: pathlib.Path, text: bytes, *options: str, **more: object) -> bloomery.Filter:
    path = str(tmp_path / "f.bloom")
    command("build", "-o", path, "-n", "1000", "-p", "1e-9", "--no-summary", *options, text=text)
    return bloomery.open(path, **more)


def refuse(f: bloomery.Filter, key: object, column: object = None) -> None:
    """Checks that every call refuses a key, and a column of such keys."""
    for call in (lambda: key in f, lambda: f.add(key), lambda: f.test_and_add(key), lambda: f.update([key]), lambda: f.contains([key]),
                 lambda: f.contains(iter([key])), lambda: f.hashes([key])):
        with pytest.raises(TypeError):
            call()
    if column is not None:
        for batch in (f.update, f.contains, f.test_and_update):
            with pytest.raises(TypeError):
                batch(column)


# Bytes are what the command reads lines from. They went round the rule: b"ABC" was not in a filter of "abc".
@pytest.mark.parametrize(("options", "line", "same", "other"), [
    (("-i",), b"ABC", b"aBc", b"abd"),
    (("--trim",), b" abc ", b"abc  ", b"abd"),
    (("-i", "--trim"), b"\tABC", b"abc", b"abd"),
    (("--key-form", "url"), b"HTTP://EXAMPLE.COM:80/b?x=1", b"http://example.com/b?x=1", b"http://example.com/c"),
    ((), b"plain", b"plain", b"Plain"),
], ids=str)
def test_bytes_are_lines(options: tuple[str, ...], line: bytes, same: bytes, other: bytes, tmp_path: pathlib.Path, command) -> None:
    f = opened(command, tmp_path, line + b"\n", *options)
    keys = [line, same, other]
    expected = [True, True, False]
    assert [key in f for key in keys] == expected and [bytearray(key) in f for key in keys] == expected
    for column in (keys, iter(keys), np.array(keys), np.array(keys, dtype="S64"), np.array(keys, dtype=object), pa.array(keys),
                   pa.array(keys, pa.large_binary()), pd.Series(keys), [memoryview(key) for key in keys]):
        assert f.contains(column).tolist() == expected
    assert f.contains([key.decode() for key in keys]).tolist() == expected
    f.update(np.array([other]))
    assert other.decode() in f and other in f


def test_parts_that_are_bytes_are_text_too(tmp_path: pathlib.Path, command) -> None:
    f = opened(command, tmp_path, b"U\t7\n", "-k", "1,2", "-i")
    assert ("u", "7") in f and (b"U", b"7") in f and (b"u", "7") in f and ("u", "8") not in f
    for key in (b"U\t7", b"u", "u"):
        with pytest.raises(ValueError, match="2 parts"):
            key in f
        with pytest.raises(ValueError, match="2 parts"):
            f.add(key)
    refuse(f, ("u", 7))
    assert f.inserted == 1


@pytest.mark.parametrize("form", ["int32", "int64", "utf16"])
def test_bytes_are_no_key_of_numbers_and_of_units(form: str) -> None:
    f = bloomery.Filter(10, key_form=form)
    refuse(f, b"12345", np.array([b"12345"]))
    refuse(f, b"1234", pa.array([b"1234"]))
    refuse(f, bytearray(b"12345678"))
    pair = bloomery.Filter(10, key_form=form, parts=2)
    refuse(pair, (b"1234", "5"))
    assert f.inserted == 0


# The bytes of a digest are the key, those of its digits are not: a column that was read as bytes has digits.
def test_the_digits_of_a_digest_are_no_bytes_of_one() -> None:
    f = bloomery.Filter(10, 1e-9, key_form="hex")
    digits = "d41d8cd98f00b204e9800998ecf8427e"
    f.add(digits)
    assert bytes.fromhex(digits) in f and f.contains(np.array([bytes.fromhex(digits)])).all() and digits.upper() in f
    for wrong in (digits.encode(), digits.upper().encode(), digits.encode() + b"\r\n"):
        refuse(f, wrong, np.array([wrong]))
        refuse(f, wrong, pa.array([wrong]))
    refuse(f, 5, np.arange(3))
    pair = bloomery.Filter(10, 1e-9, key_form="hex", parts=2)
    pair.add((digits, b"\xd4\x1d"))
    assert (bytes.fromhex(digits), "d41d") in pair
    refuse(pair, (digits.encode(), "d41d"))
    refuse(pair, (5, "d41d"))


# A filter that the command made of digests records their width. Text of another width was refused, and its bytes were a silent
# no. An array of S20 gives a digest without the zeros at its end, which was another.
def test_bytes_of_another_width_are_no_digest_of_the_filter(tmp_path: pathlib.Path, command) -> None:
    digests = [hashlib.sha1(str(i).encode()).digest() for i in range(2000)]
    assert any(digest[-1] == 0 for digest in digests)
    f = opened(command, tmp_path, "\n".join(digest.hex() for digest in digests[:1000]).encode(), "--key-form", "hex")
    assert f.key_rule == "hex,bytes=20"
    for column in (digests, np.array(digests), np.array(digests, dtype=object), pa.array(digests),
                   pa.array(digests, pa.binary(20)), [bytearray(digest) for digest in digests]):
        assert f.contains(column).tolist() == [True] * 1000 + [False] * 1000
    assert all(digest in f for digest in digests[:1000])
    md5 = hashlib.md5(b"1").digest()
    for wrong in (md5, md5 + b"\0" * 5, b"\1"):
        for column in ([wrong], iter([wrong]), np.array([wrong]), np.array([wrong], dtype="S64"), pa.array([wrong])):
            with pytest.raises(bloomery.InvalidArgumentError, match="20 bytes"):
                f.contains(column)
        with pytest.raises(bloomery.InvalidArgumentError, match="20 bytes"):
            wrong in f
        with pytest.raises(bloomery.InvalidArgumentError, match="20 bytes"):
            f.hashes([wrong])
    with pytest.raises(bloomery.InvalidArgumentError, match="40 hexadecimal digits"):
        md5.hex() in f
    assert b"" not in f and not f.contains(np.array([b""], dtype="S20")).any()
    other = opened(command, tmp_path, md5.hex().encode() + b"\nab\n", "--force", "--key-form", "hex")
    assert md5 in other and b"\xab" in other and digests[0] not in other


# A filter of the command has lines of text. 42 was never in one: only "42" can be.
@pytest.mark.parametrize("options", [(), ("-i",), ("--trim",), ("-t", "bloom"), ("-t", "ribbon"), ("--csv", "-k", "1")], ids=str)
def test_an_int_is_no_line_of_text(options: tuple[str, ...], tmp_path: pathlib.Path, command) -> None:
    f = opened(command, tmp_path, b"41\n42\n", *options)
    assert "42" in f and "43" not in f
    for call in (lambda: 42 in f, lambda: np.int32(42) in f, lambda: f.contains([42]), lambda: f.contains(np.arange(40, 44)),
                 lambda: f.contains(pa.array([42])), lambda: f.contains(pd.Series([42])), lambda: f.hashes([42])):
        with pytest.raises(TypeError, match="int"):
            call()


def test_an_int_is_no_part_of_lines_of_text(tmp_path: pathlib.Path, command) -> None:
    f = opened(command, tmp_path, b"u\t7\n", "-k", "1,2")
    assert ("u", "7") in f
    refuse(f, ("u", 7))
    lines = opened(command, tmp_path, b"u\n", "--force")
    refuse(lines, ("u", "7"))
    numbers = opened(command, tmp_path, b"42\n", "--force", "--key-form", "int64")
    assert 42 in numbers and "42" in numbers and 43 not in numbers


# Under a secret nothing said whether the command had made the file, and 42 was a silent no. The recorded form decides.
@pytest.mark.parametrize("options", [(), ("-i",), ("-t", "bloom"), ("-t", "counting"), ("-t", "quotient"), ("-t", "scalable"), ("-t", "ribbon"),
                                     ("--csv", "-k", "1")], ids=str)
def test_an_int_is_no_line_of_a_keyed_filter(options: tuple[str, ...], tmp_path: pathlib.Path, command) -> None:
    path = tmp_path / "f.bloom"
    command("build", "-o", str(path), "-n", "1000", "-p", "1e-9", "--no-summary", "--keyed", *options, text=b"41\n42\n")
    f = bloomery.open(path, secret=bytes.fromhex((tmp_path / "f.bloom.key").read_text()))
    assert "42" in f and b"42" in f and "43" not in f
    for call in (lambda: 42 in f, lambda: np.int32(42) in f, lambda: f.contains([42]), lambda: f.contains(["42", 42]), lambda: f.contains(iter([42])),
                 lambda: f.contains(np.arange(40, 44)), lambda: f.contains(pa.array([42])), lambda: f.contains(pd.Series([42])),
                 lambda: f.hashes([42]), lambda: ("4", "2") in f):
        with pytest.raises(TypeError, match="int|tuple"):
            call()
    if not f.is_static:
        refuse(f, 42, np.arange(40, 44))
        refuse(f, np.uint8(42))
        with pytest.raises(TypeError, match="secret.*key_form"):
            f.update(["43", 42])
        assert "43" in f and f.inserted == 3


@pytest.mark.parametrize("kind", [{}, {"type": "bloom"}, {"type": "counting"}, {"type": "quotient"}, {"type": "scalable"}, {"exact_below": 50},
                                  {"type": "windowed", "window": 100}], ids=str)
def test_a_keyed_filter_has_the_keys_of_its_form(kind: dict[str, object]) -> None:
    secret = bloomery.generate_secret()
    f = bloomery.Filter(100, 1e-9, secret=secret, **kind)
    refuse(f, 42, np.arange(3))
    refuse(f, ("u", 7))
    refuse(f, ("u", "7"))
    assert f.inserted == 0
    numbers = bloomery.Filter(100, 1e-9, secret=secret, key_form="int64", **kind)
    numbers.update([42, np.int8(-1)])
    numbers.add(2**64 - 1)
    assert 42 in numbers and "42" in numbers and np.uint64(2**64 - 1) in numbers and -1 in numbers and 43 not in numbers
    assert numbers.contains(np.array([42, 43])).tolist() == [True, False]
    f.update(key.to_bytes(8, "little", signed=key < 0) for key in (42, -1))  # as earlier versions did with an int
    assert f.contains_hashes(numbers.hashes([42, -1])).all()
    pairs = bloomery.Filter(100, 1e-9, secret=secret, parts=2, **kind)
    pairs.add(("u", "7"))
    assert ("u", "7") in pairs
    refuse(pairs, ("u", 7))
    with pytest.raises(TypeError, match="key_form"):
        bloomery.build_ribbon(range(5), secret=secret)
    assert 4 in bloomery.build_ribbon(range(5), secret=secret, key_form="int64")


def test_a_filter_of_python_takes_ints_and_tuples_as_before() -> None:
    f = bloomery.Filter(10, 1e-9)
    f.update([42, ("u", 7), b"bytes"])
    assert 42 in f and "42" not in f and ("u", 7) in f and "bytes" in f


# Every cursor of a database gives rows. Rows of one column were other keys than their texts.
def test_a_tuple_of_one_is_refused() -> None:
    rows = sqlite3.connect(":memory:").execute("values ('a'), ('b')")
    f = bloomery.Filter(10, 1e-9)
    with pytest.raises(TypeError, match="tuple of 1"):
        f.update(rows)
    for key in (("a",), (1,), (b"a",), ()):
        refuse(f, key)
    for ignore_case in (True, False):
        refuse(bloomery.Filter(10, hash="xxh3", ignore_case=ignore_case), ("a",))
    refuse(bloomery.Filter(10, key_form="hex"), ("00ff",))
    f.update(row[0] for row in sqlite3.connect(":memory:").execute("values ('a'), ('b')"))
    assert "a" in f and "b" in f and f.inserted == 2
    with pytest.raises(ValueError, match="2 parts"):
        ("a",) in bloomery.Filter(10, parts=2)


# A key whose number of parts varies may have one. It is the same key as a str, as bytes and as a tuple.
def test_a_tuple_of_one_is_a_key_where_parts_vary() -> None:
    f = bloomery.Filter(10, 1e-9, parts=65535)
    f.add(("a",))
    assert ("a",) in f and "a" in f and b"a" in f and (b"a",) in f and ("a", "b") not in f
    refuse(f, ())


# ---- Other systems ----


# The Java class hashes UTF-16 units, as the command does. A str was hashed as UTF-8: no for half of the keys, maybe for
# every other one.
def test_a_str_of_simple_java_is_utf16(tmp_path: pathlib.Path, command) -> None:
    names = [f"user{i:04d}" for i in range(500)] + ["été", "odd", ""]
    path = str(tmp_path / "sj")
    dialect = "simple-java:bits=65536"
    command("build", "--dialect", dialect, "-o", path, "--no-summary", text="".join(f"{name}\n" for name in names).encode())
    java = bloomery.open(path, dialect)
    assert java.contains(names).all() and all(name in java for name in names)
    assert java.contains([f"none{i:04d}" for i in range(500)]).sum() < 50
    made = bloomery.build_dialect(dialect, names)
    assert made.to_bytes() == pathlib.Path(path).read_bytes() == bloomery.build_dialect(dialect, names, key_form="utf16").to_bytes()
    made.add("one more")
    made.save(path, replace=True)
    lines = command("query", "--dialect", dialect, "--no-summary", path, text=b"one more\nuser0000\n")
    assert lines == b"one more\nuser0000\n"
    units = bloomery.open(path, dialect, key_form="hex")
    assert "user0000".encode("utf-16-le") in units and "user0000".encode("utf-16-le").hex() in units
    for call in (lambda: b"user0000" in java, lambda: java.contains([b"user0000"]), lambda: java.contains(np.array([b"user0000"])),
                 lambda: java.add(b"user0000"), lambda: bloomery.build_dialect(dialect, [b"user0000"])):
        with pytest.raises(TypeError, match="bytes"):
            call()


def test_every_dialect_has_the_key_form_of_the_command(tmp_path: pathlib.Path, command) -> None:
    for name in bloomery.dialects():
        try:
            made = bloomery.build_dialect(name, ["some", "keys"], capacity=100, fpp=0.01)
        except (TypeError, bloomery.Error):  # none is made, or the keys need a form
            continue
        path = tmp_path / name
        made.save(path)
        lines = command("query", "--dialect", made.dialect, "--no-summary", str(path), text=b"some\nkeys\n")
        assert lines == b"some\nkeys\n", name
