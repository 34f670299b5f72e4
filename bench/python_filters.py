#!/usr/bin/env python3
"""What the Python package costs, beside rbloom, abloom, pybloom-live, pyprobables and a set of xxhash digests.

    python bench/python_filters.py [KEYS]       200,000 keys unless told, at fpp 0.001

Needs the packages of python/requirements-bench.txt beside bloomery. Each package is given the same keys: integers
(NumPy's uint64), 16 bytes (NumPy's S16) and a list of str. A package without batches is called once a key, from a list of
Python's own objects, whose making is not counted; so are the rows of lists and of update(). All take turns, seven times.
Prints millions of calls in a second of processor time, the best of the seven; bytes a key, the measured fpp over as many
absent keys, the ratio of Bloomery's calls to the best of the other packages, the time to make an empty filter, and the time
to open a file of 100 MB with and without its checksum. pyprobables is given a tenth of the keys. abloom hashes by Python's
hash() unless it is told to be serializable.
"""

from __future__ import annotations

import os
import platform
import sys
import tempfile
import time

import abloom
import numpy as np
import probables
import pybloom_live
import rbloom
import xxhash

import bloomery

FPP = 0.001


ROUNDS = 7


def seconds(work, made) -> float:
    start = time.thread_time()
    work(made)
    return time.thread_time() - start


def best(work) -> float:
    """Returns the seconds of the fastest run."""
    return min(seconds(lambda _: work(), None) for _ in range(ROUNDS))


class Cell:
    """A figure of the table: work(make()) has `keys` keys."""

    def __init__(self, keys, work, make) -> None:
        self.keys, self.work, self.make = keys, work, make
        self.least = float("inf")

    def run(self) -> None:
        self.least = min(self.least, seconds(self.work, self.make()))

    def millions(self) -> float:
        return self.keys / self.least / 1e6


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
    yield "abloom", lambda: abloom.BloomFilter(count, FPP), "add", 1, lambda f: f.byte_count, int
    yield ("abloom serializable", lambda: abloom.BloomFilter(count, FPP, serializable=True), "add", 1,
           lambda f: f.byte_count, int)
    yield "pybloom-live", lambda: pybloom_live.BloomFilter(count, FPP), "add", 1, lambda f: f.num_bits / 8, int
    yield "pyprobables", lambda: probables.BloomFilter(max(count // 10, 1), FPP), "add", 10, lambda f: f.export_size(), as_bytes
    yield ("xxhash set", Digests, "add", 1,
           lambda f: sys.getsizeof(f.digests) + sum(map(sys.getsizeof, f.digests)), as_bytes)


def single_rows(count, columns):
    """Yields the rows of all packages, one key at a time: a name, the cells, bytes a key, the fpp."""
    for name, make, add, share, size, take in packages(count):
        part = count // share
        cells = []
        for keys, convert in zip(columns, (take, bytes, str)):
            own = [convert(key) for key in own_objects(keys)]
            inside, outside = own[:part], own[count : count + part]
            filled = make()
            adds_one_by_one(inside, add)(filled)
            assert all(key in filled for key in inside)
            cells.append(Cell(part, adds_one_by_one(inside, add), make))
            cells.append(Cell(part, asks_one_by_one(outside), lambda filled=filled: filled))
        wrong = sum(key in filled for key in outside) / part
        yield name + ", one by one", cells, size(filled) / part, wrong


def own_objects(keys):
    """Returns a list of Python's own objects."""
    return keys if isinstance(keys, list) else keys.tolist()


def batch_row(count, columns, name, take=lambda keys: keys):
    cells = []
    make = lambda: bloomery.Filter(count, FPP)  # noqa: E731
    for keys in columns:
        inside, outside = take(keys[:count]), take(keys[count:])
        filled = make()
        filled.update(inside)
        assert filled.contains(inside).all()
        cells.append(Cell(count, lambda f, inside=inside: f.update(inside), make))
        cells.append(Cell(count, lambda f, outside=outside: f.contains(outside), lambda filled=filled: filled))
    return name, cells, filled.byte_size / count, filled.contains(outside).mean()


def update_row(count, columns, name, make):
    """rbloom and abloom have an update() too, of an iterable. None of them asks for many keys at a time."""
    cells = []
    for keys in columns:
        own = own_objects(keys)[:count]
        cells += [Cell(count, lambda f, own=own: f.update(own), make), None]
    return name, cells, float("nan"), float("nan")


def print_rates(count, columns) -> None:
    rows = [
        *single_rows(count, columns),
        batch_row(count, columns, "bloomery, batches"),
        batch_row(count, columns, "bloomery, lists", own_objects),
        update_row(count, columns, "rbloom, update()", lambda: rbloom.Bloom(count, FPP)),
        update_row(count, columns, "abloom, update()", lambda: abloom.BloomFilter(count, FPP)),
        update_row(count, columns, "abloom serial., update()",
                   lambda: abloom.BloomFilter(count, FPP, serializable=True)),
    ]
    for _ in range(ROUNDS):
        for column in range(6):
            for _, cells, _, _ in rows:
                if cells[column] is not None:
                    cells[column].run()
    print(f"{'millions a second':26}" + "".join(f"{what:>12}" for what in (
        "int add", "int ask", "S16 add", "S16 ask", "str add", "str ask", "bytes/key", "fpp")))
    for name, cells, size, wrong in rows:
        rates = "".join(f"{cell.millions():12.2f}" if cell else f"{'':12}" for cell in cells)
        print(f"{name:26}{rates}{size:12.2f}{wrong:12.5f}")
    others = [[row[1][column].millions() for row in rows if not row[0].startswith("bloomery") and row[1][column]]
              for column in range(6)]
    for name, cells, _, _ in rows:
        if name.startswith("bloomery"):
            ratios = "".join(f"{cell.millions() / max(best_of):12.1f}" for cell, best_of in zip(cells, others))
            print(f"{name.removeprefix('bloomery, ') + ' / best other':26}{ratios}")
            singles = "".join(f"{cell.millions() / rows[1][1][i].millions():12.1f}" for i, cell in enumerate(cells))
            print(f"{name.removeprefix('bloomery, ') + ' / rbloom single':26}{singles}")


def print_makings() -> None:
    makings = {
        "bloomery": lambda n: bloomery.Filter(n, FPP),
        "rbloom": lambda n: rbloom.Bloom(n, FPP),
        "abloom": lambda n: abloom.BloomFilter(n, FPP),
    }
    for name, make in makings.items():
        said = []
        for capacity in (100, 10_000, 1_000_000):
            make(capacity)
            said.append(f"{best(lambda: [make(capacity) for _ in range(100)]) * 1e4:.1f} us for {capacity:,} keys")
        print(f"make: {name} {', '.join(said)}")


def print_openings() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "large")
        bloomery.Filter(bytes=100_000_000).save(path)
        checked = best(lambda: bloomery.open(path))
        mapped = best(lambda: bloomery.open(path, verify=False))
        small = os.path.join(folder, "small")
        bloomery.Filter(bytes=100_000).save(small)
        mapped_small = best(lambda: bloomery.open(small, verify=False))
        large = rbloom.Bloom(55_000_000, FPP, lambda key: hash(key))
        large.save(os.path.join(folder, "rbloom"))
        other = best(lambda: rbloom.Bloom.load(os.path.join(folder, "rbloom"), lambda key: hash(key)))
    print(f"open 100 MB: bloomery {checked * 1e3:.2f} ms with its checksum, {mapped * 1e6:.0f} us without (100 kB: "
          f"{mapped_small * 1e6:.0f} us), rbloom {other * 1e3:.2f} ms")


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 200_000
    print(f"{platform.processor() or platform.machine()}, Python {platform.python_version()}, NumPy {np.__version__}, "
          f"{count} keys, fpp {FPP}")
    numbers = np.random.default_rng(1).integers(0, 2**63, 2 * count, dtype=np.uint64)
    fixed = np.array([b"%016x" % n for n in numbers.tolist()], dtype="S16")
    texts = [f"user-{n}" for n in numbers.tolist()]
    print_rates(count, (numbers, fixed, texts))
    print_makings()
    print_openings()


if __name__ == "__main__":
    main()
