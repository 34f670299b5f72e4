#!/usr/bin/env python3
"""Compares the guard of Python with questions to a Redis server by redis-py, in one run.

    bench/python_guard.py MODULE [ROUNDS]

MODULE is bloomery.so; redis-server is on the PATH. Each round asks every way for the same 5,000 keys in turn, and the
fastest round counts. The server listens on a unix socket of this machine, which is the best case for it. The package
bloomery and redis-py are those of the interpreter: build/python/venv/bin/python, after python/run-tests.
"""

import os
import pathlib
import platform
import subprocess
import sys
import tempfile
import time

import redis

import bloomery

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "python/tests"))
from leased_page import LeasedPage  # noqa: E402

KEYS = 5_000
LEASE_NS = 600 * 10**9


def seconds_of(ask, keys):
    begin = time.perf_counter()
    for key in keys:
        ask(key)
    return (time.perf_counter() - begin) / len(keys)


def no_load(key):
    raise AssertionError(f"the key {key} reached the database")


def main() -> int:
    if len(sys.argv) not in (2, 3):
        print(__doc__, file=sys.stderr)
        return 2
    module, rounds = pathlib.Path(sys.argv[1]).resolve(), int(sys.argv[2]) if len(sys.argv) == 3 else 7
    present = [f"user{i}@example.org" for i in range(KEYS)]
    absent = [f"nobody{i}@example.org" for i in range(KEYS)]
    row = b"x" * 100
    with tempfile.TemporaryDirectory() as folder:
        socket = f"{folder}/s"
        server = subprocess.Popen(
            ["redis-server", "--port", "0", "--unixsocket", socket, "--save", "", "--dir", folder, "--loadmodule", str(module)],
            stdout=subprocess.DEVNULL,
        )
        try:
            client = redis.Redis(unix_socket_path=socket)
            while not os.path.exists(socket):
                time.sleep(0.01)
            for key in present:
                client.set(key, row)
            client.execute_command("BLOOM.CREATE", "users", "CAPACITY", 10 * KEYS, "ERROR", "1e-6")
            client.execute_command("BLOOM.MADD", "users", *present)
            page = LeasedPage(pathlib.Path(folder) / "users.leased")
            page.put_filter(1, present)
            page.set(48, LEASE_NS)  # the bound
            page.renew(LEASE_NS)
            guard = bloomery.Guard(page.path, bound=LEASE_NS / 1e9, keep=600)
            leased = bloomery.LeasedFilter(page.path)
            for key in present:
                guard.read(key, lambda _: row)
            denied = [key for key in absent if leased.answer(key) == 0]
            ways = {
                "redis-py GET, a hit": (client.get, present),
                "redis-py BF.EXISTS, a no": (lambda key: client.execute_command("BF.EXISTS", "users", key), denied),
                "redis-py BLOOM.EXISTS, a no": (lambda key: client.execute_command("BLOOM.EXISTS", "users", key), denied),
                "Guard.read, a hit": (lambda key: guard.read(key, no_load), present),
                "Guard.read, a certain no": (lambda key: guard.read(key, no_load), denied),
                "LeasedFilter.answer, a certain no": (leased.answer, denied),
            }
            times = {name: [] for name in ways}
            for _ in range(rounds):
                for name, (ask, keys) in ways.items():
                    times[name].append(seconds_of(ask, keys))
        finally:
            server.terminate()
            server.wait()
    best = {name: min(each) for name, each in times.items()}
    version = subprocess.run(["redis-server", "--version"], capture_output=True, text=True, check=True).stdout.split()[2]
    print(f"Python {platform.python_version()}, redis-py {redis.__version__}, redis-server {version}, {rounds} rounds")
    for name, each in best.items():
        print(f"{name:36} {each * 1e6:8.2f} us {best['redis-py GET, a hit'] / each:8.1f} times GET")
    return 0


if __name__ == "__main__":
    sys.exit(main())
