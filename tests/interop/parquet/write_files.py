"""Writes the present keys of KEYS as arrow.parquet and duckdb.parquet into FOLDER, columns text, int and long with
Bloom filters for fpp 0.01, and prints one line for each: FILE COLUMN OFFSET LENGTH of the filter.

    write_files.py KEYS FOLDER

Then asks DuckDB itself, by parquet_bloom_probe, for the first 500 keys that are in and 2,000 that are not, of the text
and long columns: the ones that it does not exclude go to duckdb.COLUMN.probed, and what was asked to duckdb.COLUMN.asked.
"""
import sys

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

keys, folder = sys.argv[1:]


def lines(kind, which):
    with open(f"{keys}/{kind}.{which}", encoding="utf-8", newline="\n") as file:
        return file.read().split("\n")[:-1]


table = pa.table({
    "text": pa.array(lines("text", "present"), pa.string()),
    "int": pa.array([int(line) for line in lines("int", "present")], pa.int32()),
    "long": pa.array([int(line) for line in lines("long", "present")], pa.int64()),
})
files = {"arrow": f"{folder}/arrow.parquet", "duckdb": f"{folder}/duckdb.parquet"}
wanted = {"ndv": table.num_rows, "fpp": 0.01}
pq.write_table(table, files["arrow"], bloom_filter_options={name: wanted for name in table.column_names})

# DuckDB writes filters only for chunks that are dictionary-coded, so its dictionaries may be large here.
duckdb.sql(f"""COPY "table" TO '{files["duckdb"]}' (FORMAT parquet, BLOOM_FILTER_FALSE_POSITIVE_RATIO 0.01,
    ROW_GROUP_SIZE 200000, DICTIONARY_SIZE_LIMIT 200000, STRING_DICTIONARY_PAGE_SIZE_LIMIT 1000000000)""")

for path in files.values():
    group = pq.read_metadata(path).row_group(0)
    for i in range(group.num_columns):
        column = group.column(i)
        print(path, column.path_in_schema, column.bloom_filter_offset, column.bloom_filter_length)

for column, parse in (("text", str), ("long", int)):
    present = lines(column, "present")
    absent = lines(column, "all")[len(present):]
    asked = present[:500] + absent[:2000]
    with open(f"{folder}/duckdb.{column}.asked", "w", encoding="utf-8", newline="\n") as file:
        file.writelines(key + "\n" for key in asked)
    with open(f"{folder}/duckdb.{column}.probed", "w", encoding="utf-8", newline="\n") as file:
        for key in asked:
            excludes = duckdb.execute("SELECT bool_and(bloom_filter_excludes) FROM parquet_bloom_probe(?, ?, ?)",
                                      [files["duckdb"], column, parse(key)]).fetchone()[0]
            if not excludes:
                file.write(key + "\n")
