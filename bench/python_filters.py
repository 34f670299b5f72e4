#!/usr/bin/env python3
"""What the Python package costs, beside rbloom, pybloom-live, pyprobables and a set of xxhash digests.

    python bench/python_filters.py [KEYS]       200,000 keys unless told, at fpp 0.001

Needs the packages of python/requirements-bench.txt beside bloomery. Each package is given the same keys: integers
(NumPy's uint64), 16 bytes (NumPy's S16) and a list of str. A package without batches is called once a key, from a list of
Python's own objects, whose making is not counted. Prints millions of calls a second, the best of three; bytes a key, the
measured fpp over as many absent keys, and the time to open a file of 100 MB with and without its checksum. pyprobables is
given a tenth of the keys.
"""

from __future__ import annotations

import os
import platform
import sys
import tempfile
import time

import numpy as np
import probables
import pybloom_live
import rbloom
import xxhash

import bloomery

FPP = 0.001


def best(work, make=lambda: None, runs: int = 3) -> float:
    """Returns the seconds of the fastest run of work(made)."""
    least = float("inf")
    for _ in range(runs):
        made = make()
        start = time.perf_counter()
        work(made)
        least = min(least, time.perf_counter() - start)
    return least


class Digests:
    """A set of 64-bit digests: what a program without a filter would keep."""

    def __init__(self) -> None:
        self.digests: set[int] = set()

    def add(self, key) -> None:
        self.digests.add(xxhash.xxh3_64_intdigest(key.encode() if type(key) is str else key))

    def __contains__(self, key) -> bool:
        return xxhash.xxh3_64_intdigest(key.encode() if type(key) is str else key) in self.digests


def adds_one_by_one(keys, name):
    def work(f) -> None:
        add = getattr(f, name)
        for key in keys:
            add(key)

    return work


def asks_one_by_one(keys):
    def work(f) -> None:
        for key in keys:
            key in f

    return work


def packages(count: int):
    """Yields a name, what makes an empty filter, its add, the share of keys, its bytes, and how it takes an integer."""
    as_bytes = lambda i: int(i).to_bytes(8, "little")  # noqa: E731
    yield "bloomery", lambda: bloomery.Filter(count, FPP), "add", 1, lambda f: f.byte_size, int
    yield "rbloom", lambda: rbloom.Bloom(count, FPP), "add", 1, lambda f: f.size_in_bits / 8, int
    yield "pybloom-live", lambda: pybloom_live.BloomFilter(count, FPP), "add", 1, lambda f: f.num_bits / 8, int
    yield "pyprobables", lambda: probables.BloomFilter(max(count // 10, 1), FPP), "add", 10, lambda f: f.export_size(), as_bytes
    yield ("xxhash set", Digests, "add", 1,
           lambda f: sys.getsizeof(f.digests) + sum(map(sys.getsizeof, f.digests)), as_bytes)


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 200_000
    print(f"{platform.processor() or platform.machine()}, Python {platform.python_version()}, NumPy {np.__version__}, "
          f"{count} keys, fpp {FPP}")
    numbers = np.random.default_rng(1).integers(0, 2**63, 2 * count, dtype=np.uint64)
    fixed = np.array([b"%016x" % n for n in numbers.tolist()], dtype="S16")
    texts = [f"user-{n}" for n in numbers.tolist()]
    print(f"{'millions a second':22}" + "".join(f"{what:>12}" for what in (
        "int add", "int ask", "S16 add", "S16 ask", "str add", "str ask", "bytes/key", "fpp")))
    for name, make, add, share, size, take in packages(count):
        part = count // share
        cells = []
        for keys, convert in ((numbers, take), (fixed, bytes), (texts, lambda t: t)):
            own = [convert(key) for key in (keys if isinstance(keys, list) else keys.tolist())]
            inside, outside = own[:part], own[count : count + part]
            cells.append(part / best(adds_one_by_one(inside, add), make) / 1e6)
            filled = make()
            adds_one_by_one(inside, add)(filled)
            assert all(key in filled for key in inside)
            cells.append(part / best(asks_one_by_one(outside), lambda: filled) / 1e6)
        wrong = sum(key in filled for key in outside) / part
        print(f"{name + ', one by one':22}" + "".join(f"{cell:12.2f}" for cell in cells)
              + f"{size(filled) / part:12.2f}{wrong:12.5f}")
    cells = []
    for keys in (numbers, fixed, texts):
        inside, outside = keys[:count], keys[count:]
        make = lambda: bloomery.Filter(count, FPP)  # noqa: E731
        cells.append(count / best(lambda f: f.update(inside), make) / 1e6)
        filled = make()
        filled.update(inside)
        assert filled.contains(inside).all()
        cells.append(count / best(lambda f: f.contains(outside), lambda: filled) / 1e6)
    print(f"{'bloomery, batches':22}" + "".join(f"{cell:12.2f}" for cell in cells)
          + f"{filled.byte_size / count:12.2f}{filled.contains(outside).mean():12.5f}")
    # Only rbloom has an update() too; it takes an iterable.
    cells = []
    for keys in (numbers.tolist(), fixed.tolist(), texts):
        inside = keys[:count]
        cells += [count / best(lambda f: f.update(inside), lambda: rbloom.Bloom(count, FPP)) / 1e6, float("nan")]
    print(f"{'rbloom, update()':22}" + "".join(f"{cell:12.2f}" for cell in cells))
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "large")
        bloomery.Filter(bytes=100_000_000).save(path)
        checked = best(lambda _: bloomery.open(path))
        mapped = best(lambda _: bloomery.open(path, verify=False))
        small = os.path.join(folder, "small")
        bloomery.Filter(bytes=100_000).save(small)
        mapped_small = best(lambda _: bloomery.open(small, verify=False))
        large = rbloom.Bloom(55_000_000, FPP, lambda key: hash(key))
        large.save(os.path.join(folder, "rbloom"))
        other = best(lambda _: rbloom.Bloom.load(os.path.join(folder, "rbloom"), lambda key: hash(key)))
    print(f"open 100 MB: bloomery {checked * 1e3:.2f} ms with its checksum, {mapped * 1e6:.0f} us without (100 kB: "
          f"{mapped_small * 1e6:.0f} us), rbloom {other * 1e3:.2f} ms")


if __name__ == "__main__":
    main()
