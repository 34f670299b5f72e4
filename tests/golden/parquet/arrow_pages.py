"""Writes the files pages_* of this folder into FOLDER, with pyarrow 26.0.1.

    arrow_pages.py FOLDER

Each file has 60 rows in two row groups, pages of few values, and a filter for every column. README.md says what the
columns hold.
"""
import sys

import pyarrow as pa
import pyarrow.parquet as pq

folder = sys.argv[1]
rows = 60
keys = [37 * row % 101 for row in range(rows)]


def url(key):
    return f"https://example.org/{key:03d}/page"


columns = {
    "i32": pa.array([104729 * key - 5000000 for key in keys], pa.int32()),
    "i64": pa.array([10**12 * key - 5 * 10**13 for key in keys], pa.int64()),
    "f32": pa.array([key / 4 for key in keys], pa.float32()),
    "f64": pa.array([key / 8 - 3 for key in keys], pa.float64()),
    "url": pa.array([url(key) for key in keys], pa.string()),
    "fixed": pa.array([f"{key:06d}".encode() for key in keys], pa.binary(6)),
    "optional": pa.array([None if row % 3 == 0 else url(key) for row, key in enumerate(keys)], pa.string()),
    "list": pa.array([None if row % 7 == 0 else [] if row % 5 == 0 else [key, key + 1000]
                      for row, key in enumerate(keys)], pa.list_(pa.int64())),
}
required = {"i32", "url"}  # these have no definition levels
paths = {"list": "list.list.element"}


def write(file, names, encoding=None, dictionary=False, **options):
    schema = pa.schema([pa.field(name, columns[name].type, nullable=name not in required) for name in names])
    table = pa.table([columns[name] for name in names], schema=schema)
    leaves = [paths.get(name, name) for name in names]
    if encoding is not None:
        options["column_encoding"] = {leaf: encoding for leaf in leaves}
    pq.write_table(table, f"{folder}/pages_{file}.parquet", row_group_size=rows // 2, write_batch_size=8,
                   data_page_size=64, use_dictionary=dictionary, write_statistics=False, store_schema=False,
                   write_page_checksum=True,
                   bloom_filter_options={leaf: {"ndv": rows, "fpp": 0.01} for leaf in leaves}, **options)


for version in ("1.0", "2.0"):
    v = "v" + version[0]
    write(f"plain_{v}", list(columns), "PLAIN", data_page_version=version, compression="none" if v == "v1" else "snappy")
    write(f"dictionary_{v}", list(columns), dictionary=True, data_page_version=version,
          compression="snappy" if v == "v1" else "zstd")
    write(f"delta_numbers_{v}", ["i32", "i64", "list"], "DELTA_BINARY_PACKED", data_page_version=version,
          compression="gzip" if v == "v1" else "none")
    write(f"delta_lengths_{v}", ["url", "optional"], "DELTA_LENGTH_BYTE_ARRAY", data_page_version=version,
          compression="lz4" if v == "v1" else "none")
    write(f"delta_arrays_{v}", ["url", "optional", "fixed"], "DELTA_BYTE_ARRAY", data_page_version=version,
          compression="none" if v == "v1" else "zstd")
    write(f"split_{v}", ["i32", "i64", "f32", "f64", "fixed", "list"], "BYTE_STREAM_SPLIT", data_page_version=version,
          compression="none" if v == "v1" else "lz4")
# The dictionary is full after some rows, and the rest of the values is plain.
write("fallback", ["url", "optional"], dictionary=True, dictionary_pagesize_limit=128, compression="none")
write("brotli", ["url"], "PLAIN", compression="brotli")  # a codec that is not read
