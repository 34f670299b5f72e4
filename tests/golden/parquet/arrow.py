"""Writes the files arrow_* of this folder into FOLDER, with pyarrow 26.0.1.

    arrow.py FOLDER

Each FILE.parquet has two row groups, the encrypted ones one. FILE.keys has one line for each value: COLUMN <tab> TEXT, where
TEXT is the value as the column's type takes it.
"""
import datetime
import decimal
import sys
import uuid

import pyarrow as pa
import pyarrow.parquet as pq
import pyarrow.parquet.encryption as pe

folder = sys.argv[1]
rows = 24
utc = datetime.timezone.utc


def spread(least, most):
    return [least + (most - least) * i // (rows - 1) for i in range(rows)]


def moments(step):
    begin = datetime.datetime(1968, 12, 31, 23, 58, 59)
    return [begin + i * step for i in range(rows)]


def shown_time(time, digits):
    text = time.strftime("%H:%M:%S") + f".{time.microsecond:06d}000"
    return text[: 9 + digits]


def shown_moment(moment, digits):
    return moment.strftime("%Y-%m-%d") + "T" + shown_time(moment.time(), digits)


columns = {}  # name -> (array, texts)


def add(name, kind, values, texts=None):
    texts = [str(value) for value in values] if texts is None else texts
    columns[name] = (pa.array(values, kind), texts)


for bits in (8, 16, 32, 64):
    add(f"int{bits}", getattr(pa, f"int{bits}")(), spread(-2 ** (bits - 1), 2 ** (bits - 1) - 1))
    add(f"uint{bits}", getattr(pa, f"uint{bits}")(), spread(0, 2**bits - 1))
floats = [0.0, -0.0, float("nan"), float("inf"), float("-inf")] + [i * 0.625 - 7 for i in range(rows - 5)]
for bits in (16, 32, 64):
    add(f"float{bits}", getattr(pa, f"float{bits}")(), floats)
for precision, scale in ((7, 2), (16, 4), (38, 10), (76, 20)):
    values = [decimal.Decimal(i - 12).scaleb(precision - 2) * decimal.Decimal(7) / 11 for i in range(rows)]
    context = decimal.Context(prec=100)
    values = [decimal.Decimal(int(value)).scaleb(-scale, context) for value in values]
    kind = (pa.decimal256 if precision > 38 else pa.decimal128)(precision, scale)
    add(f"decimal{precision}", kind, values, [format(value, "f") for value in values])
days = [datetime.date(1, 1, 1), datetime.date(9999, 12, 31)] + [m.date() for m in moments(datetime.timedelta(days=37))[2:]]
add("date", pa.date32(), days)
for unit, digits, step in (("ms", 3, 1000), ("us", 6, 1), ("ns", 9, 1)):
    few = [m.replace(microsecond=m.microsecond // step * step)
           for m in moments(datetime.timedelta(days=31, seconds=4321, microseconds=123457))]
    add(f"time_{unit}", (pa.time32 if unit == "ms" else pa.time64)(unit), [m.time() for m in few],
        [shown_time(m.time(), digits) for m in few])
    add(f"local_{unit}", pa.timestamp(unit), few, [shown_moment(m, digits) for m in few])
    add(f"zoned_{unit}", pa.timestamp(unit, tz="Europe/Oslo"), [m.replace(tzinfo=utc) for m in few],
        [shown_moment(m, digits) + "Z" for m in few])
add("uuid", pa.uuid(), [uuid.UUID(int=i * 0x1234567890ABCDEF0123456789).bytes for i in range(rows)],
    [str(uuid.UUID(int=i * 0x1234567890ABCDEF0123456789)) for i in range(rows)])
words = [f"w\u00f6rd{i}" for i in range(rows)]
add("string", pa.string(), words)
add("large", pa.large_string(), words)
add("binary", pa.binary(), [word.encode() for word in words], words)
add("fixed", pa.binary(3), [f"{i:03d}".encode() for i in range(rows)], [f"{i:03d}" for i in range(rows)])
add("dictionary", pa.dictionary(pa.int32(), pa.string()), [f"d{i % 5}" for i in range(rows)])
add("optional", pa.int32(), [None if i % 3 == 0 else i for i in range(rows)], [str(i) for i in range(rows) if i % 3])
add("list", pa.list_(pa.int64()), [[i, i + 100] for i in range(rows)],
    [str(i) for i in range(rows)] + [str(i + 100) for i in range(rows)])
add("group", pa.struct([("x", pa.int16()), ("y", pa.struct([("z", pa.string())]))]),
    [{"x": i, "y": {"z": f"z{i}"}} for i in range(rows)])
add("map", pa.map_(pa.string(), pa.float64()), [[(f"m{i}", i / 4)] for i in range(rows)])
add("bool", pa.bool_(), [i % 2 == 0 for i in range(rows)], [])
add("bare", pa.int32(), list(range(rows)))  # no filter is asked for
nested = {"list": [("list.list.element", columns["list"][1])],
          "group": [("group.x", [str(i) for i in range(rows)]), ("group.y.z", [f"z{i}" for i in range(rows)])],
          "map": [("map.key_value.key", [f"m{i}" for i in range(rows)]),
                  ("map.key_value.value", [str(i / 4) for i in range(rows)])]}


def write(file, names, **options):
    table = pa.table({name: columns[name][0] for name in names})
    paths = [path for name in names for path in nested.get(name, [(name, columns[name][1])])]
    wanted = {path: {"ndv": rows // 2, "fpp": 0.001} for path, _ in paths if path not in ("bool", "bare")}
    pq.write_table(table, f"{folder}/{file}.parquet", row_group_size=rows // 2, bloom_filter_options=wanted,
                   write_statistics=False, store_schema=False, **options)
    with open(f"{folder}/{file}.keys", "w", encoding="utf-8", newline="\n") as keys:
        keys.writelines(f"{path}\t{text}\n" for path, texts in paths for text in texts)


def write_ranges(file, names, **options):
    """The same columns without filters, but with statistics; the values of arrow_types.keys are in."""
    table = pa.table({name: columns[name][0] for name in names})
    pq.write_table(table, f"{folder}/{file}.parquet", row_group_size=rows // 2, write_statistics=True,
                   store_schema=False, **options)


write("arrow_types", list(columns))
write("arrow_integers", ["decimal7", "decimal16", "uint32"], store_decimal_as_integer=True, version="1.0")
write("arrow_int96", ["local_ns", "zoned_us"], use_deprecated_int96_timestamps=True)
write_ranges("arrow_ranges", list(columns))


class Keys(pe.KmsClient):
    """Wraps keys in nothing: what is encrypted here is no secret."""

    def wrap_key(self, key_bytes, master_key_identifier):
        return key_bytes.hex().encode()

    def unwrap_key(self, wrapped_key, master_key_identifier):
        return bytes.fromhex(wrapped_key.decode())


factory = pe.CryptoFactory(lambda config: Keys())
table = pa.table({"open": pa.array(range(rows), pa.int32()), "secret": pa.array(range(rows), pa.int64())})
for file, plain in (("arrow_encrypted_columns", True), ("arrow_encrypted_footer", False)):
    configuration = pe.EncryptionConfiguration(footer_key="f", column_keys={"c": ["secret"]}, plaintext_footer=plain,
                                               encryption_algorithm="AES_GCM_V1")
    properties = factory.file_encryption_properties(pe.KmsConnectionConfig(), configuration)
    with pq.ParquetWriter(f"{folder}/{file}.parquet", table.schema, encryption_properties=properties,
                          store_schema=False) as writer:
        writer.write_table(table)
