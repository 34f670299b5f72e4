"""Threads, forks and other interpreters."""

from __future__ import annotations

import itertools
import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import bloomery


def in_threads(*works: object) -> None:
    failures: list[BaseException] = []

    def run(work) -> None:
        try:
            work()
        except BaseException as failure:
            failures.append(failure)

    threads = [threading.Thread(target=run, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures, failures


@pytest.mark.parametrize("type_name", ["blocked", "bloom", "counting", "quotient", "scalable", "windowed"])
def test_threads_insert_and_ask_beside_each_other(type_name: str) -> None:
    size = 40_000
    f = bloomery.Filter(4 * size, 1e-3, type=type_name, window=4 * size if type_name == "windowed" else None)
    f.update(np.arange(1000, dtype=np.int64) - 5000)

    def batches(first: int):
        def work() -> None:
            for start in range(first, first + size, 2000):
                keys = np.arange(start, start + 2000)
                f.update(keys)
                assert f.contains(keys).all()

        return work

    def singles() -> None:
        for key in range(3 * size, 3 * size + 3000):
            f.add(key)
            assert key in f and key - 3 * size - 5000 in f or key >= 3 * size + 1000

    def facts() -> None:
        for _ in range(200):
            assert f.inserted >= 1000 and 0 <= f.fill_ratio() <= 1
            f.metadata = "x"

    in_threads(batches(0), batches(size), singles, facts)
    assert f.contains(np.arange(2 * size)).all() and f.inserted == 1000 + 2 * size + 3000


def test_merges_and_saves_beside_batches() -> None:
    a, b = bloomery.Filter(100_000, type="quotient"), bloomery.Filter(100_000, type="quotient")

    def fill(f: bloomery.Filter, first: int):
        def work() -> None:
            for start in range(first, first + 10_000, 1000):
                f.update(np.arange(start, start + 1000))

        return work

    def merge() -> None:
        a.merge(b)
        b.merge(a)
        bloomery.Filter.from_bytes(a.to_bytes()).verify()

    in_threads(fill(a, 0), fill(b, 20_000), merge)
    assert a.contains(np.arange(10_000)).all() and b.contains(np.arange(20_000, 30_000)).all()


def test_batches_release_the_lock_of_the_interpreter() -> None:
    f = bloomery.Filter(100)
    keys = np.zeros(30_000_000, dtype=np.uint64)
    ticks = 0
    done = threading.Event()

    def ask() -> None:
        f.contains(keys)
        done.set()

    thread = threading.Thread(target=ask)
    thread.start()
    while not done.is_set():
        ticks += 1
        time.sleep(0.001)
    thread.join()
    assert ticks > 3


# The array has no end that anybody would see. A signal was heeded when all of it was in.
@pytest.mark.parametrize("call", ["update", "contains", "hashes", "add_hashes"])
def test_a_long_batch_is_interrupted(call: str) -> None:
    class Rang(Exception):
        pass

    def ring(*_: object) -> None:
        raise Rang

    f = bloomery.Filter(100, hash="ready" if call == "add_hashes" else "mix8-xxh3")
    keys = np.broadcast_to(np.uint64(7), 1 << 36)
    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, 0.1)
    try:
        with pytest.raises(Rang):
            getattr(f, call)(keys)
    finally:
        signal.signal(signal.SIGALRM, before)
    if call == "update":
        assert 7 in f and f.inserted % (1 << 20) == 0 and f.inserted > 0


# Nor has an iterator of C, or a column whose texts are made keys by a rule: these are hashed with the GIL held.
@pytest.mark.parametrize(("kind", "call", "keys"), [
    ({}, "update", itertools.repeat("a")),
    ({}, "update", itertools.repeat(7)),
    ({}, "contains", itertools.repeat(b"a")),
    ({"ignore_case": True}, "update", np.broadcast_to(np.array(b"ab"), 1 << 36)),
    ({"key_form": "int32"}, "update", np.broadcast_to(np.int64(7), 1 << 36)),
    ({"key_form": "cidr"}, "update", itertools.repeat("10.0.0.0/8")),
    ({"key_form": "cidr"}, "contains", itertools.repeat("10.1.2.3")),
    (None, "update", itertools.repeat("a")),
    (None, "contains", np.broadcast_to(np.array(b"ab"), 1 << 36)),
])
def test_whatever_has_no_end_is_interrupted(kind: dict[str, object] | None, call: str, keys: object) -> None:
    class Rang(Exception):
        pass

    def ring(*_: object) -> None:
        raise Rang

    f = bloomery.build_dialect("guava", ["a"], capacity=10, fpp=0.1) if kind is None else bloomery.Filter(100, **kind)
    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, 0.1)
    try:
        with pytest.raises(Rang):
            getattr(f, call)(keys)
    finally:
        signal.signal(signal.SIGALRM, before)


def test_a_filter_in_use_is_not_closed() -> None:
    f = bloomery.Filter(10_000)
    inside, go = threading.Event(), threading.Event()

    def keys():
        yield 1
        inside.set()
        go.wait(30)
        yield 2

    thread = threading.Thread(target=lambda: f.update(keys()))
    thread.start()
    inside.wait(30)
    with pytest.raises(ValueError, match="in use"):
        f.close()
    go.set()
    thread.join()
    f.close()


def in_child(work) -> int:
    child = os.fork()
    if child == 0:
        try:
            os._exit(0 if work() else 3)
        except BaseException:
            os._exit(4)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_child_has_its_own_filter(tmp_path: object) -> None:
    f = bloomery.Filter(1000, 1e-9)
    f.add("a")
    path = str(tmp_path) + "/f"
    f.save(path)
    mapped = bloomery.open(path)

    def work() -> bool:
        f.update(["b"])
        mapped.add("c")
        f.close()
        return "a" in mapped and "c" in mapped

    assert in_child(work) == 0
    assert "b" not in f and "c" not in mapped and "a" in f


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_child_refuses_a_filter_that_a_thread_was_using() -> None:
    f, other = bloomery.Filter(100, type="quotient"), bloomery.Filter(100)
    keys = np.zeros(40_000_000, dtype=np.uint64)
    thread = threading.Thread(target=lambda: f.contains(keys))
    thread.start()
    time.sleep(0.05)

    def work() -> bool:
        other.add(1)
        with pytest.raises(ValueError, match="fork"):
            f.add(1)
        with pytest.raises(ValueError, match="fork"):
            f.close()
        return 1 in other

    result = in_child(work) if thread.is_alive() else 0
    thread.join()
    assert result == 0
    f.add(1)


def test_another_interpreter_is_refused() -> None:
    program = """
import bloomery
try:
    import _interpreters as interpreters
except ImportError:
    import _xxsubinterpreters as interpreters
other = interpreters.create()
code = '''
try:
    import bloomery._bloomery
except ImportError:
    pass
else:
    raise SystemExit("it was imported")
'''
failed = interpreters.run_string(other, code)
interpreters.destroy(other)
assert failed is None, failed
f = bloomery.Filter(10)
f.add(1)
assert 1 in f
print("well")
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.stdout == "well\n", done.stderr
