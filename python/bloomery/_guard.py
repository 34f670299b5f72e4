"""A guard: a filter, a cache and one load a key between a program and its database."""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import os
from collections.abc import Awaitable, Iterator
from typing import Any, Callable, Literal, TypeVar, Union

from . import _bloomery

_Key = TypeVar("_Key", bound=Union[str, bytes])
Mode = Literal["enforce", "shadow", "off"]


class Guard:
    """Reads rows of a table whose filter `bloomery feed postgres --file PATH` keeps current.

    A key that the filter denies is answered without the database, if the filter is known to be complete. Rows are cached,
    also that there is none. While a key is loaded, other readers of this process wait for that load. In all doubt the
    database is queried.

    path           the leased file
    secret         the secret of its keys, 16 bytes; None: the file PATH.key, if it exists
    cache_bytes    the size of the cache of rows
    keep           seconds that a row is cached: a change by another program is not seen as long
    absent_bytes   the size of the cache of keys without a row that passed the filter
    keep_absent    seconds that such a key is cached; at most `bound`
    load_deadline  seconds that a reader waits for another one's load, or for one of the loads_at_once
    bound          seconds that the filter may lag before it is no longer believed
    mode           "enforce"; "shadow": a no is counted, and the database is queried; "off": the filter is not used

    A key is the text of one column, as for LeasedFilter. A text that is no key by the file's rule is always loaded, and so
    are composite keys, whose filter this class cannot query. Threads may share a guard. A child of fork() must make its own.
    """

    def __init__(
        self,
        path: str | bytes | os.PathLike[str],
        *,
        secret: bytes | None = None,
        cache_bytes: int = 64 << 20,
        keep: float = 60.0,
        absent_bytes: int = 4 << 20,
        keep_absent: float = 0.5,
        load_deadline: float = 2.0,
        loads_at_once: int = 64,
        bound: float = 1.0,
        mode: Mode = "enforce",
    ) -> None:
        self._mode: Mode = mode
        self._loads_at_once = loads_at_once
        self._load_deadline = load_deadline
        self._pool: concurrent.futures.ThreadPoolExecutor | None = None
        options = {
            "cache_bytes": cache_bytes,
            "keep": keep,
            "absent_bytes": absent_bytes,
            "keep_absent": keep_absent,
            "load_deadline": load_deadline,
            "loads_at_once": loads_at_once,
            "bound": bound,
            "mode": mode,
        }
        self._native = _bloomery.NativeGuard(path, secret, options)

    def read(self, key: _Key, load: Callable[[_Key], bytes | None]) -> bytes | None:
        """Returns the row of a key, or None if there is none.

        `load(key)` queries the database and returns bytes or None. It runs in this thread, if at all. Its exception is
        raised here; readers that waited for it get an IoError. It must not read the same key of the guard.
        """
        return self._native.read(key, load)

    async def aread(self, key: _Key, aload: Callable[[_Key], Awaitable[bytes | None]]) -> bytes | None:
        """Reads as read() does, on a thread of a pool. `aload(key)` is awaited in this event loop.

        It is cancelled after `load_deadline`, and this call raises a TimeoutError.
        """
        loop = asyncio.get_running_loop()
        if self._pool is None:
            self._pool = concurrent.futures.ThreadPoolExecutor(2 * self._loads_at_once, "bloomery-guard")

        async def awaited(wanted: _Key) -> bytes | None:
            return await aload(wanted)

        def load(wanted: _Key) -> bytes | None:
            loading = asyncio.run_coroutine_threadsafe(awaited(wanted), loop)
            try:
                return loading.result(self._load_deadline)
            except concurrent.futures.TimeoutError:
                loading.cancel()
                raise TimeoutError(f"expected the row within {self._load_deadline} s") from None

        return await loop.run_in_executor(self._pool, self._native.read, key, load)

    @contextlib.contextmanager
    def write(self, key: str | bytes) -> Iterator[None]:
        """Surrounds a transaction that writes a row of a key, commit included.

        The key passes the filter from then on. At the end its cached row is removed, so that the next reader of this
        process sees the row.
        """
        write = self._native.write(key, True)
        try:
            yield
        finally:
            write.end()

    @contextlib.contextmanager
    def erase(self, key: str | bytes) -> Iterator[None]:
        """The same for a transaction that deletes a row."""
        write = self._native.write(key, False)
        try:
            yield
        finally:
            write.end()

    @property
    def mode(self) -> Mode:
        """May be changed at any time."""
        return self._mode

    @mode.setter
    def mode(self, mode: Mode) -> None:
        self._native.set_mode(mode)
        self._mode = mode

    @property
    def state(self) -> str:
        """Returns "active" while a no is believed, otherwise "cold", "loading" or "stale"."""
        return self._native.state()

    def metrics(self, **labels: Any) -> str:
        """Returns the counters in Prometheus' text form, each with the labels."""

        def escaped(value: object) -> str:
            return str(value).replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")

        return self._native.metrics(",".join(f'{name}="{escaped(value)}"' for name, value in labels.items()))
