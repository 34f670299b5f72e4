"""The key options of a filter: how a key becomes bytes, and its hash. Filters and ribbons share them."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any, Literal, TypedDict

KeyForm = Literal[
    "text", "hex", "int32", "int64", "utf16", "url", "cidr", "domain-suffix", "url-prefix", "timestamptz"
]
HashName = Literal["mix8-xxh3", "xxh3", "ready"]
TypeName = Literal[
    "blocked",
    "blocked:fast",
    "blocked:dense",
    "bloom",
    "counting",
    "quotient",
    "scalable",
    "windowed",
]


class KeyOptions(TypedDict, total=False):
    """Keyword arguments of Filter() and build_ribbon().

    key_form ...   how a str becomes a key, as the command's options of these names
    parts          of a composite key: how many a tuple has
    hash           "mix8-xxh3"; "xxh3", the hash of the command's filters, which only filters with it can be merged with;
                   "ready", for a filter whose keys are given as hashes alone
    seed           of the hash
    secret         16 bytes, for keys that strangers choose: generate_secret(). Ints then need key_form="int64"
    """

    key_form: KeyForm
    trim: bool
    ignore_case: bool
    sort_query: bool
    drop_tracking: bool
    parts: int
    hash: HashName
    seed: int
    secret: bytes | None


class StaticOptions(KeyOptions, total=False):
    """Keyword arguments of build_ribbon() and build_fuse().

    capacity   the number of distinct keys, for which the filter is planned; with 0 it is estimated
    memory     bytes, 1 << 30; what is more goes to nameless files in `spool`, a folder (".")
    threads    0 for as many as there are processors
    path       where the filter is written, and opened afterwards; with replace=True over another file
    progress   is called with the finished shards and all of them; what it raises stops the build
    key options   how a key becomes bytes, and its hash: KeyOptions
    """

    capacity: int
    memory: int
    spool: str | os.PathLike[str]
    threads: int
    path: str | os.PathLike[str] | None
    replace: bool
    progress: Callable[[int, int], object] | None


_DEFAULTS: dict[str, Any] = {
    "key_form": "text",
    "trim": False,
    "ignore_case": False,
    "sort_query": False,
    "drop_tracking": False,
    "parts": 1,
    "hash": "mix8-xxh3",
    "seed": 0,
    "secret": None,
}


def with_defaults(given: Mapping[str, Any]) -> dict[str, Any]:
    """Returns all key options. Raises TypeError for one that does not exist."""
    for name in given:
        if name not in _DEFAULTS:
            raise TypeError(f"expected a key option such as key_form or seed, found {name!r}")
    return {**_DEFAULTS, **given}


def split_static(given: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Returns all key options, and those of the given options that say how to build."""
    names = StaticOptions.__annotations__.keys() - KeyOptions.__annotations__.keys()
    building = {name: value for name, value in given.items() if name in names}
    return with_defaults({name: value for name, value in given.items() if name not in names}), building
