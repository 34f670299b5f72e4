"""Leased files: filters that a feeder in another process keeps current."""

from __future__ import annotations

import enum
import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple, Union

import numpy as np

from . import _bloomery

if TYPE_CHECKING:
    import numpy.typing as npt

# The text of a key, as str or as its bytes in UTF-8. A composite key is a tuple of them.
LeasedKey = Union[str, bytes, tuple[Union[str, bytes], ...]]


class Answer(enum.IntEnum):
    """The answer of a leased file. Only NO is false, and only NO says that the key is absent."""

    NO = 0
    """There was no such row at least the feeder's bound ago."""
    MAYBE = 1
    """The filter may have the key."""
    NO_LEASE = 2
    """Maybe: the lease is over, or the filter is not complete or damaged."""


_ANSWERS = tuple(Answer)


class LeaseState(NamedTuple):
    """The state of a leased file at one moment.

    holds        a NO counts
    remaining    seconds until the lease expires; 0: it is over
    complete_at  while it holds: the filter has every row committed before this moment of time.CLOCK_BOOTTIME
    generation   of the filter that answers; 0: none was complete yet
    position     how far the source was followed: in PostgreSQL's log, an LSN
    """

    holds: bool
    remaining: float
    complete_at: float
    generation: int
    position: int


class LeasedFilter:
    """A filter in a file that `bloomery feed postgres --file PATH` keeps current, for any number of processes.

    A key is the text of a row's column: key_of(value) makes it from an int, a UUID, a datetime and so on.

    path    the file; it may have no complete filter yet
    secret  the secret of its keys, 16 bytes; None: the file PATH.key, if it exists

    The filter may miss rows that were committed within the feeder's bound, five seconds by default. When the lease is
    over, or a file is damaged, every answer is Answer.NO_LEASE. A text that is no key by the file's rule is an error and
    never a *no*. Threads may share the object, and a child of fork() opens the file again.
    """

    def __init__(
        self, path: str | bytes | os.PathLike[str], *, secret: bytes | None = None
    ) -> None:
        self._native = _bloomery.NativeLeasedFilter(path, secret)
        self._path = path

    def answer(self, key: LeasedKey) -> Answer:
        """Returns Answer.NO, MAYBE or NO_LEASE. Query the database unless it is NO."""
        return _ANSWERS[self._native.answer(key)]

    def answers(self, keys: Iterable[LeasedKey]) -> npt.NDArray[np.uint8]:
        """Returns an array with the number of each key's answer. The GIL is released meanwhile."""
        return np.frombuffer(self._native.answers(keys), dtype=np.uint8)

    def __contains__(self, key: LeasedKey) -> bool:
        return self._native.answer(key) != Answer.NO

    @property
    def state(self) -> LeaseState:
        holds, remaining, complete_at, generation, position = self._native.state()
        return LeaseState(holds, remaining / 1e9, complete_at / 1e9, generation, position)

    def __repr__(self) -> str:
        state = self.state
        lease = f"lease for {state.remaining:.1f} s" if state.holds else "no lease"
        return f"<bloomery.LeasedFilter: {os.fsdecode(self._path)}, {lease}>"
