"""Membership filters: can this key be in there?

A *no* is certain. A *maybe* is wrong at a rate that you choose, the fpp.

>>> import bloomery
>>> f = bloomery.Filter(capacity=1000, fpp=0.001)
>>> f.add("a key")
>>> "a key" in f, "another" in f
(True, False)
>>> f.update(["b", b"bytes", 42, ("part", 2)])
>>> f.contains(["b", b"bytes", 42, ("part", 2), "c"]).tolist()
[True, True, True, True, False]

docs/python.md has the rest by example.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Literal

from . import _bloomery

_bloomery.require_main_interpreter()

from ._bloomery import Dialect, HFile, __version__, dialects, generate_secret, survive_cut_files
from ._cells import Cell
from ._errors import (
    CapacityError,
    CorruptionError,
    Error,
    FullError,
    InvalidArgumentError,
    IoError,
    NotFoundError,
    UnsupportedError,
)
from ._key_options import KeyOptions, with_defaults

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = [
    "CapacityError",
    "Cell",
    "CorruptionError",
    "Dialect",
    "Error",
    "Filter",
    "FullError",
    "HFile",
    "InvalidArgumentError",
    "IoError",
    "KeyOptions",
    "NotFoundError",
    "Table",
    "UnsupportedError",
    "__version__",
    "build_dialect",
    "build_ribbon",
    "dialects",
    "generate_secret",
    "open",
    "survive_cut_files",
]

# The class is made in C++, and completed here: a type checker reads the stubs instead.
_filter_class: Any = _bloomery.Filter
_native_init: Any = _bloomery.Filter.__init__


def _unpickled(data: bytes) -> Filter:
    return _bloomery.from_bytes(data)


def _init(
    self: Any,
    capacity: int | None = None,
    fpp: float | None = None,
    *,
    type: str = "blocked",
    bytes: int | None = None,
    bits_per_key: float | None = None,
    window: int | timedelta | None = None,
    generations: int = 4,
    growth_doublings: int = 0,
    exact_below: int = 0,
    **key_options: Unpack[KeyOptions],
) -> None:
    """Makes an empty filter.

    capacity, fpp     the distinct keys that it is for, and its fpp with them (default 0.001)
    bytes             instead of one of these: the most bytes that it takes
    type              "blocked", "blocked:dense", "bloom", "counting", "quotient", "scalable" or "windowed"
    window            of a windowed filter: a number of keys, or a timedelta
    key options       how a key becomes bytes, and its hash: KeyOptions

    >>> Filter(capacity=1000, fpp=0.01, type="quotient").can_remove
    True
    """
    if capacity is None and bytes is None and window is None:
        raise TypeError("expected a capacity, or bytes, or a window")
    if fpp is None and bits_per_key is None and not (bytes is not None and capacity):
        fpp = 0.001
    given = {
        "capacity": capacity or 0,
        "fpp": fpp,
        "type": type,
        "bytes": bytes,
        "bits_per_key": bits_per_key,
        "window": window,
        "generations": generations,
        "growth_doublings": growth_doublings,
        "exact_below": exact_below,
    }
    _native_init(self, {**given, **with_defaults(key_options)})


Filter = _bloomery.Filter
_filter_class.__init__ = _init
_filter_class.__module__ = "bloomery"
_filter_class.__reduce__ = lambda self: (_unpickled, (self.__getstate_bytes__(),))
_filter_class.__enter__ = lambda self: self
_filter_class.__exit__ = lambda self, *_: self.close()
_filter_class.from_bytes = staticmethod(_bloomery.from_bytes)
_filter_class.__repr__ = lambda self: (
    "<bloomery.Filter, closed>"
    if self.closed
    else f"<bloomery.Filter: {self.type}, {self.inserted} of {self.capacity} keys, fpp {self.target_fpp:g}>"
)


def open(
    path: str | os.PathLike[str],
    dialect: str | None = None,
    *,
    access: Literal["map", "copy"] = "map",
    verify: bool = True,
    secret: bytes | None = None,
    key_form: str | None = None,
) -> Any:
    """Opens a filter: a Filter, or with a dialect's name that of another system, a Dialect.

    The file is mapped, and its checksum is verified unless `verify` is False: then opening takes the same time whatever
    the size. Changes stay in memory until save(). `key_form` says how a str or an int becomes the key of a dialect.
    """
    if dialect is not None:
        if access != "map" or not verify or secret is not None:
            raise ValueError("expected neither access, verify nor secret with a dialect")
        return _bloomery.open_dialect(path, dialect, key_form)
    if key_form is not None:
        raise ValueError("expected no key_form without a dialect: the file records it")
    return _bloomery.open_filter(path, access, verify, secret)


def build_ribbon(
    keys: Iterable[Any],
    fpp: float = 0.001,
    *,
    capacity: int = 0,
    memory: int = 1 << 30,
    spool: str | os.PathLike[str] = ".",
    threads: int = 0,
    path: str | os.PathLike[str] | None = None,
    replace: bool = False,
    progress: Callable[[int, int], object] | None = None,
    **key_options: Unpack[KeyOptions],
) -> Filter:
    """Builds a ribbon, the static filter, from any number of keys.

    Memory stays below `memory` bytes: what is more goes to nameless files in `spool`. With `path` the filter is written
    there and opened. `progress` is called with the finished shards and all of them; what it raises stops the build.

    >>> ribbon = build_ribbon((f"user-{i}" for i in range(1000)), fpp=0.001)
    >>> "user-7" in ribbon, "nobody" in ribbon, ribbon.is_static
    (True, False, True)
    """
    options = with_defaults(key_options)
    return _bloomery.build_ribbon(
        keys, fpp, options, capacity, memory, spool, threads, path, replace, progress
    )


def build_dialect(
    name: str,
    keys: Iterable[str | bytes | int],
    *,
    capacity: int = 0,
    fpp: float | None = None,
    bits_per_key: float | None = None,
    key_form: str | None = None,
) -> Dialect:
    """Makes a filter in the bytes of another system.

    >>> java = build_dialect("guava", ["a", "b"], capacity=100, fpp=0.01)
    >>> "a" in java, "z" in java
    (True, False)
    """
    return _bloomery.build_dialect(name, keys, capacity, fpp, bits_per_key, key_form)


def _request(
    columns: Iterable[Any], versions: int, since: int, until: int | None, filter: str | None
) -> dict[str, Any]:
    return {
        "columns": list(columns),
        "versions": versions,
        "since": since,
        "until": until,
        "filter": filter,
    }


class Table:
    """A table that HBase left on a disk: its directory, a snapshot, or a bulk-load directory.

    A column is a family, or a tuple of family and qualifier. `filter` is in HBase's filter language.
    """

    def __init__(self, path: str | os.PathLike[str], *, accept_region_faults: bool = False) -> None:
        self._table = _bloomery.NativeTable(path, accept_region_faults)

    @property
    def warnings(self) -> list[str]:
        """What a user should know of the answers."""
        return self._table.warnings

    def get(
        self,
        row: bytes | str,
        *,
        columns: Iterable[Any] = (),
        versions: int = 1,
        since: int = 0,
        until: int | None = None,
        filter: str | None = None,
    ) -> list[Cell]:
        """Returns the cells of a row."""
        return self._table.get(row, _request(columns, versions, since, until, filter))

    def scan(
        self,
        start: bytes | str = b"",
        stop: bytes | str = b"",
        *,
        prefix: bytes | str | None = None,
        limit: int | None = None,
        reverse: bool = False,
        raw: bool = False,
        columns: Iterable[Any] = (),
        versions: int = 1,
        since: int = 0,
        until: int | None = None,
        filter: str | None = None,
    ) -> Iterator[Cell]:
        """Iterates over the cells of the rows from `start` on and before `stop`."""
        request = _request(columns, versions, since, until, filter)
        request.update(start=start, stop=stop, prefix=prefix, limit=limit, reverse=reverse, raw=raw)
        return self._table.scan(request)
