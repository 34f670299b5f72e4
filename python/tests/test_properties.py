"""A filter beside Python's set, with keys that hypothesis finds."""

from __future__ import annotations

import hypothesis.strategies as st
import numpy as np
from hypothesis import given, settings
from hypothesis.stateful import Bundle, RuleBasedStateMachine, invariant, rule

import bloomery

PARTS = st.one_of(st.text(), st.binary(), st.integers(-(2**63), 2**64 - 1))
# A tuple of one part is refused: test_key_rules.py.
KEYS = st.one_of(PARTS, st.tuples(PARTS, PARTS), st.lists(PARTS, min_size=2, max_size=4).map(tuple))
TYPES = st.sampled_from(["blocked", "bloom", "counting", "quotient", "scalable"])
# The texts without lone surrogates, which have no UTF-8.
KEYS = KEYS.filter(lambda key: "\ud800" not in repr(key))


def identity(key: object) -> object:
    """What makes two keys one: bytes and texts of the same bytes, integers of the same 64 bits."""
    if isinstance(key, str):
        return key.encode()
    if isinstance(key, int):
        return (key % 2**64).to_bytes(8, "little")
    if isinstance(key, tuple):
        out = b""
        for part in map(identity, key):
            size, head = len(part), b""
            while size >= 128:
                head, size = head + bytes([size % 128 + 128]), size // 128
            out += head + bytes([size]) + part
        return out
    return key


@settings(max_examples=150, deadline=None)
@given(TYPES, st.lists(KEYS, max_size=50), st.lists(KEYS, max_size=50))
def test_as_a_set(type_name: str, members: list, others: list) -> None:
    f = bloomery.Filter(100, 1e-9, type=type_name)
    known: set = set()
    for key in members:
        assert f.test_and_add(key) == (identity(key) not in known)
        known.add(identity(key))
    asked = members + others
    expected = [identity(key) in known for key in asked]
    assert f.contains(asked).tolist() == expected == [key in f for key in asked]
    assert bloomery.Filter.from_bytes(f.to_bytes()).contains(asked).tolist() == expected
    g = bloomery.Filter(100, 1e-9, type=type_name)
    g.update(others)
    assert (f | g).contains(asked).all()


@settings(max_examples=100, deadline=None)
@given(st.lists(st.integers(-(2**31), 2**31 - 1), max_size=300), st.integers(1, 5), st.booleans())
def test_arrays_and_lists_are_one(values: list, step: int, narrow: bool) -> None:
    array = np.array(values, dtype=np.int32 if narrow else np.int64)[::step]
    by_array, by_list = bloomery.Filter(300, 1e-9), bloomery.Filter(300, 1e-9)
    by_array.update(array)
    by_list.update(values[::step])
    assert by_array.to_bytes() == by_list.to_bytes()
    assert by_array.contains(values).tolist() == by_list.contains(np.array(values, dtype=np.int64)).tolist()


class Multiset(RuleBasedStateMachine):
    """A quotient filter counts and removes as a dict of counts does."""

    keys = Bundle("keys")

    def __init__(self) -> None:
        super().__init__()
        self.filter = bloomery.Filter(200, 1e-9, type="quotient", growth_doublings=4)
        self.counts: dict = {}

    @rule(target=keys, key=PARTS.filter(lambda key: "\ud800" not in repr(key)))
    def new_key(self, key: object) -> object:
        return key

    @rule(key=keys)
    def add(self, key: object) -> None:
        self.filter.add(key)
        self.counts[identity(key)] = self.counts.get(identity(key), 0) + 1

    @rule(key=keys)
    def remove(self, key: object) -> None:
        count = self.counts.get(identity(key), 0)
        assert self.filter.remove(key) == (count > 0)
        self.counts[identity(key)] = max(count - 1, 0)

    @rule(key=keys)
    def ask(self, key: object) -> None:
        count = self.counts.get(identity(key), 0)
        assert (key in self.filter) == (count > 0) and self.filter.count_at_most(key) == count

    @rule()
    def round_trip(self) -> None:
        self.filter = bloomery.Filter.from_bytes(self.filter.to_bytes())

    @invariant()
    def inserted(self) -> None:
        assert self.filter.inserted == sum(self.counts.values())


Multiset.TestCase.settings = settings(max_examples=40, stateful_step_count=30, deadline=None)
TestMultiset = Multiset.TestCase
