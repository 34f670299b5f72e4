#!/usr/bin/env python3
"""Damages genuine files in more than 200 ways, and has `bloomery verify` find each.

    damaged_files.py make FOLDER             writes the files, and FOLDER/manifest.tsv
    damaged_files.py check FOLDER BLOOMERY   verifies each; prints a table; writes FOLDER/verdicts.tsv

The files are the golden ones, which the real systems wrote. A damage is one that a reader must not believe: a bit
that a key set is cleared; a filter was truncated, swapped, made of half of the keys, or by another hash; a block or
the data has other bytes. Where the system's checksum covers the filter, a bit is also cleared with the checksum made
anew, as if the writer had lied. The choice is drawn from a fixed seed, so the files are the same everywhere.

manifest.tsv: number, system, damage, path. Files with the damage `none` are the originals.

check: every damaged file must be reported with exit status 3, and no original may be. Exit status: 0 if so, else 1.
"""
import collections
import json
import os
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import zlib

GOLDEN = os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "golden")
MASK = (1 << 64) - 1


# ---- Hashes and checksums. Each hash is also made wrongly: with another seed, or with bytes that have no sign.

def rotl(x, r):
    return ((x << r) | (x >> (64 - r))) & MASK


def murmur3(key, seed=0, signed=True):
    """MurmurHash3_x64_128 as Cassandra has it: the bytes of the tail are signed."""
    c1, c2 = 0x87C37B91114253D5, 0x4CF5AD432745937F
    h1 = h2 = seed

    def mix(k, first, r, second):
        return rotl(k * first & MASK, r) * second & MASK

    full = len(key) // 16 * 16
    for i in range(0, full, 16):
        k1, k2 = struct.unpack_from("<QQ", key, i)
        h1 = ((rotl(h1 ^ mix(k1, c1, 31, c2), 27) + h2) * 5 + 0x52DCE729) & MASK
        h2 = ((rotl(h2 ^ mix(k2, c2, 33, c1), 31) + h1) * 5 + 0x38495AB5) & MASK
    k = [0, 0]
    for i, byte in enumerate(key[full:]):
        value = byte - 256 if signed and byte > 127 else byte
        k[i // 8] ^= (value << (8 * (i % 8))) & MASK
    h1 ^= mix(k[0], c1, 31, c2)
    h2 ^= mix(k[1], c2, 33, c1)

    def final(x):
        x = (x ^ (x >> 33)) * 0xFF51AFD7ED558CCD & MASK
        x = (x ^ (x >> 33)) * 0xC4CEB9FE1A85EC53 & MASK
        return x ^ (x >> 33)

    h1, h2 = h1 ^ len(key), h2 ^ len(key)
    h1 = (h1 + h2) & MASK
    h2 = (h2 + h1) & MASK
    h1, h2 = final(h1), final(h2)
    h1 = (h1 + h2) & MASK
    return h1, (h2 + h1) & MASK


def xxh64(key, seed=0):
    """XXH64 of fewer than 32 bytes."""
    p1, p2, p3, p4, p5 = (0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0x85EBCA77C2B2AE63,
                          0x27D4EB2F165667C5)
    h = (seed + p5 + len(key)) & MASK
    i = 0
    while len(key) - i >= 8:
        lane = rotl(struct.unpack_from("<Q", key, i)[0] * p2 & MASK, 31) * p1 & MASK
        h = (rotl(h ^ lane, 27) * p1 + p4) & MASK
        i += 8
    if len(key) - i >= 4:
        h = (rotl(h ^ (struct.unpack_from("<I", key, i)[0] * p1 & MASK), 23) * p2 + p3) & MASK
        i += 4
    for byte in key[i:]:
        h = rotl(h ^ (byte * p5 & MASK), 11) * p1 & MASK
    h = (h ^ (h >> 33)) * p2 & MASK
    h = (h ^ (h >> 29)) * p3 & MASK
    return h ^ (h >> 32)


CRC32C = []
for n in range(256):
    for _ in range(8):
        n = (n >> 1) ^ (0x82F63B78 if n & 1 else 0)
    CRC32C.append(n)


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc = CRC32C[(crc ^ byte) & 255] ^ (crc >> 8)
    return crc ^ 0xFFFFFFFF


def masked(crc):
    return (((crc >> 15) | (crc << 17)) + 0xA282EAD8) & 0xFFFFFFFF


# ---- Changes of bytes

def set_bits(data, begin, end):
    return [(at, bit) for at in range(begin, end) for bit in range(8) if data[at] >> bit & 1]


def with_bit_cleared(data, at, bit):
    return data[:at] + bytes([data[at] & ~(1 << bit)]) + data[at + 1:]


def with_byte_changed(data, at):
    return data[:at] + bytes([data[at] ^ 0x55]) + data[at + 1:]


def replaced(data, begin, part):
    return data[:begin] + part + data[begin + len(part):]


class Corpus:
    def __init__(self, folder):
        self.folder = folder
        self.rows = []
        self.random = random.Random(41)

    def add(self, system, damage, files, main, group=""):
        """Writes `files` (name: bytes) into a folder of their own; `main` is the name to verify, or a folder."""
        number = len(self.rows) + 1
        path = os.path.join("%03d-%s" % (number, system), group)
        os.makedirs(os.path.join(self.folder, path), exist_ok=True)
        for name, data in files.items():
            with open(os.path.join(self.folder, path, name), "wb") as out:
                out.write(data)
        self.rows.append((number, system, damage, os.path.normpath(os.path.join(path, main))))

    def bits(self, data, begin, end, count):
        return self.random.sample(set_bits(data, begin, end), count)

    def write_manifest(self):
        with open(os.path.join(self.folder, "manifest.tsv"), "w") as out:
            out.write("number\tsystem\tdamage\tpath\n")
            for row in self.rows:
                out.write("%d\t%s\t%s\t%s\n" % row)


# ---- Cassandra: sstables with all components

def cassandra_tables():
    """Yields (archive, table, component name without its last part, files) of each sstable with all components."""
    for archive in sorted(os.listdir(os.path.join(GOLDEN, "cassandra-written"))):
        if not archive.endswith(".tar.zst"):
            continue
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run(["tar", "--zstd", "-xf", os.path.join(GOLDEN, "cassandra-written", archive), "-C", folder],
                           check=True)
            for where, _, names in sorted(os.walk(folder)):
                for name in sorted(names):
                    if name.endswith("-Filter.db"):
                        prefix = name[:-len("Filter.db")]
                        files = {n: open(os.path.join(where, n), "rb").read() for n in names if n.startswith(prefix)}
                        if prefix + "Index.db" in files or prefix + "Partitions.db" in files:
                            yield archive.split(".tar")[0], os.path.basename(where), prefix, files


def index_keys(index):
    """The keys of an Index.db of version ma or later."""

    def vint(at):
        extra = 0
        while extra < 8 and index[at] >> (7 - extra) & 1:
            extra += 1
        value = index[at] & ((1 << (7 - extra)) - 1) if extra < 7 else 0
        for i in range(extra):
            value = value << 8 | index[at + 1 + i]
        return value, at + 1 + extra

    keys, at = [], 0
    while at < len(index):
        size = struct.unpack_from(">H", index, at)[0]
        keys.append(index[at + 2:at + 2 + size])
        _, at = vint(at + 2 + size)
        promoted, at = vint(at)
        at += promoted
    return keys


def cassandra_filter(old, keys, hashed=murmur3, word_order="<"):
    """A filter of the size of `old`, in the layout of na and later: base h2, step h1."""
    hashes, words = struct.unpack_from(">iI", old)
    bits = words * 64
    bitset = bytearray(words * 8)
    for key in keys:
        h1, h2 = hashed(key)
        base = h2 - (1 << 64) if h2 >> 63 else h2
        step = h1 - (1 << 64) if h1 >> 63 else h1
        for _ in range(hashes):
            value = base & MASK
            value = value - (1 << 64) if value >> 63 else value
            index = abs(value) % bits if value != -(1 << 63) else (1 << 63) % bits
            bitset[index // 8] |= 1 << (index % 8)
            base += step
    words_of = struct.unpack("<%dQ" % words, bitset)
    return old[:8] + struct.pack(word_order + "%dQ" % words, *words_of)


def damage_cassandra(corpus):
    tables = list(cassandra_tables())
    for archive, table, prefix, files in tables:
        name = prefix + "Filter.db"
        old = files[name]

        def add(damage, **changed):
            every = dict(files)
            every.update({prefix + part.replace("_", "."): data for part, data in changed.items()})
            corpus.add("cassandra", damage, every, name, os.path.join(archive, table))

        add("none")
        if table not in ("text", "int", "uuid", "uuid_compacted", "text_uni"):
            continue
        for at, bit in corpus.bits(old, 8, len(old), 4):
            add("a bit of the filter cleared", Filter_db=with_bit_cleared(old, at, bit))
        add("filter truncated", Filter_db=old[:len(old) - 9])
        if prefix + "Index.db" in files:
            index = files[prefix + "Index.db"]
            keys = index_keys(index)
            if "nb-" in archive or "oa-" in archive:
                if cassandra_filter(old, keys) == old:
                    add("filter of half of the keys", Filter_db=cassandra_filter(old, keys[::2]))
                    add("words in the byte order of older versions", Filter_db=cassandra_filter(old, keys, word_order=">"))
                    add("a seed off by one", Filter_db=cassandra_filter(old, keys, lambda key: murmur3(key, 1)))
                    if table == "text_uni":
                        add("hash of unsigned bytes",
                            Filter_db=cassandra_filter(old, keys, lambda key: murmur3(key, 0, signed=False)))
                else:
                    print("cassandra: the filter of %s %s is not predicted" % (archive, table), file=sys.stderr)
            add("index truncated", Index_db=index[:len(index) * 2 // 3])
            at = corpus.random.randrange(2, 10)
            add("a key of the index has another byte", Index_db=with_byte_changed(index, at))
        else:
            trie = files[prefix + "Partitions.db"]
            add("trie truncated", Partitions_db=trie[:len(trie) * 2 // 3])
            add("trie has another byte", Partitions_db=with_byte_changed(trie, len(trie) - 30))
        data = files[prefix + "Data.db"]
        add("data has another byte", Data_db=with_byte_changed(data, len(data) // 2))
        digest = [part for part in files if "Digest" in part]
        if digest:
            part = digest[0][len(prefix):].replace(".", "_")
            add("digest of other data", **{part: b"12345"})
    swap_cassandra(corpus, tables)


def swap_cassandra(corpus, tables):
    """Filters of other tables, and of an older flush of the same table."""
    for archive, table, prefix, files in tables:
        name = prefix + "Filter.db"
        others = [t for t in tables if t[0] == archive and (t[1], t[2]) != (table, prefix)]
        if table == "int":
            for other in others:
                if other[1] in ("bigint", "ascii"):
                    changed = dict(files)
                    changed[name] = other[3][other[2] + "Filter.db"]
                    corpus.add("cassandra", "filter of another table", changed, name, os.path.join(archive, table))
        if table in ("text_three_flushes", "uuid_three_flushes") and "-3-" in prefix:  # the second has no new key
            older = [t for t in others if t[1] == table and t[2] < prefix]
            if older:
                changed = dict(files)
                changed[name] = older[0][3][older[0][2] + "Filter.db"]
                corpus.add("cassandra", "filter of an older flush", changed, name, os.path.join(archive, table))


# ---- Parquet

FILTER_HEADER = re.compile(rb"\x15([\x80-\xff]*[\x00-\x7f])\x1c\x1c\x00\x00\x1c\x1c\x00\x00\x1c\x1c\x00\x00\x00")
SALT = (0x47B6137B, 0x44974D91, 0x8824AD5B, 0xA2B7289D, 0x705495C7, 0x2DF1424B, 0x9EFC4947, 0x5C6BFB31)


def bitsets(file):
    """Returns the begin and end of each filter's bitset."""
    found = []
    for match in FILTER_HEADER.finditer(file):
        size = 0
        for i, byte in enumerate(match.group(1)):
            size |= (byte & 127) << (7 * i)
        found.append((match.end(), match.end() + size // 2))
    return found


def split_block_filter(size, hashes):
    words = [0] * (size // 4)
    for h in hashes:
        block = (h >> 32) * (size // 32) >> 32
        for i, salt in enumerate(SALT):
            words[block * 8 + i] |= 1 << ((h & 0xFFFFFFFF) * salt % (1 << 32) >> 27)
    return struct.pack("<%dI" % len(words), *words)


def damage_parquet(corpus):
    for name, distinct in (("n1_p0.01", 1), ("n100_p0.05", 100), ("n500_p0.001", 500), ("arrow_types", 0),
                           ("arrow_integers", 0), ("arrow_int96", 0)):
        with open(os.path.join(GOLDEN, "parquet", name + ".parquet"), "rb") as source:
            file = source.read()

        def add(damage, changed):
            corpus.add("parquet", damage, {name + ".parquet": changed}, name + ".parquet")

        add("none", file)
        found = bitsets(file)
        for begin, end in found[:4]:
            for at, bit in corpus.bits(file, begin, end, 2):
                add("a bit of the filter cleared", with_bit_cleared(file, at, bit))
        add("truncated", file[:len(file) * 3 // 4])
        add("size of the footer has another byte", with_byte_changed(file, len(file) - 7))
        if distinct < 100:
            continue
        first, second = found[0], found[1]
        part = file[second[0]:second[1]]
        add("filter of another column", replaced(file, first[0], part))
        values = [b"key%06d" % k for k in range(distinct)]
        size = first[1] - first[0]
        if split_block_filter(size, map(xxh64, values)) == file[first[0]:first[1]]:
            half = split_block_filter(size, [xxh64(v) for v in values[::2]])
            add("filter of half of the keys", replaced(file, first[0], half))
            add("a seed off by one", replaced(file, first[0], split_block_filter(size, [xxh64(v, 1) for v in values])))
            swapped = struct.pack(">%dI" % (size // 4), *struct.unpack("<%dI" % (size // 4), file[first[0]:first[1]]))
            add("words in another byte order", replaced(file, first[0], swapped))
        else:
            print("parquet: the filter of %s is not predicted" % name, file=sys.stderr)
        for at in (50, 70):  # in the dictionary of the first column
            add("a value of the dictionary has another byte", with_byte_changed(file, at))


# ---- LevelDB and RocksDB

def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def block_entries(block):
    restarts = struct.unpack_from("<I", block, len(block) - 4)[0]
    at, key = 0, b""
    while at < len(block) - 4 * restarts - 4:
        shared, at = varint(block, at)
        unshared, at = varint(block, at)
        size, at = varint(block, at)
        key = key[:shared] + block[at:at + unshared]
        yield key, block[at + unshared:at + unshared + size]
        at += unshared + size


def table_blocks(table):
    """Returns {name: (offset, size)} of the blocks that the footer and the metaindex name."""
    leveldb = table[-8:] == bytes.fromhex("57fb808b247547db")
    at = len(table) - (48 if leveldb else 52)
    blocks = {}
    for name in ("metaindex", "index"):
        offset, at = varint(table, at)
        size, at = varint(table, at)
        blocks[name] = (offset, size)
    offset, size = blocks["metaindex"]
    if table[offset + size] == 0 and size:
        for key, value in block_entries(table[offset:offset + size]):
            begin, at = varint(value, 0)
            blocks[key.decode()] = (begin, varint(value, at)[0])
    return blocks


def with_new_checksum(table, offset, size):
    """The block's crc32c made anew; nothing if the table has another checksum."""
    return replaced(table, offset + size + 1, struct.pack("<I", masked(crc32c(table[offset:offset + size + 1]))))


def has_crc32c(table, offset, size):
    return with_new_checksum(table, offset, size) == table


def damage_table(corpus, system, name, table):
    def add(damage, changed):
        corpus.add(system, damage, {name: changed}, name)

    add("none", table)
    add("truncated", table[:len(table) - 100])
    add("magic has another byte", with_byte_changed(table, len(table) - 3))
    blocks = table_blocks(table)
    for part, (offset, size) in sorted(blocks.items()):
        if size:
            what = "filter" if part.lower().startswith(("filter", "fullfilter", "partitioned")) else part.split(".")[-1]
            add("%s block has another byte" % what, with_byte_changed(table, offset + size // 2))
        if part.startswith(("filter", "fullfilter")) and size > 16 and has_crc32c(table, offset, size):
            end = offset + size - (9 if part.startswith("filter") else 5)
            for at, bit in corpus.bits(table, offset, min(end, offset + 64), 2):
                lie = with_new_checksum(with_bit_cleared(table, at, bit), offset, size)
                add("a bit of the filter cleared, checksum made anew", lie)
    add("data block has another byte", with_byte_changed(table, 10))


def zstd_file(path):
    return subprocess.run(["zstd", "-dcq", path], check=True, stdout=subprocess.PIPE).stdout


def damage_databases(corpus):
    leveldb = os.path.join(GOLDEN, "leveldb")
    for name in ("db_none", "db_snappy", "db_binary"):
        damage_table(corpus, "leveldb", "000005.ldb", zstd_file(os.path.join(leveldb, name + ".ldb.zst")))
    files = {n: open(os.path.join(leveldb, "db_logged", n), "rb").read()
             for n in os.listdir(os.path.join(leveldb, "db_logged"))}
    corpus.add("leveldb", "none", files, ".")
    tables = sorted(n for n in files if n.endswith(".ldb"))
    swapped = dict(files)
    swapped[tables[0]], swapped[tables[1]] = files[tables[1]], files[tables[0]]
    corpus.add("leveldb", "two tables swapped", swapped, ".")
    corpus.add("leveldb", "a table is missing", {n: d for n, d in files.items() if n != tables[0]}, ".")
    corpus.add("leveldb", "a table truncated", {**files, tables[1]: files[tables[1]][:-1]}, ".")
    rocksdb = os.path.join(GOLDEN, "rocksdb")
    for name in sorted(os.listdir(rocksdb)):
        if name.endswith(".sst.zst") and ("5000" in name or "long" in name or "text500" in name):
            damage_table(corpus, "rocksdb", name[:-4], zstd_file(os.path.join(rocksdb, name)))


# ---- HFiles and our own

HFILE_BLOCKS = (b"DATABLK*", b"BLMFBLK2", b"BLMFMET2", b"IDXROOT2", b"FILEINF2")


def hfile_block(file, at):
    size, _, _, kind, chunk, data = struct.unpack_from(">iiqBii", file, at + 8)
    return 33 + size, kind, chunk, data


def with_new_hfile_checksums(file, at):
    _, kind, chunk, data = hfile_block(file, at)
    sums = b""
    for begin in range(0, data, chunk):
        part = file[at + begin:at + min(begin + chunk, data)]
        sums += struct.pack(">I", zlib.crc32(part) if kind == 1 else crc32c(part))
    return replaced(file, at + data, sums)


def damage_hfiles(corpus):
    for name in ("bloom_row", "bloom_rowcol", "bloom_prefix", "bloom_delete_family", "bloom_row_murmur3"):
        with open(os.path.join(GOLDEN, "hbase", name + ".hfile"), "rb") as source:
            file = source.read()

        def add(damage, changed):
            corpus.add("hfile", damage, {name + ".hfile": changed}, name + ".hfile")

        add("none", file)
        add("truncated", file[:len(file) - 7])
        for magic in HFILE_BLOCKS:
            at = file.find(magic)
            if at > 0 or file.startswith(magic):
                size = hfile_block(file, at)[0]
                add("block %s has another byte" % magic.decode(), with_byte_changed(file, at + size // 2))
        at = file.find(b"BLMFBLK2")
        if at < 0 or with_new_hfile_checksums(file, at) != file:
            print("hfile: no chunk of %s has a checksum that is predicted" % name, file=sys.stderr)
            continue
        data = hfile_block(file, at)[3]
        for byte, bit in corpus.bits(file, at + 33, at + data, 3):
            add("a bit of the filter cleared, checksum made anew",
                with_new_hfile_checksums(with_bit_cleared(file, byte, bit), at))


def damage_native(corpus):
    folder = os.path.join(GOLDEN, "native")
    for name in sorted(os.listdir(folder)):
        if name.endswith((".bloom", ".ribbon", ".blocked", ".quotient")):
            with open(os.path.join(folder, name), "rb") as source:
                file = source.read()
            corpus.add("native", "none", {name: file}, name)
            corpus.add("native", "a bit cleared", {name: with_byte_changed(file, len(file) // 2)}, name)
            corpus.add("native", "truncated", {name: file[:-1]}, name)


# ---- The two commands

def make(folder):
    os.makedirs(folder, exist_ok=True)
    if os.listdir(folder):
        sys.exit("%s: expected an empty folder" % folder)
    corpus = Corpus(folder)
    for damage in (damage_cassandra, damage_parquet, damage_databases, damage_hfiles, damage_native):
        damage(corpus)
    corpus.write_manifest()
    damaged = sum(1 for row in corpus.rows if row[2] != "none")
    print("%d files, %d of them damaged" % (len(corpus.rows), damaged))


def verdict_of(bloomery, path):
    run = subprocess.run([bloomery, "verify", path], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    lines = run.stdout.decode("utf-8", "replace").strip().split("\n")
    return run.returncode, lines[-1].replace("\t", " ")


def check(folder, bloomery):
    with open(os.path.join(folder, "manifest.tsv")) as manifest:
        rows = [line.rstrip("\n").split("\t") for line in manifest][1:]
    wrong, counts = 0, collections.Counter()
    with open(os.path.join(folder, "verdicts.tsv"), "w") as verdicts:
        for number, system, damage, path in rows:
            status, text = verdict_of(bloomery, os.path.join(folder, path))
            verdicts.write("\t".join((number, str(status), text)) + "\n")
            # An original without a filter, or with one that cannot be read here, cannot be proven: status 1.
            is_right = status in (0, 1) if damage == "none" else status == 3
            counts[system, damage, is_right] += 1
            if not is_right:
                wrong += 1
                print("%s %s: %s: status %d: %s" % (number, system, damage, status, text))
    for system, damage in sorted({key[:2] for key in counts}):
        right, missed = counts[system, damage, True], counts[system, damage, False]
        print("%-10s %-50s %d of %d" % (system, damage, right, right + missed))
    print("%d files, %d wrong" % (len(rows), wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    if len(sys.argv) == 3 and sys.argv[1] == "make":
        make(sys.argv[2])
    elif len(sys.argv) == 4 and sys.argv[1] == "check":
        sys.exit(check(sys.argv[2], sys.argv[3]))
    else:
        sys.exit(__doc__)
