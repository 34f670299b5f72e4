"""What is wrong is an exception of Python, and the filter stays whole."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import bloomery


@pytest.fixture
def f() -> bloomery.Filter:
    f = bloomery.Filter(100, 1e-9)
    f.add("in")
    return f


class Odd:
    def __index__(self) -> int:
        raise RuntimeError("odd")


@pytest.mark.parametrize("key", [1.5, None, True, np.bool_(True), {}, [], ["a"], object(), (1, None), (1, (2, 3)), np.float64(1),
                                 np.datetime64("2020-01-01"), np.arange(3)], ids=repr)
def test_what_is_no_key(f: bloomery.Filter, key: object) -> None:
    for call in (lambda: key in f, lambda: f.add(key), lambda: f.test_and_add(key), lambda: f.update([key]), lambda: f.contains([key])):
        with pytest.raises(TypeError):
            call()
    assert f.inserted == 1


@pytest.mark.parametrize("keys", ["abc", b"abc", bytearray(b"abc"), memoryview(b"abc"), 5, None, 1.5, object(), np.int64(5)], ids=repr)
def test_one_key_for_many(f: bloomery.Filter, keys: object) -> None:
    for call in (f.update, f.contains, f.test_and_update, f.add_exceptions):
        with pytest.raises((TypeError, ValueError)):
            call(keys)


@pytest.mark.parametrize(
    "keys",
    [
        np.zeros(3),
        np.zeros(3, dtype=bool),
        np.zeros(3, dtype=complex),
        np.zeros((2, 2), dtype=int),
        np.array(5),
        np.zeros(3, dtype=">i8"),
        np.zeros(3, dtype=[("a", "i4")]),
        np.zeros(3, dtype="M8[s]"),
        np.array([1.5, 2], dtype=object),
        pa.array([1, None]),
        pa.array(["a", None])[0:2],
        pa.array([1.5]),
        pa.array([True]),
        np.array([["a"], ["b"]], dtype=object),
        np.array([["a"], ["b"]]),
        pa.array([[1]]),
        pa.array(["a", None]).dictionary_encode(),
        pa.array([1.5]).dictionary_encode(),
        pa.chunked_array([[1], [None]]),
        pa.chunked_array([[1.5]]),
        pa.table({"a": [1]}),
        pa.array([1], pa.date32()),
    ],
    ids=lambda keys: type(keys).__name__,
)
def test_columns_that_have_no_keys(f: bloomery.Filter, keys: object) -> None:
    for call in (f.update, f.contains, f.test_and_update):
        with pytest.raises((TypeError, ValueError)):
            call(keys)


def test_nulls_outside_of_a_slice_do_no_harm(f: bloomery.Filter) -> None:
    f.update(pa.array([None, 1, 2])[1:])
    assert 1 in f and 2 in f


def test_integers_out_of_range(f: bloomery.Filter) -> None:
    for key in (2**64, -(2**63) - 1, 10**100):
        with pytest.raises(OverflowError):
            key in f
    f.update([2**64 - 1, -(2**63)])
    with pytest.raises(UnicodeEncodeError):
        "\ud800" in f
    with pytest.raises(RuntimeError, match="odd"):
        Odd() in f


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({}, TypeError),
        ({"capacity": -1}, ValueError),
        ({"capacity": 2**64}, ValueError),
        ({"capacity": "5"}, TypeError),
        ({"capacity": 1.5}, TypeError),
        ({"capacity": 5, "fpp": 0}, ValueError),
        ({"capacity": 5, "fpp": 1}, ValueError),
        ({"capacity": 5, "fpp": float("nan")}, ValueError),
        ({"capacity": 5, "fpp": "x"}, TypeError),
        ({"capacity": 5, "type": "ribbon"}, ValueError),
        ({"capacity": 5, "type": "none"}, ValueError),
        ({"capacity": 5, "type": "bloom:dense"}, ValueError),
        ({"capacity": 5, "key_form": "none"}, ValueError),
        ({"capacity": 5, "parts": 0}, ValueError),
        ({"capacity": 5, "parts": 2, "key_form": "cidr"}, ValueError),
        ({"capacity": 5, "hash": "md5"}, ValueError),
        ({"capacity": 5, "secret": b"short"}, ValueError),
        ({"capacity": 5, "secret": "x" * 16}, TypeError),
        ({"capacity": 5, "window": "x", "type": "windowed"}, TypeError),
        ({"capacity": 5, "window": 10}, ValueError),
        ({"capacity": 10**18}, bloomery.Error),
        ({"capacity": 10**14, "fpp": 0.5}, bloomery.Error),
        ({"capacity": 5, "colour": 1}, TypeError),
    ],
    ids=repr,
)
def test_options(options: dict, error: type) -> None:
    with pytest.raises(error):
        bloomery.Filter(**options)


def test_a_closed_filter(f: bloomery.Filter) -> None:
    with f as same:
        assert "in" in same
    assert f.closed and "closed" in repr(f)
    for call in (lambda: "in" in f, lambda: f.add("a"), lambda: f.update(["a"]), lambda: f.contains([]), lambda: f.to_bytes(),
                 lambda: f.save("/tmp/never"), lambda: f.inserted, lambda: f.type, lambda: f | f, lambda: f.copy(),
                 lambda: f.metadata, lambda: f.clear(), lambda: f.add_exceptions([]), lambda: f.verify(),
                 lambda: f.test_and_add("a"), lambda: f.fill_ratio(), lambda: f.__reduce__()):
        with pytest.raises(ValueError, match="closed"):
            call()
    f.close()


def test_keys_whose_code_closes_the_filter(f: bloomery.Filter) -> None:
    class Closing:
        def __index__(self) -> int:
            f.close()
            return 5

    def closing() -> object:
        yield "a"
        f.close()
        yield "b"

    for call in (lambda: Closing() in f, lambda: f.add(Closing()), lambda: (1, Closing()) in f, lambda: f.update(closing()),
                 lambda: f.contains(closing()), lambda: f.contains([Closing()])):
        with pytest.raises(ValueError, match="in use"):
            call()
    assert "in" in f and "a" in f


def test_keys_whose_code_uses_the_filter(f: bloomery.Filter) -> None:
    class Asking:
        def __index__(self) -> int:
            f.add("x")
            assert "in" in f and "y" not in f
            return 5

    assert Asking() not in f
    f.add(Asking())
    assert 5 in f and "x" in f
    f.update(key for key in ["p", "q"] if key not in f and f.test_and_add(key + "!"))
    assert f.contains(["p", "q", "p!", "q!"]).all()
    keys: list = []

    class Growing:
        def __index__(self) -> int:
            keys.clear()
            return 7

    keys.extend([Growing(), 8, 9])
    assert f.contains(keys).tolist() == [False]


def test_an_object_without_init() -> None:
    bare = bloomery.Filter.__new__(bloomery.Filter)
    for call in (lambda: 1 in bare, lambda: bare.add(1), lambda: bare.update([1]), lambda: bare.inserted):
        with pytest.raises((TypeError, ValueError)):
            call()


def test_a_class_that_derives(f: bloomery.Filter) -> None:
    class Mine(bloomery.Filter):
        def __init__(self) -> None:
            super().__init__(100, 1e-9)

    class Every(bloomery.Filter):
        def __contains__(self, key: object) -> bool:
            return True

    mine = Mine()
    mine.add("a")
    assert "a" in mine and "b" not in mine and 5 in Every(10)
    with pytest.raises(TypeError):
        1.5 in mine


def test_an_error_in_an_iterable_comes_out_and_keys_before_it_are_in(f: bloomery.Filter) -> None:
    def keys() -> object:
        yield from range(10_000)
        raise KeyError("gone")

    big = bloomery.Filter(20_000)
    with pytest.raises(KeyError, match="gone"):
        big.update(keys())
    assert big.contains(range(10_000)).all()
    with pytest.raises(KeyError):
        big.contains(keys())
