"""Tables of HBase that are read."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, Union

from . import _bloomery
from ._cells import Cell

if TYPE_CHECKING:
    from typing_extensions import Self

# A family, or with a colon or as a tuple a column: "f", "f:q", ("f", "q").
Column = Union[bytes, str, tuple[Union[bytes, str], Union[bytes, str]]]


def place_of(column: Column) -> Any:
    """Returns a tuple of family and qualifier, or only a family. The name of a family has no colon."""
    if isinstance(column, str):
        family, colon, qualifier = column.partition(":")
        return (family, qualifier) if colon else family
    if isinstance(column, bytes):
        of_family, separator, of_column = column.partition(b":")
        return (of_family, of_column) if separator else of_family
    return column


def places_of(columns: Iterable[Column]) -> list[Any]:
    if isinstance(columns, (str, bytes)):
        raise TypeError("expected columns, found one str or bytes: pass a list")
    return [place_of(column) for column in columns]


def _request(
    columns: Iterable[Column], versions: int, since: int, until: int | None, filter: str | None
) -> dict[str, Any]:
    return {
        "columns": places_of(columns),
        "versions": versions,
        "since": since,
        "until": until,
        "filter": filter,
    }


class Table:
    """A table that HBase left on a disk: its directory, a snapshot, or a bulk-load directory.

    A column is "FAMILY", "FAMILY:QUALIFIER", or a tuple of family and qualifier. `filter` is in HBase's filter language.
    """

    def __init__(self, path: str | os.PathLike[str], *, accept_region_faults: bool = False) -> None:
        self._table: _bloomery.NativeTable | None = _bloomery.NativeTable(path, accept_region_faults)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *reason: object) -> None:
        self.close()

    def close(self) -> None:
        """Lets the files go. Scans that have begun keep them until they end."""
        self._table = None

    @property
    def closed(self) -> bool:
        return self._table is None

    def _open(self) -> _bloomery.NativeTable:
        if self._table is None:
            raise ValueError("expected an open table, found it closed")
        return self._table

    @property
    def warnings(self) -> list[str]:
        """What a user should know of the answers."""
        return self._open().warnings

    def get(
        self,
        row: bytes | str,
        *,
        columns: Iterable[Column] = (),
        versions: int = 1,
        since: int = 0,
        until: int | None = None,
        filter: str | None = None,
    ) -> list[Cell]:
        """Returns the cells of a row."""
        return self._open().get(row, _request(columns, versions, since, until, filter))

    def scan(
        self,
        start: bytes | str = b"",
        stop: bytes | str = b"",
        *,
        prefix: bytes | str | None = None,
        limit: int | None = None,
        reverse: bool = False,
        raw: bool = False,
        columns: Iterable[Column] = (),
        versions: int = 1,
        since: int = 0,
        until: int | None = None,
        filter: str | None = None,
    ) -> Iterator[Cell]:
        """Iterates over the cells of the rows from `start` on and before `stop`."""
        request = _request(columns, versions, since, until, filter)
        request.update(start=start, stop=stop, prefix=prefix, limit=limit, reverse=reverse, raw=raw)
        return self._open().scan(request)
