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

import atexit
import copy as _copy
import functools
import os
import weakref
from collections.abc import Iterable
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Literal, TypeVar, overload

from . import _bloomery

_bloomery.require_main_interpreter()

from ._bloomery import Dialect, HFile, __version__, dialects, generate_secret, survive_cut_files
from ._cells import Cell
from ._errors import (
    AlreadyExistsError,
    CapacityError,
    CorruptionError,
    Error,
    FullError,
    InvalidArgumentError,
    IoError,
    NoPermissionError,
    NotFoundError,
    UnsupportedError,
)
from ._key_options import KeyForm, KeyOptions, StaticOptions, TypeName, split_static, with_defaults
from ._guard import Guard
from ._key_text import key_of
from ._leased import Answer, LeasedFilter, LeaseState
from ._store import Batch, Durability, Store, StoreOptions, StoreTable
from ._tables import Table

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = [
    "AlreadyExistsError",
    "Answer",
    "Batch",
    "CapacityError",
    "Cell",
    "CorruptionError",
    "Dialect",
    "Durability",
    "Error",
    "Filter",
    "FullError",
    "Guard",
    "HFile",
    "InvalidArgumentError",
    "IoError",
    "KeyOptions",
    "LeaseState",
    "LeasedFilter",
    "NoPermissionError",
    "NotFoundError",
    "StaticOptions",
    "Store",
    "StoreOptions",
    "StoreTable",
    "Table",
    "UnsupportedError",
    "__version__",
    "build_dialect",
    "build_fuse",
    "build_ribbon",
    "dialects",
    "generate_secret",
    "key_of",
    "open",
    "survive_cut_files",
]

# The class is made in C++, and completed here: a type checker reads the stubs instead.
_filter_class: Any = _bloomery.Filter
_native_init: Any = _bloomery.Filter.__init__
_dialect_class: Any = _bloomery.Dialect
_AnyFilter = TypeVar("_AnyFilter", bound=_bloomery.Filter)


def _of_class(kind: type[_AnyFilter], made: Any) -> _AnyFilter:
    """Returns a filter as one of a derived class, whose __init__ is not called."""
    if type(made) is kind:
        return made
    derived = kind.__new__(kind)
    _native_init(derived, made)
    return derived


def _unpickled(kind: type[_AnyFilter], data: bytes) -> _AnyFilter:
    return _of_class(kind, _bloomery.from_bytes(data))


def _reduced(self: Any) -> tuple[Any, ...]:
    return _unpickled, (type(self), self.__getstate_bytes__()), getattr(self, "__dict__", None)


def _copied(self: Any) -> Any:
    """Returns a filter of the same class with the same keys and attributes."""
    copied = _of_class(type(self), self._native_copy())
    if hasattr(self, "__dict__"):
        copied.__dict__.update(self.__dict__)
    return copied


def _deeply_copied(self: Any, memo: dict[int, Any]) -> Any:
    copied = _of_class(type(self), self._native_copy())
    memo[id(self)] = copied
    if hasattr(self, "__dict__"):
        copied.__dict__.update(_copy.deepcopy(self.__dict__, memo))
    return copied


def _united(self: Any, other: Any) -> Any:
    if not isinstance(other, _bloomery.Filter):
        return NotImplemented
    united = _copied(self)
    united.merge(other)
    return united


def _from_bytes(cls: type[_AnyFilter], data: Any, secret: bytes | None = None) -> _AnyFilter:
    """Opens the bytes of a filter: those of to_bytes(), or of a file."""
    return _of_class(cls, _bloomery.from_bytes(data, secret))


@functools.lru_cache(maxsize=64)
def _plan_for_bytes(*given: tuple[str, Any]) -> dict[str, Any]:
    """Returns a plan of so many bytes. It is searched, so those of the last filters are kept."""
    return _bloomery.plan_for_bytes({**dict(given), **with_defaults({})})


def _init(
    self: Any,
    capacity: int | None = None,
    fpp: float | None = None,
    *,
    type: TypeName = "blocked",
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
    if _bloomery.is_made(self):
        raise TypeError("expected one call of __init__, found another: make another Filter")
    if capacity is None and bytes is None and window is None:
        raise TypeError("expected a capacity, or bytes, or a window")
    if fpp is None and bits_per_key is None and not (bytes is not None and capacity):
        fpp = _bloomery.DEFAULT_FPP
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
    if bytes is not None:
        try:
            given.update(_plan_for_bytes(*given.items()))
        except TypeError:  # an argument that is no number: the plan says which one
            pass
        else:
            given.update(bytes=None, fpp=None if given["bits_per_key"] is not None else fpp)
    _native_init(self, {**given, **with_defaults(key_options)})


Filter = _bloomery.Filter
_filter_class.__init__ = _init
_filter_class.__module__ = "bloomery"
_filter_class.__reduce__ = _reduced
_filter_class.__copy__ = _copied
_filter_class.__deepcopy__ = _deeply_copied
_filter_class.copy = _copied
_filter_class.__or__ = _united
_filter_class.__enter__ = lambda self: self
_filter_class.__exit__ = lambda self, *_: self.close()
_filter_class.from_bytes = classmethod(_from_bytes)
_filter_class.__repr__ = lambda self: (
    "<bloomery.Filter, closed>"
    if self.closed
    else f"<bloomery.Filter: {self.type}, {self.inserted} of {self.capacity} keys, fpp {self.target_fpp:g}>"
)


def _dialect_from_bytes(data: bytes, name: str, key_form: str | None) -> Dialect:
    return _bloomery.dialect_from_bytes(data, name, key_form)


_dialect_class.__reduce__ = lambda self: (
    _dialect_from_bytes,
    (self.to_bytes(), self.dialect, self.key_form),
)
_dialect_class.__enter__ = lambda self: self
_dialect_class.__exit__ = lambda self, *_: self.close()
_dialect_class.__repr__ = lambda self: (
    "<bloomery.Dialect, closed>" if self.closed else f"<bloomery.Dialect: {self.dialect}>"
)

_hfile_class: Any = _bloomery.HFile
_hfile_class.__enter__ = lambda self: self
_hfile_class.__exit__ = lambda self, *_: self.close()

# The filters that change their file. One that nobody closes would leave it marked dirty.
_updating: weakref.WeakSet[Any] = weakref.WeakSet()


@atexit.register
def _end_updates() -> None:
    for updated in list(_updating):
        updated.close()


@overload
def open(
    path: str | bytes | os.PathLike[str],
    dialect: None = None,
    *,
    access: Literal["map", "copy", "update"] = "map",
    verify: bool = True,
    secret: bytes | None = None,
    timeout: float | None = None,
) -> Filter: ...
@overload
def open(
    path: str | bytes | os.PathLike[str], dialect: str, *, key_form: KeyForm | None = None
) -> Dialect: ...
def open(
    path: str | bytes | os.PathLike[str],
    dialect: str | None = None,
    *,
    access: Literal["map", "copy", "update"] = "map",
    verify: bool = True,
    secret: bytes | None = None,
    key_form: KeyForm | None = None,
    timeout: float | None = None,
) -> Filter | Dialect:
    """Opens a filter: a Filter, or with a dialect's name that of another system, a Dialect.

    The file is mapped, and its checksum is verified unless `verify` is False: then opening takes the same time whatever
    the size. Changes stay in memory until save(). `key_form` says how a str or an int becomes the key of a dialect.

    With access="update" the changes go to the file, as those of `bloomery add` do: it is locked until close(), which
    brings it up to date. Opening waits for the lock, at most `timeout` seconds.
    """
    if dialect is not None:
        if access != "map" or not verify or secret is not None or timeout is not None:
            raise ValueError("expected neither access, verify, secret nor timeout with a dialect")
        return _bloomery.open_dialect(path, dialect, key_form)
    if key_form is not None:
        raise ValueError("expected no key_form without a dialect: the file records it")
    if timeout is not None and access != "update":
        raise ValueError('expected a timeout with access="update" alone')
    opened = _bloomery.open_filter(path, access, verify, secret, timeout)
    if access == "update":
        _updating.add(opened)
    return opened


def build_ribbon(
    keys: Iterable[Any],
    fpp: float = _bloomery.DEFAULT_FPP,
    **options: Unpack[StaticOptions],
) -> Filter:
    """Builds a ribbon, the static filter, from any number of keys.

    Memory stays below the bytes of the option `memory`. StaticOptions has all options and their defaults.

    >>> ribbon = build_ribbon((f"user-{i}" for i in range(1000)), fpp=0.001)
    >>> "user-7" in ribbon, "nobody" in ribbon, ribbon.is_static
    (True, False, True)
    """
    key_options, building = split_static(options)
    return _bloomery.build_static("ribbon", keys, fpp, key_options, **building)


def build_fuse(
    keys: Iterable[Any],
    fpp: float = _bloomery.DEFAULT_FPP,
    *,
    dense: bool = False,
    **options: Unpack[StaticOptions],
) -> Filter:
    """Builds a fuse filter: static as a ribbon, a little larger, and faster to query.

    The fpp is 2^-b, with b from 4 to 32; another one is rounded down. With `dense` a key has four cells instead of
    three, which needs 5 per cent less memory. The other options are those of build_ribbon().

    >>> fuse = build_fuse((f"user-{i}" for i in range(1000)), fpp=2**-10)
    >>> "user-7" in fuse, "nobody" in fuse, fuse.is_static
    (True, False, True)
    """
    key_options, building = split_static(options)
    return _bloomery.build_static("fuse:dense" if dense else "fuse", keys, fpp, key_options, **building)


def build_dialect(
    name: str,
    keys: Iterable[Any],
    *,
    capacity: int = 0,
    fpp: float | None = None,
    bits_per_key: float | None = None,
    key_form: KeyForm | None = None,
) -> Dialect:
    """Makes a filter in the bytes of another system.

    >>> java = build_dialect("guava", ["a", "b"], capacity=100, fpp=0.01)
    >>> "a" in java, "z" in java
    (True, False)
    """
    return _bloomery.build_dialect(name, keys, capacity, fpp, bits_per_key, key_form)
