"""Writes Parquet files of 3,000,000 rows with filters into FOLDER, for verify_bench; with pyarrow 26.

    parquet_files.py FOLDER

plain_*: distinct URLs of 29 bytes; dict_*: 100,000 distinct names; str_* and i64_*: the other encodings.
"""
import random
import sys

import pyarrow as pa
import pyarrow.parquet as pq

folder = sys.argv[1]
rows = 3_000_000
random.seed(1)
urls = pa.array([f"https://example.org/{random.randrange(10**9):09d}" for _ in range(rows)])
names = [f"city-{i:06d}-{i * 7919 % 1000003}" for i in range(100_000)]
few = pa.array([names[random.randrange(len(names))] for _ in range(rows)])
numbers = pa.array([random.randrange(10**12) for _ in range(rows)])


def write(file, values, distinct, **options):
    pq.write_table(pa.table({"k": values}), f"{folder}/{file}.parquet", row_group_size=500_000, write_statistics=False,
                   store_schema=False, bloom_filter_options={"k": {"ndv": distinct, "fpp": 0.01}}, **options)


for codec in ("none", "snappy"):
    write(f"plain_{codec}", urls, 500_000, use_dictionary=False, compression=codec)
    write(f"dict_{codec}", few, 100_000, dictionary_pagesize_limit=1 << 24, compression=codec)
for kind, values, encodings in (("str", urls, ("DELTA_LENGTH_BYTE_ARRAY", "DELTA_BYTE_ARRAY")),
                                ("i64", numbers, ("PLAIN", "DELTA_BINARY_PACKED", "BYTE_STREAM_SPLIT"))):
    for encoding in encodings:
        write(f"{kind}_{encoding.lower()}", values, 500_000, use_dictionary=False, compression="none",
              column_encoding={"k": encoding})
