"""Writes columns of every type into FOLDER with Arrow and DuckDB, with filters for fpp 0.01 and several row groups,
and the texts of their values.

    write_types.py FOLDER

It prints FILE COLUMN NAME ROWS for every column that has filters; ROWS are those of a row group. NAME.present has the
values in the order of the rows, and NAME.absent has values that the column lacks.

Value n of a column is made by a rule. Even numbers are present and odd ones absent.
"""
import decimal
import struct
import sys

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

folder = sys.argv[1]
ROWS = 3000
ABSENT = 31000
columns = {}  # name -> (type, value of n, text of n, how many values there are)


def column(name, kind, value, text=str, values=None, limit=1 << 60):
    """`value` makes what Arrow stores, `text` the text of it; `values` makes the array of what is stored."""
    columns[name] = (kind, value, text, values or (lambda stored: pa.array(stored, kind)), limit)


def stored_as(integers, kind):
    return lambda stored: pa.array(stored, integers).cast(kind)


for bits, factor in ((8, 1), (16, 1), (32, 2654435761), (64, 0x9E3779B97F4A7C15)):
    for sign, least in (("", -(1 << (bits - 1))), ("u", 0)):
        column(f"{sign}int{bits}", getattr(pa, f"{sign}int{bits}")(),
               lambda n, bits=bits, factor=factor, least=least: n * factor % (1 << bits) + least, limit=1 << bits)
column("float16", pa.float16(), lambda n: struct.unpack("<e", struct.pack("<H", n + 1))[0], repr, limit=31743)
column("float32", pa.float32(), lambda n: struct.unpack("<f", struct.pack("<I", 0x3F000000 + n * 17))[0], repr)
column("float64", pa.float64(), lambda n: n / 7 - 1000, repr)
wide = decimal.Context(prec=100)
for precision, scale, factor in ((5, 2, 2), (9, 2, 20011), (18, 4, 10**13 + 7), (38, 10, 10**33 + 7), (76, 20, 10**71 + 7)):
    kind = (pa.decimal256 if precision > 38 else pa.decimal128)(precision, scale)
    column(f"decimal{precision}", kind,
           lambda n, scale=scale, factor=factor: decimal.Decimal((n - 20000) * factor).scaleb(-scale, wide),
           lambda value: format(value, "f"))


def day_text(days):
    year, rest = divmod(days + 719468, 146097)  # of cycles of 400 years that begin on the first of March
    of_cycle = (rest - rest // 1460 + rest // 36524 - rest // 146096) // 365
    of_year = rest - (365 * of_cycle + of_cycle // 4 - of_cycle // 100)
    month = (5 * of_year + 2) // 153
    day = of_year - (153 * month + 2) // 5 + 1
    number = (month + 2) % 12 + 1
    return f"{year * 400 + of_cycle + (number <= 2):04d}-{number:02d}-{day:02d}"


def time_text(units, digits):
    seconds, fraction = divmod(units, 10**digits)
    return f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}.{fraction:0{digits}d}"


def moment_text(units, digits):
    days, rest = divmod(units, 86400 * 10**digits)
    return day_text(days) + "T" + time_text(rest, digits)


column("date", pa.date32(), lambda n: n * 13 - 200000, day_text, stored_as(pa.int32(), pa.date32()))
for unit, digits in (("ms", 3), ("us", 6), ("ns", 9)):
    times = (pa.time32 if unit == "ms" else pa.time64)(unit)
    column(f"time_{unit}", times, lambda n, digits=digits: n * 1393 * 10**(digits - 3) + n % 10**(digits - 3),
           lambda value, digits=digits: time_text(value, digits),
           stored_as(pa.int32() if unit == "ms" else pa.int64(), times))
    for zone, mark in ((None, ""), ("Asia/Kathmandu", "Z")):
        kind = pa.timestamp(unit, tz=zone)
        column(f"{'zoned' if zone else 'local'}_{unit}", kind,
               lambda n, digits=digits: (n * 100003 - 1700000000) * 10**digits + n,
               lambda value, digits=digits, mark=mark: moment_text(value, digits) + mark, stored_as(pa.int64(), kind))
column("uuid", pa.uuid(), lambda n: (n * 0x123456789ABCDEF0123456789ABCDEF1 % (1 << 128)).to_bytes(16, "big"),
       lambda value: "-".join((value.hex()[:8], value.hex()[8:12], value.hex()[12:16], value.hex()[16:20], value.hex()[20:])))
for name, kind in (("string", pa.string()), ("large", pa.large_string()), ("view", pa.string_view()),
                   ("dictionary", pa.dictionary(pa.int32(), pa.string()))):
    column(name, kind, lambda n: f"wörd-{n * 2654435761 % (1 << 32)}")
column("binary", pa.binary(), lambda n: f"{n}".encode(), bytes.decode)
column("fixed", pa.binary(7), lambda n: f"{n:07d}".encode(), bytes.decode)
column("list", pa.list_(pa.int32()), lambda n: [n], lambda value: str(value[0]))
column("group", pa.struct([("x", pa.struct([("y", pa.int64())]))]), lambda n: {"x": {"y": n}}, lambda value: str(value["x"]["y"]))
column("map", pa.map_(pa.string(), pa.int16()), lambda n: [(f"k{n}", n)], lambda value: value[0][0], limit=32767)
PATHS = {"list": "list.list.element", "group": "group.x.y", "map": "map.key_value.key"}

table = {}
for name, (kind, value, text, values, limit) in columns.items():
    present = [value(2 * (i % (min(limit, 2 * ROWS) // 2))) for i in range(ROWS)]
    table[name] = values(present)
    with open(f"{folder}/{name}.present", "w", encoding="utf-8", newline="\n") as file:
        file.writelines(text(one) + "\n" for one in present)
    with open(f"{folder}/{name}.absent", "w", encoding="utf-8", newline="\n") as file:
        file.writelines(text(value(2 * i + 1)) + "\n" for i in range(min(limit // 2, ABSENT)))


def tell(path):
    group = pq.read_metadata(path).row_group(0)
    for i in range(group.num_columns):
        if group.column(i).bloom_filter_offset is not None:
            place = group.column(i).path_in_schema
            name = place.split(".")[0]
            if place == PATHS.get(name, name):
                print(path, place, name, group.num_rows)


def write_arrow(file, names, **options):
    wanted = {PATHS.get(name, name): {"ndv": ROWS // 3, "fpp": 0.01} for name in names}
    pq.write_table(pa.table({name: table[name] for name in names}), f"{folder}/{file}.parquet", row_group_size=ROWS // 3,
                   bloom_filter_options=wanted, **options)
    tell(f"{folder}/{file}.parquet")


write_arrow("arrow", list(columns))
write_arrow("arrow-integers", [name for name in columns if name.startswith(("decimal", "uint"))],
            store_decimal_as_integer=True, version="1.0")
write_arrow("arrow-int96", [name for name in columns if name.startswith(("local", "zoned"))],
            use_deprecated_int96_timestamps=True)

# DuckDB reads Arrow's file and writes what it has types for: its zoned timestamps are of microseconds. It writes no filter
# for decimals in fixed bytes.
arrow = f"{folder}/arrow.parquet"
names = [name for name in columns if name not in ("decimal76", "float16", "zoned_ns")]
duckdb.sql(f"""COPY (SELECT {", ".join(f'"{name}"' for name in names)} FROM '{arrow}') TO '{folder}/duckdb.parquet'
    (FORMAT parquet, BLOOM_FILTER_FALSE_POSITIVE_RATIO 0.01, ROW_GROUP_SIZE 3000, DICTIONARY_SIZE_LIMIT 3000,
    STRING_DICTIONARY_PAGE_SIZE_LIMIT 1000000000)""")
tell(f"{folder}/duckdb.parquet")
