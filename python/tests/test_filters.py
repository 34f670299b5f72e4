"""Filters of every type, one key and many at a time."""

from __future__ import annotations

import array
import copy
import datetime
import inspect
import pickle

import numpy as np
import pyarrow as pa
import pytest

import bloomery

TYPES = ["blocked", "blocked:dense", "bloom", "counting", "quotient", "scalable", "windowed"]


def made(type_name: str, capacity: int = 1000, **more: object) -> bloomery.Filter:
    window = capacity if type_name == "windowed" else None
    return bloomery.Filter(capacity, 1e-6, type=type_name, window=window, **more)


@pytest.mark.parametrize("type_name", TYPES)
def test_every_type_answers_alike_one_by_one_and_in_batches(type_name: str) -> None:
    f = made(type_name)
    members = [0, -1, 2**63, "text", "été", b"bytes", b"", ("a", 1), (b"a", "b", -5)]
    others = [1, -2, 2**63 - 1, "Text", "ete", b"byte", b"\0", ("a", 2), ("a", 1, 1)]
    f.update(members)
    assert f.inserted == len(members)
    assert all(key in f for key in members)
    assert not any(key in f for key in others)
    assert f.contains(members + others).tolist() == [True] * 9 + [False] * 9
    assert f.test_and_update(others).all() and f.contains(others).all()
    assert not f.test_and_add("text") and f.test_and_add("new")
    again = bloomery.Filter.from_bytes(f.to_bytes())
    assert again.contains(members + others + ["new"]).all() and again.to_bytes() == f.to_bytes()


@pytest.mark.parametrize("type_name", ["counting", "quotient"])
def test_keys_are_removed_and_counted(type_name: str) -> None:
    f = made(type_name)
    f.update(["a", "a", "b"])
    assert f.can_remove and f.count_at_most("a") == 2 and f.count_at_most("z") == 0
    assert f.remove("a") and "a" in f and f.remove("a") and "a" not in f and not f.remove("a")
    assert f.remove_all(["b", "b"]).tolist() == [True, False]


@pytest.mark.parametrize("type_name", ["blocked", "bloom", "scalable", "windowed"])
def test_types_that_keep_their_keys_say_so(type_name: str) -> None:
    f = made(type_name)
    for call in (lambda: f.remove(1), lambda: f.remove_all([1]), lambda: f.remove_all([]), lambda: f.count_at_most(1)):
        if call is not None and not f.can_remove:
            with pytest.raises(ValueError, match="removes"):
                call()


def columns(values: list[int]) -> list[object]:
    numbers = np.array(values, dtype=np.int64)
    return [
        numbers,
        numbers.astype(np.uint64),
        numbers.astype(np.int32),
        numbers.astype(np.uint16),
        np.repeat(numbers, 3)[::3],
        numbers[::-1][::-1],
        np.frombuffer(b"x" + numbers.tobytes(), dtype=np.uint8)[1:].view(np.int64),
        array.array("q", values),
        memoryview(numbers),
        pa.array(values),
        pa.array(values, pa.int16()),
        pa.array([7] + values)[1:],
        values,
        tuple(values),
        iter(values),
        (v for v in values),
        np.array(values, dtype=object),
        dict.fromkeys(values),
    ]


def test_integers_are_the_same_keys_in_every_column() -> None:
    f = bloomery.Filter(1000, 1e-9)
    values = list(range(0, 200, 2))
    f.update(np.array(values))
    for column in columns(values):
        assert f.contains(column).all()
    for column in columns([v + 1 for v in values]):
        assert not f.contains(column).any()
    for column in columns(values):
        filled = bloomery.Filter(1000, 1e-9)
        filled.update(column)
        assert filled.to_bytes() == f.to_bytes()


@pytest.mark.parametrize("dtype", [np.int8, np.int16, np.int32, np.int64])
def test_negative_integers_of_every_width_are_one_key(dtype: type) -> None:
    f = bloomery.Filter(100, 1e-9)
    f.update(np.array([-1, -128], dtype=dtype))
    assert -1 in f and -128 in f and 255 not in f and f.contains(np.array([-1, -128])).all()
    assert dtype(-1) in f


def test_texts_and_bytes_are_the_same_keys_in_every_column() -> None:
    texts = ["a", "b", "été", "", "x" * 100]
    raw = [text.encode() for text in texts]
    f = bloomery.Filter(100, 1e-9)
    f.update(texts)
    for column in (
        raw,
        np.array(texts),
        np.array(raw),
        np.array(texts, dtype=object),
        pa.array(texts),
        pa.array(raw),
        pa.array(texts, pa.large_string()),
        pa.array(raw, pa.large_binary()),
        pa.array(["zz"] + texts)[1:],
        [bytearray(key) for key in raw],
        [memoryview(key) for key in raw],
    ):
        assert f.contains(column).all()
        filled = bloomery.Filter(100, 1e-9)
        filled.update(column)
        assert filled.to_bytes() == f.to_bytes()
    fixed = pa.array([b"ab\0", b"cd\0"], pa.binary(3))
    f.update(fixed)
    assert b"ab\0" in f and b"ab" not in f
    f.update(np.array([b"pq\0", b"r"], dtype="S16"))
    assert b"pq" in f and b"r" in f


def test_a_strided_and_a_read_only_array() -> None:
    table = np.arange(1000, dtype=np.uint64).reshape(100, 10)
    table.flags.writeable = False
    f = bloomery.Filter(1000, 1e-9)
    f.update(table[:, 3])
    assert f.contains(table[::-1, 3]).all() and not f.contains(table[:, 4]).any()
    words = np.array([b"abcd", b"efgh", b"ijkl"])[::2]
    f.update(words)
    assert b"abcd" in f and b"ijkl" in f and b"efgh" not in f


@pytest.mark.parametrize("empty", [[], (), np.array([], dtype=np.int64), np.array([], dtype="S5"), pa.array([], pa.int64()),
                                   pa.array([], pa.string()), iter(())])
def test_no_keys(empty: object) -> None:
    f = bloomery.Filter(10)
    f.update(empty)
    answers = f.contains(empty)
    assert answers.dtype == np.bool_ and answers.shape == (0,) and f.inserted == 0


def test_a_million_keys_in_pieces() -> None:
    keys = np.arange(1_000_003, dtype=np.uint64)
    f = bloomery.Filter(len(keys), 1e-3)
    f.update(keys)
    assert f.contains(keys).all()
    assert 300 < f.contains(keys + np.uint64(10**9)).sum() < 2000
    g = bloomery.Filter(20_001)
    g.update(str(i) for i in range(20_001))
    answers = g.contains([str(i) for i in range(19_000, 21_000)])
    assert answers[:1001].all() and answers.sum() < 1030


def test_set_operations() -> None:
    a, b = bloomery.Filter(100), bloomery.Filter(100)
    a.update("ab"[i] for i in range(2))
    b.add("c")
    both = a | b
    assert both.contains(["a", "b", "c"]).all() and "c" not in a
    a |= b
    assert "c" in a
    a |= a
    assert a.to_bytes() == both.to_bytes()
    with pytest.raises(bloomery.InvalidArgumentError, match="capacity"):
        a |= bloomery.Filter(101)
    with pytest.raises(TypeError):
        a | {"c"}
    a.clear()
    assert "a" not in a


def test_pickle_and_copies() -> None:
    f = bloomery.Filter(100)
    f.add("a")
    for again in (pickle.loads(pickle.dumps(f)), f.copy(), copy.deepcopy(f)):
        again.add("b")
        assert "a" in again and "b" not in f
    keyed = bloomery.Filter(100, secret=bloomery.generate_secret())
    with pytest.raises(TypeError, match="secret"):
        pickle.dumps(keyed)


class Named(bloomery.Filter):
    """A class of a user: its own arguments, and attributes."""

    def __init__(self, name: str) -> None:
        super().__init__(100, 1e-9)
        self.name, self.tags = name, ["tag"]


class Closed(bloomery.Filter):
    __slots__ = ()


# They were silently plain filters, without the attributes.
def test_a_class_that_derives_survives_copies_and_unions() -> None:
    f = Named("mine")
    f.add("a")
    for again in (pickle.loads(pickle.dumps(f)), f.copy(), copy.copy(f), copy.deepcopy(f), f | bloomery.Filter(100, 1e-9)):
        assert type(again) is Named and again.name == "mine" and again.tags == ["tag"]
        again.add("b")
        assert "a" in again and "b" in again and "b" not in f and again.inserted == 2
    assert copy.copy(f).tags is f.tags and copy.deepcopy(f).tags is not f.tags
    same = f
    f |= bloomery.Filter(100, 1e-9)
    assert f is same
    read = Named.from_bytes(f.to_bytes())
    assert type(read) is Named and "a" in read
    plain = bloomery.Filter(100, 1e-9) | f
    assert type(plain) is bloomery.Filter and "a" in plain and type(bloomery.Filter.from_bytes(f.to_bytes())) is bloomery.Filter
    slots = Closed(10)
    for again in (pickle.loads(pickle.dumps(slots)), copy.copy(slots), copy.deepcopy(slots)):
        assert type(again) is Closed
    f.close()
    for call in (f.copy, lambda: copy.deepcopy(f), lambda: pickle.dumps(f)):
        with pytest.raises(ValueError, match="closed"):
            call()


# Notebooks show them, and inspect.signature() raised a ValueError.
def test_signatures_are_known() -> None:
    f = bloomery.Filter(5)
    for call, words in ((bloomery.Filter.add, "(self, key, /)"), (f.test_and_add, "(key, /)"),
                        (bloomery.Filter.update, "(self, keys)"), (f.update, "(keys)"), (f.contains, "(keys)"),
                        (f.save, "(path, replace=False)"), (f.close, "()"), (bloomery.Dialect.merge, "(self, other)"),
                        (bloomery.HFile.cells, "(self, start=b'')"), (bloomery.dialects, "()")):
        assert str(inspect.signature(call)) == words, call
    assert f.update.__doc__ == "Inserts all keys of an array or an iterable.\n"
    assert (f.add.__doc__ or "").startswith("Inserts a key.")


def test_filters_are_compared_by_identity() -> None:
    f = bloomery.Filter(5)
    same = f.copy()
    assert f == f and f != same and f.to_bytes() == same.to_bytes() and len({f, same}) == 2


# It was ignored without a word: neither the old keys were gone, nor the new capacity there.
@pytest.mark.parametrize("kind", [bloomery.Filter, Named, Closed])
def test_a_second_init_is_refused(kind: type) -> None:
    f = bloomery.Filter(100) if kind is bloomery.Filter else kind("mine") if kind is Named else kind(100)
    f.add("a")
    capacity = f.capacity
    for again in (f, f.copy(), kind.from_bytes(f.to_bytes())):
        with pytest.raises(TypeError, match="one call of __init__"):
            bloomery.Filter.__init__(again, 10)
        assert "a" in again and again.capacity == capacity
    f.close()
    with pytest.raises(TypeError, match="one call of __init__"):
        bloomery.Filter.__init__(f, 10)
    with pytest.raises(TypeError):
        bloomery.Filter.__init__(5, 10)  # type: ignore[arg-type]
    late = bloomery.Filter.__new__(bloomery.Filter)
    late.__init__(10)  # type: ignore[misc]
    late.add("a")
    assert "a" in late


def test_a_filter_of_another_system_is_copied_pickled_shown_and_closed(tmp_path) -> None:
    java = bloomery.build_dialect("guava", range(50), capacity=100, fpp=0.001, key_form="int64")
    for again in (pickle.loads(pickle.dumps(java)), copy.copy(java), copy.deepcopy(java)):
        assert type(again) is bloomery.Dialect and again.to_bytes() == java.to_bytes() and 7 in again and again.key_form == "int64"
        again.add(10**9)
        assert 10**9 in again and 10**9 not in java
    assert repr(java) == "<bloomery.Dialect: guava:mitz64>"
    java.save(tmp_path / "java")
    with bloomery.open(tmp_path / "java", "guava", key_form="int64") as opened:
        assert 7 in opened and not opened.closed
    assert opened.closed and repr(opened) == "<bloomery.Dialect, closed>"
    for call in (lambda: 7 in opened, lambda: opened.add(7), lambda: opened.contains([7]), lambda: opened.update([7]),
                 lambda: opened.merge(java), lambda: java.merge(opened), opened.to_bytes, opened.facts, lambda: opened.dialect,
                 lambda: opened.save(tmp_path / "never"), lambda: pickle.dumps(opened)):
        with pytest.raises(ValueError, match="closed"):
            call()
    opened.close()

    class Closing:
        def __index__(self) -> int:
            java.close()
            return 5

    for call in (lambda: Closing() in java, lambda: java.update([Closing()]), lambda: java.contains(Closing() for _ in range(2))):
        with pytest.raises(ValueError, match="in use"):
            call()
    assert 7 in java


# A plan of so many bytes is searched, and remembered. It must be the one of its own arguments.
def test_plans_that_are_remembered_are_those_of_their_arguments() -> None:
    kinds = [{"bytes": 1000}, {"bytes": 4096}, {"bytes": 4096, "fpp": 0.01}, {"bytes": 4096, "capacity": 2000}, {"bytes": 4096, "type": "bloom"},
             {"bytes": 4096, "type": "blocked:dense"}, {"capacity": 100}, {"capacity": 100, "fpp": 0.01},
             {"capacity": 100, "type": "blocked:dense"}, {"capacity": 100, "bits_per_key": 16}, {"window": 100, "type": "windowed"}]
    facts = [[(f.capacity, f.target_fpp, f.bits, f.hash_count, f.type) for f in (bloomery.Filter(**kind) for kind in kinds)]
             for _ in range(2)]
    assert facts[0] == facts[1] and len(set(facts[0])) == len(kinds)
    for wrong in ({"bytes": [1]}, {"bytes": 4096, "fpp": [1]}):
        with pytest.raises(TypeError):
            bloomery.Filter(**wrong)


def test_a_keyed_filter_needs_its_secret() -> None:
    secret = bloomery.generate_secret()
    f = bloomery.Filter(100, secret=secret)
    f.update(["a", b"1"])
    data = f.to_bytes()
    again = bloomery.Filter.from_bytes(data, secret=secret)
    assert "a" in again and "1" in again and "a" in f.copy()
    for wrong in (None, bytes(16)):
        with pytest.raises(bloomery.Error):
            bloomery.Filter.from_bytes(data, secret=wrong)


# An int is read where it lies, digit by digit, and not by Python's own function.
def test_every_int_is_its_8_bytes() -> None:
    numbers = sorted({sign * ((1 << power) + more) for power in range(66) for more in (-2, -1, 0, 1, 2) for sign in (1, -1)})
    inside = [n for n in numbers if -(2**63) <= n < 2**64]
    assert len(numbers) > len(inside) > 500
    keys = [n.to_bytes(8, "little", signed=n < 0) for n in inside]
    for f in (bloomery.Filter(1000, 1e-9), bloomery.Filter(1000, 1e-9, key_form="int64", hash="xxh3")):
        for n in inside:
            f.add(n)
        assert all(n in f for n in inside) and f.contains(inside).all() and f.contains(iter(inside)).all()
        assert not f.test_and_update(inside).any() and not any(f.test_and_add(n) for n in inside)
        for n in set(numbers) - set(inside):
            for call in (lambda n=n: f.add(n), lambda n=n: n in f, lambda n=n: f.update([n]), lambda n=n: f.test_and_add(n)):
                with pytest.raises(OverflowError):
                    call()
    texts = bloomery.Filter(1000, 1e-9)
    texts.update(inside)
    assert texts.contains(keys).all() and (texts.hashes(inside) == texts.hashes(keys)).all()


def test_exceptions() -> None:
    f = bloomery.Filter(1000, 0.1)
    f.update(range(1000))
    absent = np.arange(1000, 11_000)
    matched = f.contains(absent).sum()
    assert matched > 500 and f.add_exceptions(absent) == matched == f.exception_count
    assert not f.contains(absent).any() and f.contains(range(1000)).all()
    assert not bloomery.Filter.from_bytes(f.to_bytes()).contains(absent).any()


def test_windows() -> None:
    f = bloomery.Filter(window=100, type="windowed", fpp=1e-9)
    f.update(range(1000))
    assert f.contains(range(900, 1000)).all() and not f.contains(range(100)).any()
    f = bloomery.Filter(1000, window=datetime.timedelta(hours=1), type="windowed")
    assert f.test_and_add("a") and not f.test_and_add("a")


def test_a_full_filter_refuses_and_says_how_many() -> None:
    f = bloomery.Filter(10, type="quotient")
    with pytest.raises(bloomery.FullError) as caught:
        f.update(range(100_000))
    assert isinstance(caught.value, bloomery.CapacityError) and caught.value.code == "full"
    f = bloomery.Filter(100, type="quotient", growth_doublings=8)
    f.update(range(5000))
    assert f.contains(range(5000)).all()


def test_ribbons() -> None:
    calls: list[tuple[int, int]] = []
    r = bloomery.build_ribbon((str(i) for i in range(50_000)), 1e-4, progress=lambda *done: calls.append(done))
    assert calls and calls[-1][0] == calls[-1][1]
    assert r.is_static and r.contains([str(i) for i in range(50_000)]).all() and r.contains(range(50_000)).sum() < 60
    for call in (lambda: r.add("x"), lambda: r.update(["x"]), lambda: r.test_and_add("x")):
        with pytest.raises(ValueError, match="never changes"):
            call()
    with pytest.raises(bloomery.InvalidArgumentError):
        r.clear()


def test_fuse_filters(tmp_path: object) -> None:
    for dense in (False, True):
        f = bloomery.build_fuse((str(i) for i in range(50_000)), 2**-10, dense=dense)
        assert f.type == ("fuse:dense" if dense else "fuse") and f.is_static
        assert f.contains([str(i) for i in range(50_000)]).all() and f.contains(range(50_000)).sum() < 120
        with pytest.raises(ValueError, match="never changes"):
            f.add("x")
    path = tmp_path / "f.fuse"  # type: ignore[operator]
    assert 1 in bloomery.build_fuse([1, 2], path=path) and 2 in bloomery.open(path)


def test_a_ribbon_is_built_in_bounded_memory_onto_a_path(tmp_path: object) -> None:
    path = tmp_path / "r.ribbon"  # type: ignore[operator]
    keys = np.arange(5_000_000, dtype=np.uint64)
    r = bloomery.build_ribbon(keys, 0.01, memory=64 << 20, spool=tmp_path, path=path)
    assert r.contains(keys).all() and [p.name for p in tmp_path.iterdir()] == ["r.ribbon"]  # type: ignore[attr-defined]
    with pytest.raises(bloomery.Error):
        bloomery.build_ribbon([1], path=path)
    assert 1 in bloomery.build_ribbon([1], path=path, replace=True)


def test_what_stops_a_ribbon() -> None:
    def stop(done: int, total: int) -> None:
        raise KeyError("enough")

    with pytest.raises(KeyError, match="enough"):
        bloomery.build_ribbon(range(10_000), progress=stop)

    def keys() -> object:
        yield from range(10_000)
        raise RuntimeError("no more")

    with pytest.raises(RuntimeError, match="no more"):
        bloomery.build_ribbon(keys())
    with pytest.raises(bloomery.Error):
        bloomery.build_ribbon((i for i in __import__("itertools").count()), memory=1 << 20, spool="/no/such/folder")


def test_facts() -> None:
    f = bloomery.Filter(1000, 0.01, type="bloom", key_form="hex", trim=True)
    assert (f.type, f.capacity, f.target_fpp, f.inserted, f.key_rule) == ("bloom", 1000, 0.01, 0, "hex,trim")
    assert f.bits >= 9585 and f.hash_count == 7 and f.byte_size * 8 >= f.bits and f.file_bytes > f.byte_size
    assert f.fill_ratio() == 0 == f.current_fpp() == f.estimated_count() and not f.over_capacity()
    f.metadata = "made by a test"
    assert bloomery.Filter.from_bytes(f.to_bytes()).metadata == b"made by a test"
    assert bloomery.Filter(bytes=4096).byte_size <= 4096 and repr(f).startswith("<bloomery.Filter: bloom")
    f.verify()
