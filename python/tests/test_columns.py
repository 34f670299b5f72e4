"""Columns of pandas, polars and Arrow, in chunks and in every layout, are the keys of a list."""

from __future__ import annotations

import decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import bloomery

NUMBERS = [5, 0, 2**31 - 1, 7]
TEXTS = ["a", "", "été", "a text of more than twelve bytes", "twelve bytes", "thirteen byte"]
RAW = [text.encode() for text in TEXTS]


def as_list(keys: list) -> bytes:
    f = bloomery.Filter(100, 1e-9)
    f.update(list(keys))
    return f.to_bytes()


def chunks_of(array: pa.Array) -> pa.ChunkedArray:
    """An array in chunks of one, two and no elements, one of them a slice of a larger one."""
    larger = pa.concat_arrays([array, array])
    return pa.chunked_array([array.slice(0, 1), array.slice(0, 0), larger.slice(1, 2), array.slice(3)], type=array.type)


def integer_columns() -> dict[str, object]:
    arrow = pa.array(NUMBERS)
    columns: dict[str, object] = {
        "pandas": pd.Series(NUMBERS), "pandas Int64": pd.Series(NUMBERS, dtype="Int64"),
        "pandas object": pd.Series(NUMBERS, dtype=object), "pandas index": pd.Index(NUMBERS),
        "pandas category": pd.Series(NUMBERS, dtype="category"), "pandas arrow": pd.Series(NUMBERS, dtype="int32[pyarrow]"),
        "pandas uint32": pd.Series(NUMBERS, dtype="uint32"), "pandas slice": pd.Series([9, *NUMBERS, 9])[1:-1],
        "pandas every other": pd.Series([x for n in NUMBERS for x in (n, 1)])[::2],
        "pandas frame": pd.DataFrame({"a": NUMBERS})["a"],
        "polars": pl.Series(NUMBERS), "polars int32": pl.Series(NUMBERS, dtype=pl.Int32),
        "polars chunks": pl.concat([pl.Series(NUMBERS[:1]), pl.Series(NUMBERS[1:])], rechunk=False),
        "polars frame": pl.DataFrame({"a": NUMBERS})["a"], "polars slice": pl.Series([9, *NUMBERS, 9])[1:-1],
        "chunked": chunks_of(arrow), "one chunk": pa.chunked_array([arrow]), "table": pa.table({"a": arrow})["a"],
        "dictionary": arrow.dictionary_encode(), "chunked dictionary": chunks_of(arrow.dictionary_encode()),
        "dictionary of int8 indices": pa.DictionaryArray.from_arrays(pa.array([0, 1, 2, 3], pa.int8()), arrow),
    }
    return columns


def text_columns() -> dict[str, object]:
    arrow = pa.array(TEXTS)
    views = arrow.cast(pa.string_view())
    return {
        "pandas": pd.Series(TEXTS), "pandas object": pd.Series(TEXTS, dtype=object), "pandas string": pd.Series(TEXTS, dtype="string"),
        "pandas category": pd.Series(TEXTS, dtype="category"), "pandas categorical": pd.Categorical(TEXTS),
        "pandas arrow": pd.Series(TEXTS, dtype=pd.ArrowDtype(pa.large_string())), "pandas index": pd.Index(TEXTS),
        "polars": pl.Series(TEXTS), "polars category": pl.Series(TEXTS, dtype=pl.Categorical),
        "polars enum": pl.Series(TEXTS, dtype=pl.Enum(sorted(TEXTS))), "polars slice": pl.Series(["x" * 20, *TEXTS, "y"])[1:-1],
        "polars frame": pl.DataFrame({"a": TEXTS})["a"],
        "chunked": chunks_of(arrow), "table": pa.table({"a": arrow})["a"], "string_view": views,
        "string_view slice": pa.concat_arrays([views, views]).slice(6), "chunked string_view": chunks_of(views),
        "dictionary": arrow.dictionary_encode(), "chunked dictionary": chunks_of(arrow.dictionary_encode()),
        "dictionary slice": pa.concat_arrays([arrow, arrow]).dictionary_encode().slice(6),
        "dictionary of string_view": pa.DictionaryArray.from_arrays(pa.array(range(6), pa.uint8()), views),
        "numpy": np.array(TEXTS), "numpy every other": np.array([x for text in TEXTS for x in (text, "other")])[::2],
        "numpy reversed": np.array(TEXTS[::-1])[::-1], "numpy StringDType": np.array(TEXTS, dtype=np.dtypes.StringDType()),
    }


def binary_columns() -> dict[str, object]:
    arrow = pa.array(RAW)
    return {
        "pandas": pd.Series(RAW), "polars": pl.Series(RAW), "chunked": chunks_of(arrow), "binary_view": arrow.cast(pa.binary_view()),
        "dictionary": arrow.dictionary_encode(),
    }


CASES = [(NUMBERS, column, f"integers: {name}") for name, column in integer_columns().items()]
CASES += [(TEXTS, column, f"texts: {name}") for name, column in text_columns().items()]
CASES += [(RAW, column, f"bytes: {name}") for name, column in binary_columns().items()]


# Every Series, every column of a table and every array in chunks was an error that spoke of chunks.
@pytest.mark.parametrize(("keys", "column"), [case[:2] for case in CASES], ids=[case[2] for case in CASES])
def test_a_column_has_the_keys_of_a_list(keys: list, column: object) -> None:
    f = bloomery.Filter(100, 1e-9)
    f.update(column)
    assert f.to_bytes() == as_list(keys)
    assert f.contains(column).tolist() == [True] * len(keys) and f.contains(keys).all()
    assert not f.test_and_update(column).any()
    assert (f.hashes(column) == f.hashes(keys)).all()
    other = bloomery.Filter(100, 1e-9)
    other.update(keys[:2])
    assert other.contains(column).tolist() == [True, True] + [False] * (len(keys) - 2)


# The answers of chunks follow each other, wherever a chunk ends.
def test_the_answers_of_many_chunks_are_in_order() -> None:
    numbers = np.arange(20_000)
    f = bloomery.Filter(20_000, 1e-9)
    f.update(numbers[numbers % 3 == 0])
    cuts = [0, 1, 2, 63, 64, 65, 511, 512, 700, 1500, 1500, 4096, 19_999, 20_000]
    column = pa.chunked_array([numbers[a:b] for a, b in zip(cuts, cuts[1:])])
    assert (f.contains(column) == (numbers % 3 == 0)).all()
    assert (f.contains(pl.Series([str(n) for n in numbers])) == np.zeros(20_000, dtype=bool)).all()
    assert (f.test_and_update(column) == (numbers % 3 != 0)).all() and f.contains(numbers).all()


def test_columns_without_keys() -> None:
    f = bloomery.Filter(10)
    for empty in (pd.Series([], dtype="int64"), pd.Series([], dtype="str"), pl.Series([], dtype=pl.String), pa.chunked_array([], pa.int64()),
                  pa.chunked_array([], pa.dictionary(pa.int8(), pa.string())), pa.array([], pa.string_view()), np.array([], dtype="U5")):
        f.update(empty)
        assert f.contains(empty).shape == (0,)
    assert f.inserted == 0


# A null is no key. A float, which pandas makes of integers beside NaN, a bool or a date is none either.
@pytest.mark.parametrize("column", [
    pd.Series([1, None], dtype="Int64"), pd.Series(["a", None]), pd.Series(["a", float("nan")]), pd.Series(["a", None], dtype="category"),
    pd.Series([1, float("nan")]), pd.Series([1.0]), pd.Series([True]), pd.Series(["2020-01-01"], dtype="datetime64[ns]"),
    pd.Series(["a", 1.5], dtype=object), pd.DataFrame({"a": [1]}), pl.Series([1, None]), pl.Series(["a", None]), pl.Series([1.5]),
    pl.Series([True]), pl.Series([[1]]), pl.DataFrame({"a": [1]}), pl.Series([None]), pa.chunked_array([["a"], [None]]),
    pa.table({"a": [1]}), pa.array(["a", None], pa.string_view()), pa.array([decimal.Decimal("1.5")]),
    pa.array([{"a": 1}]), pa.DictionaryArray.from_arrays([0, 1], ["a", None]), pa.chunked_array([], pa.float32()),
], ids=str)
def test_columns_without_keys_of_ours_are_refused(column: object) -> None:
    f = bloomery.Filter(10)
    for call in (f.update, f.contains, f.test_and_update):
        with pytest.raises((TypeError, ValueError)) as caught:
            call(column)
        assert "chunks one by one" not in str(caught.value)


def test_a_null_of_a_dictionary_that_no_key_has_does_no_harm() -> None:
    f = bloomery.Filter(10, 1e-9)
    f.update(pa.DictionaryArray.from_arrays([0, 0], ["a", None]))
    assert "a" in f and f.inserted == 2


# A Series of several types has no layout of Arrow. Its items are the keys.
def test_a_series_of_several_types() -> None:
    f = bloomery.Filter(10, 1e-9)
    f.update(pd.Series(["a", 5, b"c"], dtype=object))
    assert f.contains(["a", 5, b"c"]).all()


def test_columns_are_keys_by_the_rule_of_the_filter() -> None:
    f = bloomery.Filter(100, 1e-9, ignore_case=True)
    f.update(pd.Series(["Ann", "BOB"]))
    for column in (pl.Series(["aNN", "bob"]), pa.chunked_array([["ANN"], ["Bob"]]), np.array(["ann", "BOB"]), pd.Series(["ANN", "bob"], dtype="category")):
        assert f.contains(column).all()
    networks = bloomery.Filter(100, 1e-9, key_form="cidr")
    networks.update(pl.Series(["10.0.0.0/8", "11.0.0.0/8"]))
    assert networks.contains(pd.Series(["10.1.2.3", "12.1.2.3"])).tolist() == [True, False]
    with pytest.raises(TypeError):
        networks.update(pd.Series([1, 2]))


# Text of NumPy is read in another way if it is ASCII alone.
def test_ascii_text_of_numpy() -> None:
    texts = ["", "a", "inside\0of", "x" * 40, "~"] + [f"key {i}" for i in range(1000)]
    array = np.array(texts)
    for column in (array, np.repeat(array, 2)[::2], array[::-1], np.concatenate([array, array]).reshape(-1, 1)[:, 0]):
        f = bloomery.Filter(3000, 1e-9)
        f.update(column)
        assert f.contains(texts).all() and (f.hashes(column) == f.hashes(column.tolist())).all() and "b" not in f
    assert f.contains(np.array(["a", "b", "key 7", "key 7000"])).tolist() == [True, False, True, False]
    assert f.contains(np.zeros(3, dtype="U0")).tolist() == [True] * 3  # the empty text


# A lone surrogate has no UTF-8, in an array of NumPy as in a list.
def test_text_of_numpy_without_utf8() -> None:
    f = bloomery.Filter(10)
    for call in (f.update, f.contains):
        with pytest.raises(UnicodeEncodeError):
            call(np.array(["a", "\ud800"]))
    many = np.array([chr(i) * 3 for i in [*range(1, 0xd800, 7), *range(0xe000, 0x110000, 97)]])
    g = bloomery.Filter(len(many), 1e-9)
    g.update(many.tolist())
    assert g.contains(many).all()


def test_filters_of_other_systems_take_columns() -> None:
    texts = pd.Series(["a", "b"])
    java = bloomery.build_dialect("guava", texts, capacity=100, fpp=0.001)
    assert java.to_bytes() == bloomery.build_dialect("guava", ["a", "b"], capacity=100, fpp=0.001).to_bytes()
    for column in (pl.Series(["a", "z"]), pa.array(["a", "z"]), np.array([b"a", b"z"]), pa.chunked_array([["a"], ["z"]])):
        assert java.contains(column).tolist() == [True, False]
    longs = bloomery.build_dialect("guava", np.arange(-3, 3), capacity=100, fpp=0.001, key_form="int64")
    assert longs.contains(pl.Series([-3, 2, 5])).tolist() == [True, True, False]
    with pytest.raises(TypeError):
        java.contains(np.arange(3))
