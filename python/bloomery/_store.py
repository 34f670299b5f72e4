"""Stores: tables of HBase that this process writes."""

from __future__ import annotations

import atexit
import os
import weakref
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Literal, TypedDict, Union

from . import _bloomery
from ._tables import Column, Table, place_of, places_of

if TYPE_CHECKING:
    from typing_extensions import Self, Unpack

class StoreOptions(TypedDict, total=False):
    """Keyword arguments of Store.create() and Store.open().

    flush_bytes      a region with so many bytes in memory is written to files
    memory_bytes     the most bytes in memory, at which writers wait
    cache_bytes      the size of the cache of blocks that are read
    flush_at_close   False leaves what is in memory in the log, for the next open()
    """

    flush_bytes: int
    memory_bytes: int
    cache_bytes: int
    flush_at_close: bool


_DEFAULT_OPTIONS: StoreOptions = {
    "flush_bytes": 128 << 20,
    "memory_bytes": 512 << 20,
    "cache_bytes": 0,
    "flush_at_close": True,
}

Durability = Literal["USE_DEFAULT", "SKIP_WAL", "ASYNC_WAL", "SYNC_WAL", "FSYNC_WAL"]
Text = Union[bytes, str]

# HBase's numbers of the kinds of changes.
_PUT = 4
_DELETE = 8
_DELETE_FAMILY_VERSION = 10
_DELETE_COLUMN = 12
_DELETE_FAMILY = 14

# Row, family, qualifier, timestamp, kind, value.
_Change = tuple[Text, Text, Text, Union[int, None], int, Text]


def _one_column(column: Column) -> tuple[Text, Text]:
    place = place_of(column)
    if not isinstance(place, tuple) or len(place) != 2:
        raise ValueError(f"expected a column 'FAMILY:QUALIFIER' or (FAMILY, QUALIFIER), found {column!r}")
    return place


def _put(row: Text, data: Mapping[Any, Text], timestamp: int | None) -> list[_Change]:
    return [(row, *_one_column(column), timestamp, _PUT, value) for column, value in data.items()]


def _delete(
    row: Text, columns: Iterable[Column], timestamp: int | None, one_version: bool
) -> list[_Change]:
    changes: list[_Change] = []
    for place in places_of(columns):
        if isinstance(place, tuple):
            kind = _DELETE if one_version else _DELETE_COLUMN
            changes.append((row, *_one_column(place), timestamp, kind, b""))
        else:
            kind = _DELETE_FAMILY_VERSION if one_version else _DELETE_FAMILY
            changes.append((row, place, b"", timestamp, kind, b""))
    return changes


class Batch:
    """Changes of a table that are written together: StoreTable.batch() makes one."""

    def __init__(self, table: StoreTable) -> None:
        self._table = table
        self._changes: list[_Change] = []

    def __len__(self) -> int:
        return len(self._changes)

    def put(self, row: Text, data: Mapping[Any, Text], timestamp: int | None = None) -> None:
        """As StoreTable.put()."""
        self._changes += _put(row, data, timestamp)

    def delete(
        self,
        row: Text,
        columns: Iterable[Column] | None = None,
        timestamp: int | None = None,
        *,
        one_version: bool = False,
    ) -> None:
        """As StoreTable.delete()."""
        families = self._table.families if columns is None else columns
        self._changes += _delete(row, families, timestamp, one_version)

    def send(self) -> None:
        """Writes the changes now. The batch is then empty."""
        changes, self._changes = self._changes, []
        self._table._mutate(changes)


class StoreTable(Table):
    """A table of a store: Store.table() opens it. get() and scan() see every write that has returned.

    A row, a value and a column are bytes or str, which is its UTF-8. A column is "FAMILY:QUALIFIER", or a tuple of
    both. A write is as durable as the table was opened for. Threads may share a table.
    """

    def __init__(self, store: Store, native: _bloomery.NativeStoreTable, durability: Durability) -> None:
        self._store = store
        self._native = native
        self._durability = durability
        self._table = native.reader

    def _open(self) -> _bloomery.NativeTable:
        self._store._open()
        return super()._open()

    @property
    def closed(self) -> bool:
        return self._store.closed or super().closed

    def _writer(self) -> _bloomery.NativeStoreTable:
        self._open()
        return self._native

    def _mutate(self, changes: Iterable[_Change]) -> None:
        self._writer().mutate(tuple(changes), self._durability)

    @property
    def name(self) -> str:
        return self._writer().name

    @property
    def families(self) -> list[str]:
        return self._writer().families

    def put(self, row: Text, data: Mapping[Any, Text], timestamp: int | None = None) -> None:
        """Writes values of a row: {"f:q": value}. The timestamp is in milliseconds; the default is now."""
        self._mutate(_put(row, data, timestamp))

    def delete(
        self,
        row: Text,
        columns: Iterable[Column] | None = None,
        timestamp: int | None = None,
        *,
        one_version: bool = False,
    ) -> None:
        """Deletes columns and families of a row, or the entire row.

        It deletes all versions up to the timestamp. With `one_version` it deletes only the version of that timestamp,
        and without a timestamp the newest version of each column.
        """
        families = self.families if columns is None else columns
        self._mutate(_delete(row, families, timestamp, one_version))

    def increment(self, row: Text, column: Column, amount: int = 1) -> int:
        """Adds to a column of 8 bytes, big-endian, or makes it. Returns the new number."""
        return self._writer().increment(row, *_one_column(column), amount, self._durability)

    def append(self, row: Text, column: Column, value: Text) -> bytes:
        """Appends to a column's value, or makes it. Returns the new value."""
        return self._writer().append(row, *_one_column(column), value, self._durability)

    def check_and_put(
        self,
        row: Text,
        column: Column,
        expected: Text | None,
        data: Mapping[Any, Text],
        timestamp: int | None = None,
    ) -> bool:
        """Puts into the row if a column has the expected value, as one step. Returns True if it did.

        None is expected of a column that is absent or empty.
        """
        return self._check_and_mutate(row, column, expected, _put(row, data, timestamp))

    def check_and_delete(
        self,
        row: Text,
        column: Column,
        expected: Text | None,
        columns: Iterable[Column] | None = None,
        timestamp: int | None = None,
    ) -> bool:
        """Deletes as delete() if a column has the expected value, as one step. Returns True if it did."""
        families = self.families if columns is None else columns
        return self._check_and_mutate(row, column, expected, _delete(row, families, timestamp, False))

    def _check_and_mutate(
        self, row: Text, column: Column, expected: Text | None, changes: list[_Change]
    ) -> bool:
        place = _one_column(column)
        return self._writer().check_and_mutate(row, *place, expected, tuple(changes), self._durability)

    @contextmanager
    def batch(self) -> Iterator[Batch]:
        """Collects changes, and writes them at the end of the `with`. After an exception it writes nothing.

        The changes of each region are applied together or not at all, and a table without splits has one region.
        """
        batch = Batch(self)
        yield batch
        batch.send()

    def flush(self) -> None:
        """Writes what the table has in memory to files."""
        self._writer().flush()


class Store:
    """A directory of tables that this process writes: docs/store.md. It is a root directory of HBase.

    Store.create() and Store.open() make one. Other processes may read its tables meanwhile, with Table. A child of
    fork has it closed.
    """

    _native: _bloomery.NativeStore | None

    def __init__(self) -> None:
        raise TypeError("expected Store.create(path) or Store.open(path), found Store()")

    @classmethod
    def _opened(cls, path: Any, is_new: bool, options: Mapping[str, Any]) -> Self:
        unknown = sorted(options.keys() - _DEFAULT_OPTIONS.keys())
        if unknown:
            raise TypeError(f"expected options of StoreOptions, found {', '.join(unknown)}")
        self = cls.__new__(cls)
        self._native = _bloomery.NativeStore(path, is_new, {**_DEFAULT_OPTIONS, **options})
        _open_stores.add(self)
        return self

    @classmethod
    def create(cls, path: str | bytes | os.PathLike[str], **options: Unpack[StoreOptions]) -> Self:
        """Makes a store in a new or an empty directory, and opens it."""
        return cls._opened(path, True, options)

    @classmethod
    def open(cls, path: str | bytes | os.PathLike[str], **options: Unpack[StoreOptions]) -> Self:
        """Opens a store. If another process has it open, this is an IoError with errno EWOULDBLOCK."""
        return cls._opened(path, False, options)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *reason: object) -> None:
        self.close()

    def _open(self) -> _bloomery.NativeStore:
        if self._native is None:
            raise ValueError("expected an open store, found it closed")
        return self._native

    @property
    def closed(self) -> bool:
        return self._native is None

    @property
    def tables(self) -> list[str]:
        """The names of the tables; those of other namespaces are "NAMESPACE:NAME"."""
        return self._open().tables

    def create_table(
        self,
        name: str,
        families: Iterable[str] | Mapping[str, Mapping[str, object]],
        *,
        splits: Iterable[Text] = (),
        durability: Durability = "USE_DEFAULT",
    ) -> StoreTable:
        """Makes a table, and opens it.

        Families may have HBase's attributes: {"f": {"VERSIONS": 3, "BLOOMFILTER": "ROWCOL"}}. `splits` are the first
        rows of more regions, ascending.
        """
        if isinstance(families, str):
            raise TypeError("expected families, found one str: pass a list")
        pairs: Iterable[tuple[str, Mapping[str, object]]] = (
            families.items() if isinstance(families, Mapping) else [(family, {}) for family in families]
        )
        schema = [(family, [(key, str(value)) for key, value in of.items()]) for family, of in pairs]
        made = self._open().create_table(name, schema, list(splits))
        return StoreTable(self, made, durability)

    def table(self, name: str, *, durability: Durability = "USE_DEFAULT") -> StoreTable:
        """Opens a table. Its writes are as durable as HBase's name says, when they return.

        FSYNC_WAL   on the disk: survives a power loss
        SYNC_WAL    handed to the operating system: survives the process
        ASYNC_WAL   on the disk within a second
        SKIP_WAL    in memory only, until it is flushed
        USE_DEFAULT what the table's attribute DURABILITY says; without one FSYNC_WAL
        """
        return StoreTable(self, self._open().table(name), durability)

    def drop_table(self, name: str) -> None:
        """Removes a table and its files."""
        self._open().drop_table(name)

    def truncate_table(self, name: str) -> None:
        """Removes the rows of a table. Open it again to write to it."""
        self._open().truncate_table(name)

    def health(self) -> None:
        """Raises the error that made the store read-only, if any. It is writable again when it is opened again."""
        self._open().health()

    def close(self) -> None:
        """Writes what is in memory to files, and closes the store. Its tables are closed with it."""
        if self._native is not None:
            native, self._native = self._native, None
            _open_stores.discard(self)
            native.close()


_open_stores: weakref.WeakSet[Store] = weakref.WeakSet()


@atexit.register
def _close_all() -> None:
    for store in list(_open_stores):
        store.close()


def _forget_all() -> None:
    """In a child of fork: the files and the lock are the parent's, and its background thread is not there."""
    for store in list(_open_stores):
        if store._native is not None:
            store._native.forget()
        store._native = None


os.register_at_fork(after_in_child=_forget_all)
