"""A leased file as docs/formats/leased-file.md describes it, written without a feeder."""

from __future__ import annotations

import mmap
import pathlib
import struct
import time
import uuid

import bloomery

GENERATION, DEADLINE, BOUND, POSITION = 32, 40, 48, 56
BOUND_NS = 60 * 10**9


def now_ns() -> int:
    return time.clock_gettime_ns(time.CLOCK_BOOTTIME)


class LeasedPage:
    """A page without a filter and without a lease."""

    def __init__(self, path: pathlib.Path) -> None:
        self.path = path
        boot = uuid.UUID(pathlib.Path("/proc/sys/kernel/random/boot_id").read_text().strip()).bytes
        path.write_bytes((b"BLMYLEAS" + struct.pack("<II", 1, 4096) + boot).ljust(4096, b"\0"))
        with path.open("r+b") as file:
            self.page = mmap.mmap(file.fileno(), 4096)
        self.set(BOUND, BOUND_NS)

    def set(self, offset: int, number: int) -> None:
        self.page[offset : offset + 8] = struct.pack("<Q", number)

    def filter_path(self, generation: int) -> pathlib.Path:
        return self.path.with_name(f"{self.path.name}.{generation}")

    def put_filter(self, generation: int, keys: list, **options) -> None:
        """Replaces the filter. The lease is over until renew()."""
        if "secret" not in options:
            options["hash"] = "xxh3"
        f = bloomery.Filter(1000, 1e-6, **options)
        f.update(keys)
        f.save(self.filter_path(generation), replace=True)
        self.set(DEADLINE, 0)
        self.set(GENERATION, generation)

    def renew(self, ns: int = BOUND_NS) -> None:
        self.set(DEADLINE, now_ns() + ns)
