#!/usr/bin/env python3
"""How long one step blocks a server whose key is a filter file of 1 GB: LOAD, items, COPY, DUMP, UNLINK.

    bench/redis_file.py BLOOMERY MODULE [TYPE...]     BLOOMERY: the command; MODULE: bloomery.so; TYPE: blocked ... (all)

Builds a file of each type for so many keys that it has about 1 GB, fills it with 20 million, and brings it into a key of
Debian's redis-server, which runs on a unix socket in a folder of its own. An exact file has 640 MB, since the table that
builds it takes three times as much. The rows are what the server's own SLOWLOG says of each command, in microseconds: how
many, the median, the 99th per cent, the longest. The rows of a key of BLOOM.CREATE with as many bytes, and PING, stand beside
them.
"""
import os
import subprocess
import sys
import tempfile

from redis_module import Server, encoded

KEYS = 20_000_000
BATCH = 1000
ROUNDS = 100
COPIES = 10
# Options of `bloomery build` for a file of 1 GB.
TYPES = {
    "blocked": ["-t", "blocked", "-n", "850000000", "-p", "0.01"],
    "dense": ["-t", "blocked:dense", "-n", "860000000", "-p", "0.01"],
    "bloom": ["-t", "bloom", "-n", "890000000", "-p", "0.01"],
    "counting": ["-t", "counting", "-n", "220000000", "-p", "0.01"],
    "scalable": ["-t", "scalable", "-n", "550000000", "-p", "0.01"],
    "ribbon": ["-t", "ribbon", "-p", "1e-12"],
    "quotient": ["-t", "quotient", "-n", "40000000", "-p", "1e-6"],  # full tables, whose proof takes longest
    "exact": ["-t", "blocked", "-n", "40000000", "-p", "0.01", "--exact-below", "40000000"],  # 16 bytes a key
    "windowed": ["-t", "windowed", "-n", "590000000", "--window", "1h", "-p", "0.01"],
    "windowed64": ["-t", "windowed", "-n", "520000000", "--window", "1h", "--generations", "64", "-p", "0.01"],
}
READ_ONLY = ("ribbon", "exact", "windowed", "windowed64")


def read_reply(stream):
    line = stream.readline()
    kind, rest = line[:1], line[1:-2]
    if kind == b"*":
        return [read_reply(stream) for _ in range(int(rest))]
    if kind == b"$":
        return stream.read(int(rest) + 2)[:-2] if int(rest) >= 0 else None
    if kind == b"-":
        return Exception(rest.decode())
    return int(rest) if kind == b":" else rest


class Asked:
    def __init__(self, module, folder):
        self.server = Server(module, folder)
        self.stream = self.server.connection.makefile("rb")
        self("CONFIG", "SET", "slowlog-log-slower-than", "0")
        self("CONFIG", "SET", "slowlog-max-len", "1000000")
        self("CONFIG", "SET", "bloomery.memory-limit", str(4 << 30))

    def __call__(self, *words):
        self.server.connection.sendall(encoded([str(word).encode() for word in words]))
        return read_reply(self.stream)

    def durations(self):
        """Microseconds of each command since the last call, by its name."""
        found = {}
        for entry in self("SLOWLOG", "GET", "-1"):
            words = [word.decode(errors="replace").upper() for word in entry[3][:3]]
            name = words[0] + (" CHUNK" if words[0] == "BLOOM.LOAD" and words[2:] == ["CHUNK"] else "")
            found.setdefault(name, []).append(entry[2])
        self("SLOWLOG", "RESET")
        return found


def show(title, durations):
    durations = sorted(durations)
    at = lambda share: durations[min(int(len(durations) * share), len(durations) - 1)]
    print(f"  {title:34} {len(durations):6} {at(0.5):8} {at(0.99):8} {durations[-1]:8}", flush=True)


def items(turn):
    return [f"new {turn} {i}" for i in range(BATCH)]


def members(turn):
    """Items that every file has, far from each other in it."""
    return [str(1 + turn + 19_937 * i) for i in range(BATCH)]


def measure_items(ask, key, takes_items):
    if takes_items:
        for turn in range(ROUNDS):
            ask("BLOOM.MADD", key, *items(turn))
        show("MADD of 1,000 new items", ask.durations()["BLOOM.MADD"])
        for turn in range(ROUNDS):
            ask("BLOOM.ADD", key, f"one {turn}")
        show("ADD", ask.durations()["BLOOM.ADD"])
    for turn in range(ROUNDS):
        ask("BLOOM.MEXISTS", key, *items(turn))
    show("MEXISTS of 1,000 items", ask.durations()["BLOOM.MEXISTS"])
    for turn in range(ROUNDS):
        ask("BLOOM.MEXISTS", key, *members(turn))
    show("MEXISTS of 1,000 that are in", ask.durations()["BLOOM.MEXISTS"])
    for turn in range(COPIES):
        ask("COPY", key, "copy")
        if takes_items:
            ask("BLOOM.MADD", key, *items(ROUNDS + turn))
        ask("UNLINK", "copy")
    found = ask.durations()
    show("COPY", found["COPY"])
    if takes_items:
        show("the first MADD of 1,000 after it", found["BLOOM.MADD"])
    show("UNLINK", found["UNLINK"])
    if takes_items:
        ask("COPY", key, "copy")
        for turn in range(ROUNDS):
            ask("BLOOM.MADD", key, *items(2 * ROUNDS + turn))
        show("MADD while the copy stays", ask.durations()["BLOOM.MADD"])
        ask("UNLINK", "copy")
        for turn in range(ROUNDS):
            ask("BLOOM.MADD", key, *items(3 * ROUNDS + turn))
        show("MADD when it is gone", ask.durations()["BLOOM.MADD"])


def measure_file(ask, command, folder, name):
    file = os.path.join(folder, "file")
    url = "unix://" + ask.server.socket_path
    keys = {"ribbon": 200_000_000, "quotient": 40_000_000, "exact": 40_000_000}.get(name, KEYS)
    with subprocess.Popen(["seq", str(keys)], stdout=subprocess.PIPE) as lines:
        subprocess.run([command, "build", "--force", "--no-summary", "-o", file, *TYPES[name]], stdin=lines.stdout, check=True)
    print(f"{name}: a file of {os.path.getsize(file):,} bytes")
    ask.durations()
    subprocess.run([command, "copy", file, "key", "--redis", url, "--no-summary"], check=True)
    found = ask.durations()
    show("LOAD CHUNK of 256 KiB", found["BLOOM.LOAD CHUNK"])
    show("LOADEND", found["BLOOM.LOADEND"])
    measure_items(ask, "key", name not in READ_ONLY)
    subprocess.run([command, "copy", "key", "-o", file, "--force", "--redis", url, "--no-summary"], check=True)
    show("DUMP of 256 KiB", ask.durations()["BLOOM.DUMP"])
    subprocess.run([command, "inspect", "--verify", file], check=True)
    ask("UNLINK", "key")
    show("UNLINK of the key", ask.durations()["UNLINK"])
    os.remove(file)


def measure_all(ask, command, folder, types):
    print(f"  {'microseconds of the server':34} {'count':>6} {'median':>8} {'99 %':>8} {'longest':>8}")
    for _ in range(1000):
        ask("PING")
    show("PING", ask.durations()["PING"])
    for name in types:
        measure_file(ask, command, folder, name)
    print("a key of BLOOM.CREATE BYTES 1 GiB")
    ask("BLOOM.CREATE", "made", "BYTES", 1 << 30, "ERROR", "0.01")
    ask.durations()
    measure_items(ask, "made", True)


def main():
    command, module, *types = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        ask = Asked(module, folder)
        try:
            measure_all(ask, command, folder, types or TYPES)
        finally:
            ask.server.process.terminate()
            ask.server.process.wait()


if __name__ == "__main__":
    main()
