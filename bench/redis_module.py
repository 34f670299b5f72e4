#!/usr/bin/env python3
"""Measures what a key of a batch costs a server's CPU: MADD and MEXISTS of 1,000 keys, for filters of two sizes.

    bench/redis_module.py MODULE [OTHER_MODULE]       MODULE: bloomery.so; OTHER_MODULE: one with the same commands BF.*

Starts Debian's redis-server with each module, one at a time, on a unix socket in a folder of its own. A row is the median
over rounds of CPU time in user and system mode of the server's main thread, divided by keys. An exact SET is asked
with SMISMEMBER in the same run, and EXISTS of 1,000 keys is the floor.
"""
import os
import random
import socket
import statistics
import subprocess
import sys
import tempfile
import time

BATCH = 1000
ROUNDS = 100
WARM = 1500  # batches after which every page of the filter was written
SIZES = {"18 MB": 14_000_000, "480 MB": 380_000_000}
GROWN = 1_000_000


def encoded(words):
    return b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%s\r\n" % (len(word), word) for word in words)


class Server:
    def __init__(self, module, folder):
        self.socket_path = os.path.join(folder, "s")
        self.process = subprocess.Popen(["redis-server", "--port", "0", "--unixsocket", self.socket_path, "--save", "",
                                         "--dir", folder, "--loadmodule", os.path.realpath(module)],
                                        stdout=subprocess.DEVNULL)
        self.connection = socket.socket(socket.AF_UNIX)
        for _ in range(500):
            try:
                self.connection.connect(self.socket_path)
                return
            except OSError:
                time.sleep(0.01)
        sys.exit(f"{module}: the server does not start")

    def cpu_ns(self):
        with open(f"/proc/{self.process.pid}/schedstat", encoding="ascii") as file:
            return int(file.read().split()[0])

    def ask(self, request, lines):
        self.connection.sendall(request)
        reply = b""
        while reply.count(b"\r\n") < lines:
            reply += self.connection.recv(1 << 20)
        return reply

    def cost(self, request, lines):
        before = self.cpu_ns()
        self.ask(request, lines)
        return (self.cpu_ns() - before) / BATCH / 1000

    def stop(self):
        self.process.terminate()
        self.process.wait()


def keys(prefix, count):
    return [b"%s:%016x" % (prefix, random.getrandbits(64)) for _ in range(count)]


def measure(module):
    rows = {}
    with tempfile.TemporaryDirectory() as folder:
        server = Server(module, folder)
        for label, capacity in SIZES.items():
            server.ask(encoded([b"BF.RESERVE", b"k", b"0.01", b"%d" % capacity]), 1)
            added = [keys(b"in", BATCH) for _ in range(ROUNDS)]
            # The first items of a filter write to pages that the kernel has to make first.
            first = [server.cost(encoded([b"BF.MADD", b"k"] + keys(b"warm", BATCH)), BATCH + 1) for _ in range(WARM)]
            rows[f"{label} MADD, the first 100,000"] = statistics.median(first[:ROUNDS])
            for name, batches in (("MADD, all pages written", added), ("MEXISTS, in", added), ("MEXISTS, absent", [keys(b"no", BATCH) for _ in range(ROUNDS)])):
                command = b"BF." + name.split(",")[0].encode()
                costs = [server.cost(encoded([command, b"k"] + batch), BATCH + 1) for batch in batches]
                rows[f"{label} {name}"] = statistics.median(costs)
            server.ask(encoded([b"DEL", b"k"]), 1)
        for batch in [keys(b"in", BATCH) for _ in range(ROUNDS)]:
            server.ask(encoded([b"SADD", b"set"] + batch), 1)
        rows["SMISMEMBER of a set"] = statistics.median(
            server.cost(encoded([b"SMISMEMBER", b"set"] + keys(b"no", BATCH)), BATCH + 1) for _ in range(ROUNDS))
        # A variadic command that only reads its words.
        rows["floor: EXISTS of 1,000 keys"] = statistics.median(
            server.cost(encoded([b"EXISTS"] + keys(b"no", BATCH)), 1) for _ in range(ROUNDS))
        for start in range(0, GROWN, BATCH):
            server.ask(encoded([b"BF.MADD", b"grown"] + [b"key%d" % i for i in range(start, start + BATCH)]), BATCH + 1)
        rows["MB of a filter grown from 100 to 1,000,000"] = int(server.ask(encoded([b"MEMORY", b"USAGE", b"grown"]), 1)[1:]) / 1e6
        server.stop()
    return rows


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    results = [measure(module) for module in sys.argv[1:]]
    for name in results[0]:
        print(f"{name:45}", *(f"{rows[name]:9.3f}" for rows in results))


if __name__ == "__main__":
    main()
