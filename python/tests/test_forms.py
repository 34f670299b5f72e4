"""A filter of the command answers alike in Python, and the other way round, for every key form."""

from __future__ import annotations

import pathlib
import re
import typing

import numpy as np
import pyarrow as pa
import pytest

import bloomery
from bloomery import _key_options

TABLE = pathlib.Path(__file__).resolve().parents[2] / "tests" / "c_api" / "forms.tsv"
ROWS = [
    line.split("\t", 3) for line in TABLE.read_text().splitlines() if "\t" in line and not line.startswith("#")
]
# The options of Filter() that are the command's options of a row.
OPTIONS = {
    "text": {},
    "trim": {"trim": True},
    "ignore-case": {"ignore_case": True},
    "trim-ignore-case": {"trim": True, "ignore_case": True},
    "hex": {"key_form": "hex"},
    "int32": {"key_form": "int32"},
    "int64": {"key_form": "int64"},
    "utf16": {"key_form": "utf16"},
    "url": {"key_form": "url"},
    "url-query": {"key_form": "url", "sort_query": True, "drop_tracking": True},
    "url-ignore-case": {"key_form": "url", "ignore_case": True},
    "cidr": {"key_form": "cidr"},
    "domain-suffix": {"key_form": "domain-suffix"},
    "url-prefix": {"key_form": "url-prefix"},
    "composite": {"parts": 2},
    "composite-int64": {"parts": 2, "key_form": "int64"},
    "composite-url": {"parts": 2, "key_form": "url"},
    "composite-ignore-case": {"parts": 2, "ignore_case": True},
}


# A checker of types refuses all other names.
def test_the_names_in_the_types_are_those_that_are_taken() -> None:
    for form in typing.get_args(_key_options.KeyForm):
        assert bloomery.Filter(10, key_form=form).inserted == 0
    hashes = typing.get_args(_key_options.HashName)
    for name in hashes:
        assert bloomery.Filter(10, hash=name).inserted == 0
    with pytest.raises(ValueError) as caught:
        bloomery.Filter(10, hash="md5")  # type: ignore[arg-type]
    assert sorted(re.findall(r"'([^']+)'", str(caught.value))) == sorted([*hashes, "md5"])
    for name in typing.get_args(_key_options.TypeName):
        f = bloomery.Filter(window=10, type=name) if name == "windowed" else bloomery.Filter(10, type=name)
        assert f.type.split(":")[0] == name.split(":")[0]


def lines_of(cell: str) -> list[str]:
    return [line.replace("/t", "\t") for line in cell.split("|")]


def test_the_table_is_whole() -> None:
    assert [row[0] for row in ROWS] == list(OPTIONS)


@pytest.mark.parametrize("row", ROWS, ids=[row[0] for row in ROWS])
def test_form(row: list[str], tmp_path: pathlib.Path, command) -> None:
    name, options, entries, questions = row
    words = options.split()
    fields = words[:2] if words[:1] == ["-k"] else []
    is_composite = bool(fields)
    by_command, by_python = str(tmp_path / "by_command"), tmp_path / "by_python"
    entry_bytes = "".join(line + "\n" for line in lines_of(entries)).encode()
    question_lines = lines_of(questions)
    question_bytes = "".join(line + "\n" for line in question_lines).encode()
    command("build", "-o", by_command, *words, "-n", "1000", "-p", "1e-6", "--no-summary", text=entry_bytes)
    expected = command("query", "--no-summary", *fields, by_command, text=question_bytes).decode().splitlines()
    assert 0 < len(expected) < len(question_lines)

    def keys(cell: str) -> list:
        return [tuple(line.split("\t")) if is_composite else line for line in lines_of(cell)]

    # The command's filter, asked in Python: one by one, in a batch, in columns of text.
    opened = bloomery.open(by_command)
    asked = keys(questions)
    assert [line for line, key in zip(question_lines, asked) if key in opened] == expected
    columns = [asked, iter(asked)] if is_composite else [asked, iter(asked), np.array(asked), pa.array(asked)]
    for column in columns:
        assert [line for line, yes in zip(question_lines, opened.contains(column)) if yes] == expected
    # The same filter made in Python: by options, one by one and in a batch. All have the command's bytes.
    plan = {"capacity": opened.capacity, "fpp": opened.target_fpp, "hash": "xxh3", **OPTIONS[name]}
    for is_batch in (False, True):
        made = bloomery.Filter(**plan)
        if is_batch:
            made.update(keys(entries))
        else:
            for key in keys(entries):
                made.add(key)
        assert made.key_rule == opened.key_rule
        made.save(by_python, replace=True)
        assert made.contains(asked).tolist() == opened.contains(asked).tolist()
        answers = command("query", "--no-summary", *fields, str(by_python), text=question_bytes).decode().splitlines()
        assert answers == expected
        if opened.type == made.type:
            made.metadata = opened.metadata
            assert made.to_bytes() == pathlib.Path(by_command).read_bytes()


def test_integers_are_the_texts_of_their_form(tmp_path: pathlib.Path, command) -> None:
    for form, values in (("int32", [1, -1, 2**31 - 1, -(2**31)]), ("int64", [1, -1, 2**63 - 1, -(2**63)])):
        path = str(tmp_path / form)
        command("build", "-o", path, "--key-form", form, "-p", "1e-9", "-n", "100", "--no-summary",
                text="".join(f"{value}\n" for value in values).encode())
        f = bloomery.open(path)
        assert all(value in f and str(value) in f for value in values) and 2 not in f and "2" not in f
        dtype = np.int32 if form == "int32" else np.int64
        for column in (np.array(values, dtype=dtype), pa.array(values), values, np.array(values, dtype=np.int64)[::-1]):
            assert f.contains(column).all()
        assert not f.contains(np.arange(2, 50, dtype=np.int16)).any()
    with pytest.raises(OverflowError):
        2**31 in bloomery.open(tmp_path / "int32")
    with pytest.raises(OverflowError):
        bloomery.open(tmp_path / "int32").contains(np.array([2**31]))
    composite = str(tmp_path / "composite")
    command("build", "-o", composite, "-k", "1,2", "--key-form", "int64", "-p", "1e-9", "-n", "9", "--no-summary",
            text=b"1\t-2\n")
    f = bloomery.open(composite)
    assert (1, -2) in f and ("1", "-2") in f and (np.int8(1), -2) in f and (1, 2) not in f
    with pytest.raises(ValueError, match="2 parts"):
        (1, 2, 3) in f
    with pytest.raises(TypeError, match="int"):
        1 in f


@pytest.mark.parametrize("form", ["hex", "url", "utf16", "cidr", "domain-suffix"])
def test_an_int_is_no_key_of_a_form_of_text(form: str) -> None:
    f = bloomery.Filter(10, key_form=form)
    for call in (lambda: 5 in f, lambda: f.add(5), lambda: f.update([5]), lambda: f.contains(np.arange(3))):
        with pytest.raises(TypeError):
            call()


def test_a_text_that_is_not_of_the_form_is_an_error_and_the_keys_before_it_are_in() -> None:
    f = bloomery.Filter(10, key_form="hex")
    with pytest.raises(bloomery.InvalidArgumentError, match="hex"):
        f.update(["00ff", "xyz", "11ff"])
    assert "00FF" in f and "11ff" not in f
    with pytest.raises(bloomery.InvalidArgumentError):
        "xyz" in f


def test_a_block_list_keeps_its_levels_after_an_error() -> None:
    f = bloomery.Filter(100, 1e-9, key_form="cidr")
    with pytest.raises(bloomery.InvalidArgumentError):
        f.update(["10.0.0.0/8", "no network"])
    f.add("11.0.0.0/8")
    f.add("12.1.0.0/16")
    f.update(["2001:db8::/32"])
    assert f.contains(["10.1.2.3", "11.1.2.3", "12.1.2.3", "12.2.0.0", "2001:db8::1"]).tolist() == [True, True, True, False, True]
    f.clear()
    f.add("10.0.0.0/8")
    assert "10.1.2.3" in f and "12.1.2.3" not in f
    other = bloomery.Filter(100, 1e-9, key_form="cidr")
    other.add("13.0.0.0/12")
    f |= other
    assert "13.1.2.3" in f and "10.1.2.3" in f
    for call in (lambda: f.contains([b"10.0.0.1"]), lambda: b"10.0.0.1" in f, lambda: f.contains(np.array([b"x"])),
                 lambda: f.test_and_update(["10.0.0.1"])):
        with pytest.raises((TypeError, ValueError)):
            call()


@pytest.mark.parametrize("type_name", ["counting", "quotient"])
def test_an_entry_of_a_block_list_is_removed(type_name: str) -> None:
    f = bloomery.Filter(100, 1e-9, type=type_name, key_form="cidr")
    f.update(["10.0.0.0/8", "11.0.0.0/8"])
    assert f.remove("10.0.0.0/8") and "10.1.2.3" not in f and "11.1.2.3" in f
