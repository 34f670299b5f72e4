#!/usr/bin/env python3
"""Measures what a key of a batch costs a server's CPU: MADD and MEXISTS of 1,000 keys, for filters of two sizes.

    bench/redis_module.py MODULE [OTHER_MODULE]       MODULE: bloomery.so; OTHER_MODULE: one with the same commands BF.*

Starts Debian's redis-server with each module, one at a time, on a unix socket in a folder of its own. A row is the median
over rounds of CPU time in user and system mode of the server's main thread, divided by keys. Single commands are sent 1,000
at a time. An exact SET is asked with SMISMEMBER in the same run, and EXISTS of 1,000 keys is the floor.

    bench/redis_module.py --whole MODULE [OTHER_MODULE]

prints milliseconds of the main thread's CPU for commands that handle a key of 1 GB as one: COPY, DUMP, RESTORE, SAVE, loading
of the RDB, UNLINK. The key has 3 million items, and a row is the least of three rounds, so that what else the machine does is
not taken for theirs.

    bench/redis_module.py --growth MODULE [LAST]

adds items to a key that begins with a capacity of 100, up to LAST (10,000,000). Prints MEMORY USAGE at many numbers of
items beside that of a full key with NONSCALING, and one that may grow, of that capacity. Prints what MADD of 1,000 items
cost the main thread on the way.
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
WHOLE = {"capacity": 850_000_000, "items": 3_000_000, "rounds": 3}


def encoded(words):
    return b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%s\r\n" % (len(word), word) for word in words)


class Server:
    def __init__(self, module, folder):
        self.socket_path = os.path.join(folder, "s")
        self.process = subprocess.Popen(["redis-server", "--port", "0", "--unixsocket", self.socket_path, "--save", "",
                                         "--dir", folder, "--enable-debug-command", "yes", "--proto-max-bulk-len", "4gb",
                                         "--loadmodule", os.path.realpath(module)],
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
            for command, prefix in ((b"BF.ADD", b"one"), (b"BF.EXISTS", b"one"), (b"BF.EXISTS", b"no")):
                costs = [server.cost(b"".join(encoded([command, b"k", key]) for key in keys(prefix, BATCH)), BATCH)
                         for _ in range(ROUNDS)]
                rows[f"{label} single {command.decode()}{', absent' if prefix == b'no' else ''}"] = statistics.median(costs)
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


class Whole:
    """A server with one key, and what commands on all of it cost."""

    def __init__(self, module, folder):
        self.server = Server(module, folder)
        self.stream = self.server.connection.makefile("rb", 1 << 20)
        self.module = module

    def __call__(self, *words):
        """Returns the reply, and the milliseconds of CPU until the server sleeps again."""
        before = self.server.cpu_ns()
        for part in encoded_parts(words):
            self.server.connection.sendall(part)
        line = self.stream.readline()
        reply = self.stream.read(int(line[1:]) + 2)[:-2] if line[:1] == b"$" else line[:-2]
        after = -1
        while (now := self.server.cpu_ns()) != after:
            after = now
            time.sleep(0.003)
        return reply, (after - before) / 1e6

    def fill(self):
        self(b"CONFIG", b"SET", b"bloomery.memory-limit", b"4gb")  # RedisBloom has none
        self(b"BF.RESERVE", b"k", b"0.01", b"%d" % WHOLE["capacity"], b"NONSCALING")
        for start in range(0, WHOLE["items"], BATCH):
            self.server.ask(encoded([b"BF.MADD", b"k"] + [b"%x" % i for i in range(start, start + BATCH)]), BATCH + 1)

    def round(self, rows):
        def note(name, reply_and_ms):
            reply, ms = reply_and_ms
            if not reply.startswith(b"-"):
                rows[name] = min(rows.get(name, ms), ms)
            return reply

        note("COPY", self(b"COPY", b"k", b"copy"))
        self(b"UNLINK", b"copy")
        dump = note("DUMP", self(b"DUMP", b"k"))
        rows["MB of the DUMP"] = len(dump) / 1e6
        note("RESTORE", self(b"RESTORE", b"restored", b"0", dump))
        note("UNLINK", self(b"UNLINK", b"restored"))
        note("SAVE", self(b"SAVE"))
        note("load the RDB", self(b"DEBUG", b"RELOAD", b"NOSAVE"))


def encoded_parts(words):
    yield b"*%d\r\n" % len(words)
    for word in words:
        yield b"$%d\r\n" % len(word)
        yield word
        yield b"\r\n"


def measure_whole(module):
    rows = {}
    with tempfile.TemporaryDirectory() as folder:
        whole = Whole(module, folder)
        whole.fill()
        for compression in (b"yes", b"no"):
            whole(b"CONFIG", b"SET", b"rdbcompression", compression)
            of_setting = {}
            for _ in range(WHOLE["rounds"]):
                whole.round(of_setting)
            rows |= {f"{name}, rdbcompression {compression.decode()}": ms for name, ms in of_setting.items()}
        whole.server.stop()
    return rows


def number(server, *words):
    """Returns the number that is the reply, or the only element of it."""
    return int(server.ask(encoded(list(words)), 1 if words[0] == b"MEMORY" else 2).split(b":")[-1])


def fill(server, key, items, costs):
    """Adds random items until the key counts so many."""
    while (missing := items - number(server, b"BF.INFO", key, b"ITEMS")) > 0:
        batch = min(missing, BATCH)
        costs.append(server.cost(encoded([b"BF.MADD", key] + keys(b"in", batch)), batch + 1) * BATCH)


def planned(server, items, *options):
    """Returns the memory of a key that was planned for so many items, all of whose chunks are written."""
    server.ask(encoded([b"BF.RESERVE", b"planned", b"0.01", b"%d" % items, *options]), 1)
    fill(server, b"planned", min(items, items // 300 + 5000), [])
    memory = number(server, b"MEMORY", b"USAGE", b"planned")
    server.ask(encoded([b"DEL", b"planned"]), 1)
    return memory


def moments(last):
    """Returns numbers of items from 10,000 on: those that fill a layer of a key that grows by 4, one more, others."""
    full = [100 * (4**layers - 1) // 3 for layers in range(5, 16)]
    between = [round(10_000 * 10 ** (step / 8)) for step in range(41)]
    return sorted(items for items in full + [items + 1 for items in full] + between if items <= last)


def measure_growth(module, last):
    with tempfile.TemporaryDirectory() as folder:
        server = Server(module, folder)
        server.ask(encoded([b"CONFIG", b"SET", b"bloomery.memory-limit", b"4gb"]), 1)
        server.ask(encoded([b"BF.RESERVE", b"k", b"0.01", b"100"]), 1)
        costs = []
        print(f"{'items':>12} {'bytes':>12} {'of NONSCALING':>14} {'of one that may grow':>21}")
        for items in moments(last):
            fill(server, b"k", items, costs)
            memory = number(server, b"MEMORY", b"USAGE", b"k")
            print(f"{items:12} {memory:12} {memory / planned(server, items, b'NONSCALING'):14.2f}"
                  f" {memory / planned(server, items):21.2f}", flush=True)
        print(f"the first MADD of the server, us: {costs[0]:.0f}")
        costs = sorted(costs[1:])
        print("MADD of 1,000, us: " + ", ".join(f"{share:.1%} {costs[min(int(len(costs) * share), len(costs) - 1)]:.0f}"
                                                for share in (0.5, 0.99, 0.999, 1)))
        server.stop()


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    if sys.argv[1] == "--growth":
        measure_growth(sys.argv[2], int(sys.argv[3]) if len(sys.argv) > 3 else 10_000_000)
        return
    whole = sys.argv[1] == "--whole"
    results = [(measure_whole if whole else measure)(module) for module in sys.argv[2 if whole else 1:]]
    for name in results[0]:
        print(f"{name:45}", *(f"{rows[name]:9.3f}" if name in rows else "  refused" for rows in results))


if __name__ == "__main__":
    main()
