"""Every buffer that the buffer protocol describes is taken or refused with a TypeError."""

from __future__ import annotations

import array
import ctypes
import multiprocessing

import numpy as np
import pytest

import bloomery

_testbuffer = pytest.importorskip("_testbuffer", reason="CPython's own test module is not installed")


def filled(*keys: object) -> bloomery.Filter:
    f = bloomery.Filter(100, 1e-9)
    f.update(keys)
    return f


# Arrays of ctypes, which processes share ids in, have no strides. They ended the process with a segmentation fault.
@pytest.mark.parametrize("kind", [ctypes.c_int8, ctypes.c_uint16, ctypes.c_int32, ctypes.c_int64, ctypes.c_uint64, ctypes.c_size_t],
                         ids=lambda kind: kind.__name__)
def test_arrays_of_ctypes_are_integers(kind: type) -> None:
    keys = (kind * 3)(1, 2, 100)
    f = bloomery.Filter(100, 1e-9)
    f.update(keys)
    assert f.to_bytes() == filled(1, 2, 100).to_bytes()
    assert f.contains(keys).all() and f.contains((kind * 2)(1, 3)).tolist() == [True, False]
    assert not f.test_and_update(keys).any() and (f.hashes(keys) == f.hashes([1, 2, 100])).all()
    assert f.add_exceptions((kind * 1)(5)) == 0
    assert bloomery.build_ribbon(keys).contains([1, 2, 100]).all()
    assert f.contains((kind * 0)()).shape == (0,)


def test_negative_integers_of_ctypes() -> None:
    assert filled(-1, -128).contains((ctypes.c_int8 * 2)(-1, -128)).all()


def test_arrays_that_processes_share() -> None:
    raw, locked = multiprocessing.RawArray("q", [7, 8]), multiprocessing.Array("q", [7, 8])
    f = bloomery.Filter(100, 1e-9)
    f.update(raw)
    assert f.contains(locked.get_obj()).all() and f.contains(memoryview(raw)).all() and 7 in f and 9 not in f


def test_hashes_of_ctypes() -> None:
    f, g = bloomery.Filter(100, 1e-9), bloomery.Filter(100, 1e-9)
    hashes = f.hashes([1, 2, 3])
    pairs = (ctypes.c_uint64 * 2 * 3)(*[(ctypes.c_uint64 * 2)(*map(int, pair)) for pair in hashes])
    g.add_hashes(pairs)
    assert g.contains([1, 2, 3]).all() and g.contains_hashes(pairs).all() and not g.test_and_add_hashes(pairs).any()
    ready = bloomery.Filter(100, 1e-9, hash="ready")
    ready.add_hashes((ctypes.c_uint64 * 2)(2**63, 5))
    assert ready.contains_hashes(np.array([2**63, 5, 6], dtype=np.uint64)).tolist() == [True, True, False]


def nd(items: object, **options: object) -> object:
    return _testbuffer.ndarray(items, **options)


TAKEN = {
    "strided": nd([1, 9, 2, 9], shape=[4], format="q")[::2],
    "reversed": nd([2, 1], shape=[2], format="q")[::-1],
    "read-only": nd([1, 2], shape=[2], format="q"),
    "suboffsets": nd([1, 2], shape=[2], format="q", flags=_testbuffer.ND_PIL),
    "memory of suboffsets": memoryview(nd([1, 2], shape=[2], format="q", flags=_testbuffer.ND_PIL)),
    "native": nd([1, 2], shape=[2], format="@l"),
    "standard": nd([1, 2], shape=[2], format="=q"),
    "little-endian": nd([1, 2], shape=[2], format="<i"),
    "size_t": nd([1, 2], shape=[2], format="N"),
    "array": array.array("H", [1, 2]),
    "cast": memoryview(bytes([1, 0, 2, 0])).cast("H"),
    "numpy, object": np.array([1, 2], dtype=object),
}


@pytest.mark.parametrize("name", TAKEN)
def test_buffers_of_integers_are_taken(name: str) -> None:
    f = bloomery.Filter(100, 1e-9)
    f.update(TAKEN[name])
    assert f.to_bytes() == filled(1, 2).to_bytes() and f.contains(TAKEN[name]).all()


REFUSED = {
    "no dimension": nd(5, shape=[], format="q"),
    "ctypes, no dimension": ctypes.c_int64(5),
    "numpy, no dimension": np.array(5),
    "two dimensions": nd(list(range(4)), shape=[2, 2], format="q"),
    "two of suboffsets": nd(list(range(4)), shape=[2, 2], format="q", flags=_testbuffer.ND_PIL),
    "memory of two of suboffsets": memoryview(nd(list(range(4)), shape=[2, 2], format="q", flags=_testbuffer.ND_PIL)),
    "ctypes, two dimensions": (ctypes.c_int64 * 2 * 2)(),
    "numpy, two dimensions": np.zeros((2, 2), dtype=int),
    "numpy, two dimensions of objects": np.array([[1, 2], [3, 4]], dtype=object),
    "numpy, two dimensions of text": np.array([["a", "b"], ["c", "d"]]),
    "bool": nd([True, False], shape=[2], format="?"),
    "ctypes, bool": (ctypes.c_bool * 2)(True, False),
    "half": np.zeros(2, dtype=np.float16),
    "float": nd([1.5, 2], shape=[2], format="f"),
    "ctypes, double": (ctypes.c_double * 2)(1, 2),
    "long double": np.zeros(2, dtype=np.longdouble),
    "complex": np.zeros(2, dtype=complex),
    "big-endian": nd([1, 2], shape=[2], format=">q"),
    "network order": nd([1, 2], shape=[2], format="!i"),
    "ctypes, big-endian": (ctypes.c_int64.__ctype_be__ * 2)(1, 2),
    "numpy, big-endian": np.array([1, 2], dtype=">u4"),
    "numpy, big-endian text": np.array(["a"], dtype=">U1"),
    "char": nd([b"a", b"b"], shape=[2], format="c"),
    "ctypes, char": (ctypes.c_char * 2)(b"a", b"b"),
    "ctypes, pointers": (ctypes.c_void_p * 2)(),
    "several fields": nd([(1, 2), (3, 4)], shape=[2], format="ii"),
    "bytes and an integer": nd([(b"abc", 2)], shape=[1], format="3si"),
    "numpy, fields": np.zeros(2, dtype=[("a", "i4"), ("b", "S4")]),
    "numpy, void": np.zeros(2, dtype="V4"),
    "numpy, dates": np.zeros(2, dtype="M8[s]"),
}


# Some of these were a ValueError, one read behind the elements as if they were bytes, and those of ctypes a crash.
@pytest.mark.parametrize("name", REFUSED)
def test_other_buffers_are_refused(name: str) -> None:
    f = filled("in")
    for call in (f.update, f.contains, f.test_and_update, f.hashes, f.add_exceptions, bloomery.build_ribbon):
        with pytest.raises(TypeError):
            call(REFUSED[name])
    for call in (f.add_hashes, f.contains_hashes, f.test_and_add_hashes):
        with pytest.raises(TypeError):
            call(REFUSED[name])
    assert f.inserted == 1


def test_the_bytes_of_a_filter_may_be_in_any_buffer() -> None:
    data = filled(1, 2).to_bytes()
    raw = multiprocessing.RawArray("B", len(data))
    raw[:] = data
    for buffer in (bytearray(data), memoryview(data), array.array("B", data), np.frombuffer(data, dtype=np.uint8), raw,
                   (ctypes.c_char * len(data)).from_buffer_copy(data), nd(list(data), shape=[len(data)], format="B")):
        assert bloomery.Filter.from_bytes(buffer).contains([1, 2, 3]).tolist() == [True, True, False]
    for wrong in (5, "text", None, [1, 2], ctypes.c_int64(5)):
        with pytest.raises((TypeError, ValueError)):
            bloomery.Filter.from_bytes(wrong)


def test_hashes_of_other_shapes_are_refused() -> None:
    f = filled()
    for wrong in (nd([1, 2], shape=[2], format="Q"), nd(list(range(6)), shape=[2, 3], format="Q"), (ctypes.c_uint64 * 2)(),
                  (ctypes.c_uint64 * 2 * 2 * 2)(), (ctypes.c_int64 * 2 * 2)(),
                  nd(list(range(4)), shape=[2, 2], format="Q", flags=_testbuffer.ND_PIL)):
        with pytest.raises(TypeError):
            f.add_hashes(wrong)
    assert f.inserted == 0


# NumPy keeps a mask beside the values. The masked ones were inserted.
def test_masked_values_are_refused_as_nulls_are() -> None:
    f = filled(1, 3)
    some = np.ma.masked_array([1, 2, 3], mask=[0, 1, 0])
    for call in (f.update, f.contains, f.test_and_update, f.hashes):
        with pytest.raises(ValueError, match="masked"):
            call(some)
    with pytest.raises(ValueError, match="masked"):
        f.add_hashes(np.ma.masked_array(f.hashes([7]), mask=True))
    for call in (lambda: f.update(list(some)), lambda: f.add(np.ma.masked), lambda: np.ma.masked in f):
        with pytest.raises(TypeError):
            call()
    assert 2 not in f and f.inserted == 3  # 1 again, from the list before the masked value
    assert f.contains(some.compressed()).all() and f.contains(np.ma.masked_array([1, 3])).all()
