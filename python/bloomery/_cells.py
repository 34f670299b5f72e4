"""Cells of HBase's files and tables."""

from __future__ import annotations

from typing import NamedTuple


class Cell(NamedTuple):
    """A cell. `type` is HBase's number: 4 is a put."""

    row: bytes
    family: bytes
    qualifier: bytes
    timestamp: int
    type: int
    value: bytes
