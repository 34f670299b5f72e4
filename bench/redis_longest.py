#!/usr/bin/env python3
"""Says how long single commands of the module keep a server's main thread, on filters of 1 GiB.

    bench/redis_longest.py MODULE [PART...]       MODULE: bloomery.so; PART: bloomery, redisbloom, quotient, growing

Starts Debian's redis-server with the module on a unix socket. A row is a kind of command: how many were sent, and the
median, the 99th percentile and the slowest in milliseconds of CPU of the server's main thread, which reads the request and
writes the reply too. Commands with items have 1,000 of them. Items are new, unless the row says otherwise.

Each part runs three times and sends the same commands in the same order to a new server. Of the three times of a command
the least counts, so that what else the machine does is not taken for time of ours.

A filter of 1 GiB of BF takes 3 million items, after which each of its pages was written. A key of CF of 1 GiB with 681
million items is loaded by CF.LOADCHUNK: all its segments have the bytes of one segment that was filled.
"""
import os
import socket
import struct
import subprocess
import sys
import tempfile
import time

BATCH = 1000
GIB = 1 << 30
CAPACITY = {"bloomery": 820_000_000, "redisbloom": 890_000_000}  # of 1 GiB at 0.01
SEGMENTS = 1 << 18
QUOTIENTS = 3072  # of a segment
LIMIT_MS = 2
ROUNDS = 3

results = {}  # of the rounds of a part: name of the row -> times of each command


def encoded(*words):
    return b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%s\r\n" % (len(word), word) for word in words)


class Server:
    def __init__(self, module, folder):
        path = os.path.join(folder, "s")
        self.process = subprocess.Popen(["redis-server", "--port", "0", "--unixsocket", path, "--save", "", "--dir", folder,
                                         "--loadmodule", os.path.realpath(module), "--bloomery.memory-limit", "4gb"],
                                        stdout=subprocess.DEVNULL)
        self.connection = socket.socket(socket.AF_UNIX)
        for _ in range(500):
            try:
                self.connection.connect(path)
                break
            except OSError:
                time.sleep(0.01)
        self.stream = self.connection.makefile("rb", 1 << 16)
        self.items = 0
        self.ask(b"PING")  # so the server has started, and its start is not taken for the first command

    def cpu_ns(self):
        """Waits until the server sleeps, for only then all it did is counted."""
        before = -1
        while True:
            with open(f"/proc/{self.process.pid}/schedstat", encoding="ascii") as file:
                now = int(file.read().split()[0])
            if now == before:
                return now
            before = now

    def reply(self):
        line = self.stream.readline()
        kind, rest = line[:1], line[1:-2]
        if kind == b"-":
            sys.exit(f"the server answers {line}")
        if kind == b"$":
            return self.stream.read(int(rest) + 2)[:-2] if int(rest) >= 0 else None
        if kind == b"*":
            return [self.reply() for _ in range(int(rest))]
        return rest

    def ask(self, *words):
        self.connection.sendall(encoded(*words))
        return self.reply()

    def cost(self, *words):
        """Returns milliseconds and the reply."""
        request = encoded(*words)
        before = self.cpu_ns()
        self.connection.sendall(request)
        reply = self.reply()
        return (self.cpu_ns() - before) / 1e6, reply

    def new_items(self):
        self.items += BATCH
        return [b"item:%016d" % i for i in range(self.items - BATCH, self.items)]

    def stop(self):
        self.process.terminate()
        self.process.wait()


def row(name, costs):
    before = results.get(name)
    results[name] = costs if before is None else [min(pair) for pair in zip(before, costs)]


def print_rows():
    for name, costs in results.items():
        costs = sorted(costs)
        late = costs[min(len(costs) - 1, len(costs) * 99 // 100)]
        mark = "  *" if costs[-1] > LIMIT_MS else ""
        print(f"{name:58} {len(costs):6} {costs[len(costs) // 2]:9.3f} {late:9.3f} {costs[-1]:9.3f}{mark}", flush=True)
    results.clear()


def repeated(server, name, count, *words):
    row(name, [server.cost(*words)[0] for _ in range(count)])


def adds(server, name, count, command, key, *options):
    row(name, [server.cost(command, key, *options, *server.new_items())[0] for _ in range(count)])


def dumped(server, family, key, most):
    """Dumps a key and loads it again, up to so many chunks."""
    dumps, loads, iterator = [], [], b"0"
    for _ in range(most):
        cost, (iterator, data) = server.cost(family + b".SCANDUMP", key, iterator)
        if iterator == b"0":
            break
        dumps.append(cost)
        loads.append(server.cost(family + b".LOADCHUNK", b"loaded", iterator, data)[0])
    name = family.decode()
    row(f"{name}.SCANDUMP of the header", dumps[:1])
    row(f"{name}.SCANDUMP of a chunk", dumps[1:])
    row(f"{name}.LOADCHUNK of the header", loads[:1])
    row(f"{name}.LOADCHUNK of a chunk", loads[1:])


def usual(server, key, what=""):
    for command in (b"BLOOM.INFO", b"BLOOM.ESTIMATE", b"BLOOM.CARD"):
        repeated(server, command.decode() + what, 20, command, key)
    repeated(server, "MEMORY USAGE" + what, 20, b"MEMORY", b"USAGE", key)
    copies, unlinks = [], []
    for _ in range(10):
        copies.append(server.cost(b"COPY", key, b"copy")[0])
        unlinks.append(server.cost(b"UNLINK", b"copy")[0])
    row("COPY" + what, copies)
    row("UNLINK of a copy" + what, unlinks)


def part_bloom(server, layout):
    words = (b"BLOOM.CREATE", b"k", b"CAPACITY", b"%d" % CAPACITY[layout], b"ERROR", b"0.01", b"NONSCALING", b"LAYOUT",
             layout.encode())
    creates = []
    for _ in range(20):
        creates.append(server.cost(*words)[0])
        server.ask(b"DEL", b"k")
    row("BLOOM.CREATE of an error rate that is new", creates[:1])
    row("BLOOM.CREATE", creates[1:])
    server.ask(*words)
    adds(server, "BF.MADD, the first 10 commands", 10, b"BF.MADD", b"k")
    adds(server, "BF.MADD, the next 3,000", 3000, b"BF.MADD", b"k")
    adds(server, "BF.MADD, after 3 million items", 300, b"BF.MADD", b"k")
    adds(server, "BF.MEXISTS of items that are not in", 300, b"BF.MEXISTS", b"k")
    server.items = 0
    adds(server, "BF.MEXISTS of items that are in", 300, b"BF.MEXISTS", b"k")
    server.items = 10_000_000
    usual(server, b"k")
    server.ask(b"COPY", b"k", b"copy")
    adds(server, "BF.MADD, the first 10 commands after COPY", 10, b"BF.MADD", b"k")
    adds(server, "BF.MADD, the next 3,000 after COPY", 3000, b"BF.MADD", b"k")
    if layout == "bloomery":
        unions = []
        for _ in range(10):
            unions.append(server.cost(b"BLOOM.UNION", b"union", b"k", b"copy")[0])
            server.ask(b"UNLINK", b"union")
        row("BLOOM.UNION of two of 1 GiB", unions)
    row("UNLINK of the copy", [server.cost(b"UNLINK", b"copy")[0]])
    dumped(server, b"BF", b"k", 5000)
    row("UNLINK", [server.cost(b"UNLINK", b"k")[0]])
    row("UNLINK of what was loaded", [server.cost(b"UNLINK", b"loaded")[0]])


def part_growing(server):
    for layout in (b"bloomery", b"redisbloom", b"quotient"):
        server.items = 0
        command = (b"CF.INSERT", b"k", b"ITEMS") if layout == b"quotient" else (b"BF.MADD", b"k")
        server.ask(b"BLOOM.CREATE", b"k", b"CAPACITY", b"100", b"LAYOUT", layout)
        adds(server, f"{command[0].decode()} up to 6 million items, {layout.decode()}", 6000, *command)
        usual(server, b"k", f", {layout.decode()}")
        server.ask(b"DEL", b"k")


# ---- a key of CF with all its segments full


def crc_table():
    table = []
    for i in range(256):
        for _ in range(8):
            i = i >> 1 ^ (0x82F63B78 if i & 1 else 0)
        table.append(i)
    return table


TABLE = crc_table()


def crc32c(data, crc=0):
    crc ^= 0xFFFFFFFF
    for byte in data:
        crc = TABLE[(crc ^ byte) & 255] ^ crc >> 8
    return crc ^ 0xFFFFFFFF


class Chunks:
    """Makes chunks of one payload at many offsets. A CRC is linear, so only that of the offset is computed anew."""

    def __init__(self, payload, shape):
        self.tail = struct.pack("<II", shape, 0) + payload
        self.zero = crc32c(bytes(8) + self.tail)
        self.of_bit = [crc32c(struct.pack("<Q", 1 << bit) + self.tail) ^ self.zero for bit in range(40)]

    def at(self, offset):
        crc = self.zero
        for bit, part in enumerate(self.of_bit):
            if offset >> bit & 1:
                crc ^= part
        return b"BLMC" + struct.pack("<IQ", crc, offset) + self.tail


def full_quotient_key(server, segments):
    """Makes key k and returns what each LOADCHUNK took."""
    capacity = QUOTIENTS * 93 // 100
    server.ask(b"CF.RESERVE", b"one", b"%d" % capacity, b"ERROR", b"0.006", b"EXPANSION", b"0")
    server.ask(b"CF.INSERTNX", b"one", b"ITEMS", *(b"one:%d" % i for i in range(capacity - 2)))
    iterator, _ = server.ask(b"CF.SCANDUMP", b"one", b"0")
    _, chunk = server.ask(b"CF.SCANDUMP", b"one", iterator)
    table = chunk[24:]
    server.ask(b"CF.RESERVE", b"large", b"%d" % (QUOTIENTS * SEGMENTS * 93 // 100))
    _, front = server.ask(b"CF.SCANDUMP", b"large", b"0")
    quotients, remainder_bits = struct.unpack_from("<II", front, 80)
    level = 7 + segments.bit_length() - 1
    plain = -(-(quotients + 256) // 64)  # blocks
    if quotients != QUOTIENTS or len(table) != 8 * (plain * (2 + remainder_bits - level) + -(-plain // 8)):
        sys.exit(f"expected a table of {quotients} quotients and {remainder_bits - level} bits, found {len(table)} bytes")
    head = bytearray(front[:104])
    struct.pack_into("<I", head, 72, segments)
    levels = bytes([level]) * segments
    new_front = bytes(head) + levels
    cost, _ = server.cost(b"CF.LOADCHUNK", b"k", b"1", new_front + struct.pack("<I", crc32c(new_front)))
    row("CF.LOADCHUNK of a header of 262,144 segments", [cost])
    plan = bytes(head[24:40] + head[44:46] + head[48:72] + head[80:88])
    chunks = Chunks(table, crc32c(plan + levels))
    costs = []
    for i in range(segments):
        offset = i * len(table)
        costs.append(server.cost(b"CF.LOADCHUNK", b"k", b"%d" % (offset + len(table) + 1), chunks.at(offset))[0])
    row("CF.LOADCHUNK of all chunks", costs)


def part_quotient(server):
    reserves = []
    for _ in range(20):
        reserves.append(server.cost(b"CF.RESERVE", b"k", b"600000000")[0])
        server.ask(b"DEL", b"k")
    row("CF.RESERVE for 600 million items", reserves)
    full_quotient_key(server, SEGMENTS)
    usual(server, b"k")
    adds(server, "CF.MEXISTS", 300, b"CF.MEXISTS", b"k")
    adds(server, "CF.INSERT", 1000, b"CF.INSERT", b"k", b"ITEMS")
    server.ask(b"COPY", b"k", b"copy")
    adds(server, "CF.INSERT, the first 10 commands after COPY", 10, b"CF.INSERT", b"k", b"ITEMS")
    adds(server, "CF.INSERT, the next 5,000 after COPY", 5000, b"CF.INSERT", b"k", b"ITEMS")
    dumped(server, b"CF", b"copy", 500)
    row("UNLINK of what was loaded", [server.cost(b"UNLINK", b"loaded")[0]])
    row("UNLINK of the copy", [server.cost(b"UNLINK", b"copy")[0]])
    row("UNLINK", [server.cost(b"UNLINK", b"k")[0]])


def run(part, module):
    with tempfile.TemporaryDirectory() as folder:
        server = Server(module, folder)
        if part == "quotient":
            part_quotient(server)
        elif part == "growing":
            part_growing(server)
        else:
            part_bloom(server, part)
        server.stop()


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    print(f"{'milliseconds of the main thread':58} {'sent':>6} {'median':>9} {'99 %':>9} {'slowest':>9}")
    for part in sys.argv[2:] or ("bloomery", "redisbloom", "quotient", "growing"):
        print(f"-- {part}")
        for _ in range(ROUNDS):
            run(part, sys.argv[1])
        print_rows()


main()
