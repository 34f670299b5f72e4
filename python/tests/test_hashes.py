"""Ready hashes: what one filter hashed, any other with the same hash takes."""

from __future__ import annotations

import numpy as np
import pytest

import bloomery


def filled(**options: object) -> bloomery.Filter:
    return bloomery.Filter(1000, 1e-6, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("type", ["blocked", "blocked:dense", "bloom", "counting", "quotient", "scalable"])
def test_hashes_stand_for_their_keys(type: str) -> None:
    keys = [f"key-{i}" for i in range(500)]
    first, second = filled(type=type), filled(type=type)
    hashes = first.hashes(keys)
    assert hashes.shape == (500, 2) and hashes.dtype == np.uint64
    second.add_hashes(hashes)
    first.update(keys)
    assert second.to_bytes() == first.to_bytes()
    assert second.contains(keys).all() and first.contains_hashes(hashes).all()
    assert not second.contains_hashes(first.hashes([f"other-{i}" for i in range(500)])).any()
    assert not second.test_and_add_hashes(hashes).any()


def test_hashes_are_those_of_single_keys_and_of_arrays() -> None:
    f = filled()
    for keys in (np.arange(700, dtype=np.uint64), np.arange(-9, 700, dtype=np.int16)[::3],
                 np.array([b"a", b"", b"b\0c"] * 300, dtype="S16")):
        one_by_one = f.hashes([key for key in keys.tolist()])
        assert (f.hashes(keys) == one_by_one).all()


def test_answers_of_hashes_say_which_were_new_and_removed() -> None:
    f = filled(type="quotient")
    hashes = f.hashes(range(100))
    assert f.test_and_add_hashes(hashes[:50]).all()
    assert f.test_and_add_hashes(hashes).tolist() == [False] * 50 + [True] * 50
    assert f.remove_hashes(hashes[90:]).all()
    assert f.contains(range(100)).tolist() == [True] * 90 + [False] * 10
    with pytest.raises(ValueError, match="removes"):
        filled().remove_hashes(hashes)


def test_hashes_may_be_strided_reversed_and_read_only() -> None:
    f = filled()
    hashes = f.hashes(range(1000))
    hashes.setflags(write=False)
    f.add_hashes(hashes[::-2])
    assert f.contains(range(1, 1000, 2)).all()
    wide = np.zeros((1000, 4), dtype=np.uint64)
    wide[:, ::2] = hashes
    assert f.contains_hashes(wide[:, ::2]).tolist() == f.contains_hashes(hashes).tolist()
    assert f.contains_hashes(np.empty((0, 2), dtype=np.uint64)).shape == (0,)


def test_a_filter_of_ready_hashes_takes_digests_of_64_bits() -> None:
    f = filled(hash="ready")
    digests = np.random.default_rng(7).integers(0, 2**64, 1000, dtype=np.uint64)
    f.add_hashes(digests)
    assert f.contains_hashes(digests).all()
    reopened = bloomery.Filter.from_bytes(f.to_bytes())
    assert reopened.contains_hashes(digests[::2]).all()
    assert not reopened.contains_hashes(~digests).any()
    for call in (f.add, f.__contains__, f.test_and_add):
        with pytest.raises(ValueError, match="ready hashes"):
            call("a key")
    for batch in (f.update, f.contains, f.hashes):
        with pytest.raises(ValueError, match="ready hashes"):
            batch(["a key"])


@pytest.mark.parametrize("wrong", [
    np.zeros((3, 2), dtype=np.int64), np.zeros((3, 2), dtype=np.uint32), np.zeros((3, 2)),
    np.zeros((3, 2), dtype=">u8"), np.zeros((3, 3), dtype=np.uint64), np.zeros((2, 2, 2), dtype=np.uint64),
    np.zeros(4, dtype=np.uint64), [[1, 2]], "text", None, 7, b"0123456789abcdef",
])
def test_other_arrays_are_errors(wrong: object) -> None:
    f = filled()
    for call in (f.add_hashes, f.contains_hashes, f.test_and_add_hashes, f.remove_hashes):
        with pytest.raises((TypeError, ValueError)):
            call(wrong)  # type: ignore[arg-type]
    assert f.inserted == 0


def test_a_full_filter_and_a_static_one_refuse_hashes() -> None:
    small = bloomery.Filter(10, 0.01, type="quotient")
    with pytest.raises(bloomery.FullError):
        small.add_hashes(small.hashes(range(10_000)))
    ribbon = bloomery.build_ribbon(["a"])
    with pytest.raises(ValueError, match="ribbon"):
        ribbon.add_hashes(small.hashes(["a"]))
    assert ribbon.contains_hashes(ribbon.hashes(["a"])).all()
    small.close()
    with pytest.raises(ValueError, match="closed"):
        small.contains_hashes(np.zeros((1, 2), dtype=np.uint64))


def test_a_block_list_takes_no_hashes_since_they_lack_its_levels() -> None:
    networks = filled(key_form="cidr")
    hashes = filled().hashes(["10.0.0.0/8"])
    for call in (networks.add_hashes, networks.contains_hashes, networks.test_and_add_hashes):
        with pytest.raises(ValueError, match="block list"):
            call(hashes)
    with pytest.raises(ValueError, match="block list"):
        networks.hashes(["10.0.0.0/8"])


def test_key_options_that_do_not_exist_are_errors() -> None:
    for make in (lambda: bloomery.Filter(10, keyform="hex"), lambda: bloomery.build_ribbon([], form="hex")):
        with pytest.raises(TypeError, match="key option"):
            make()
