"""A filter of a column's values, built by the Spark cluster that holds them, and asked in a join.

    map      every task pipes its keys into `bloomery build --partition N`, which sorts their hashes into N range files
    shuffle  brings the files of one hash range to one task; these are 4 to 5 bytes a key, whatever the keys are
    reduce   every task builds the shards of its range: `bloomery build --shards I/N`
    merge    the driver joins the N parts; the result is byte for byte what one machine makes of all keys

`keys_of` says how a value becomes a line: integers in decimal, strings as they are, both ended by a NUL, so that a
string may hold a newline. A null is no key, since a null equals nothing in a join. The command must be on the PATH of
the executors, or named by the environment variable BLOOMERY.

Not here: other types than integers and strings, and a string with a NUL in it, which is an error.
"""
import os
import subprocess
import tempfile
import threading

import pyarrow as pa
import pyarrow.compute as pc
from pyspark import SparkFiles
from pyspark.sql import functions as sql

COMMAND = os.environ.get("BLOOMERY", "bloomery")
FILE_SCHEMA = "range int, bytes binary"


class Failed(Exception):
    """The command ended with an error; the text is what it said."""


def run(arguments, **more):
    done = subprocess.run([COMMAND, *arguments], stderr=subprocess.PIPE, **more)
    if done.returncode != 0:
        raise Failed(f"bloomery {arguments[0]}: status {done.returncode}: {done.stderr.decode(errors='replace')}")


def keys_of(column):
    """The values of an Arrow column as lines that end in NUL. Nulls are left out."""
    values = column.drop_null()
    if pa.types.is_integer(values.type):
        values = pc.cast(values, pa.string())
    elif not (pa.types.is_string(values.type) or pa.types.is_large_string(values.type)):
        raise TypeError(f"expected a column of integers or strings, found {values.type}")
    elif pc.any(pc.match_substring(values, "\0")).as_py():
        raise ValueError("expected strings without a NUL")
    if len(values) == 0:
        return b""
    everything = pa.ListArray.from_arrays(pa.array([0, len(values)], pa.int32()), values.cast(pa.string()))
    return pc.binary_join(everything, "\0")[0].as_buffer().to_pybytes() + b"\0"


def pipe_keys(batches, arguments, folder):
    """Runs the command with the first column of all batches as its standard input."""
    with open(os.path.join(folder, "said"), "w+b") as said:
        command = subprocess.Popen([COMMAND, *arguments], stdin=subprocess.PIPE, stderr=said)
        try:
            for batch in batches:
                command.stdin.write(keys_of(batch.column(0)))
            command.stdin.close()
        except BrokenPipeError:
            pass  # the command has ended, and says why
        if command.wait() != 0:
            said.seek(0)
            raise Failed(f"bloomery {arguments[0]}: status {command.returncode}: "
                         f"{said.read().decode(errors='replace')}")


def rows_of(folder, names):
    """One batch of FILE_SCHEMA for each file, so that no more than one is in memory."""
    for index, name in enumerate(names, start=1):
        with open(os.path.join(folder, name), "rb") as file:
            yield pa.record_batch([pa.array([index], pa.int32()), pa.array([file.read()], pa.binary())],
                                  names=["range", "bytes"])


def range_files(keys, ranges, memory="256M"):
    """The map: a row for each range file of each task. `keys` is a DataFrame of one column."""
    def sort_hashes(batches):
        with tempfile.TemporaryDirectory() as folder:
            files = os.path.join(folder, "files")
            pipe_keys(batches, ["build", "-t", "ribbon", "--partition", str(ranges), "-z", "--mem", memory,
                                "--tmp", folder, "-o", files], folder)
            yield from rows_of(files, [f"range-{i}-of-{ranges}.hashes" for i in range(1, ranges + 1)])

    return keys.mapInArrow(sort_hashes, FILE_SCHEMA)


def parts(files, ranges, fpp, capacity=None, memory="1G"):
    """The shuffle and the reduce: a row for each range, with its part."""
    def build_part(key, files_of_range):
        index = key[0].as_py()
        with tempfile.TemporaryDirectory() as folder:
            names = []
            for place, content in enumerate(files_of_range.column("bytes")):
                names.append(os.path.join(folder, str(place)))
                with open(names[-1], "wb") as file:
                    file.write(content.as_buffer())
            part = os.path.join(folder, "part")
            run(["build", "-t", "ribbon", "--shards", f"{index}/{ranges}", "-p", str(fpp), "--mem", memory,
                 *(["-n", str(capacity)] if capacity else []), "-o", part, *names])
            with open(part, "rb") as file:
                return pa.table({"range": pa.array([index], pa.int32()), "bytes": pa.array([file.read()], pa.binary())})

    return files.groupBy("range").applyInArrow(build_part, FILE_SCHEMA)


def build(keys, path, fpp, ranges=16, capacity=None):
    """Builds the filter of all values of the one column of `keys`, as the file `path` of the driver."""
    with tempfile.TemporaryDirectory(dir=os.path.dirname(os.path.abspath(path))) as folder:
        names = []
        for row in parts(range_files(keys, ranges), ranges, fpp, capacity).toLocalIterator():
            names.append(os.path.join(folder, str(row["range"])))
            with open(names[-1], "wb") as file:
                file.write(row["bytes"])
        run(["merge", "-o", path, *names])


def build_alone(keys, path, fpp, capacity, memory="1G"):
    """Builds the same filter in one task, of a driver and executors that share the folder of `path`. The bytes are those
    of `build` if `capacity` is the number of keys, which one task does not know before it has read them."""
    path = os.path.abspath(path)

    def build_all(batches):
        with tempfile.TemporaryDirectory() as folder:
            pipe_keys(batches, ["build", "-t", "ribbon", "-p", str(fpp), "-n", str(capacity), "-z", "--mem", memory,
                                "--tmp", folder, "-o", path], folder)
        yield from ()

    keys.coalesce(1).mapInArrow(build_all, FILE_SCHEMA).collect()


def broadcast(spark, path):
    """Gives every executor a copy of the file, once, however many tasks ask it. Returns the name for `may_contain`."""
    spark.sparkContext.addFile(path)
    return os.path.basename(path)


def may_contain(rows, column, filter_name):
    """Those of `rows` whose value of `column` may be in the broadcast filter. A row is never dropped wrongly; a null is
    dropped, as an inner join does."""
    place = rows.columns.index(column)

    def ask(batches):
        query = subprocess.Popen([COMMAND, "query", "--answers", "-z", "--no-verify", SparkFiles.get(filter_name)],
                                 stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        for batch in batches:
            batch = batch.filter(pc.is_valid(batch.column(place)))
            if batch.num_rows == 0:
                continue
            # A thread writes the keys: bloomery answers while it reads, and both pipes are short.
            writer = threading.Thread(target=write_all, args=(query.stdin, keys_of(batch.column(place))))
            writer.start()
            answers = query.stdout.read(2 * batch.num_rows)
            writer.join()
            if len(answers) != 2 * batch.num_rows:
                raise Failed(f"bloomery query: status {query.wait()} after {len(answers) // 2} answers")
            kept = pc.equal(pa.FixedSizeBinaryArray.from_buffers(pa.binary(2), batch.num_rows,
                                                                 [None, pa.py_buffer(answers)]), b"1\0")
            yield batch.filter(kept)
        query.stdin.close()
        query.wait()

    return rows.mapInArrow(ask, rows.schema)


def write_all(pipe, content):
    try:
        pipe.write(content)
        pipe.flush()
    except BrokenPipeError:
        pass  # the reader of the answers sees that they end


def spark_filter(rows, column, capacity, fpp):
    """Spark's own filter of a column: `stat.bloomFilter`, which only the JVM offers. Returns the Java object."""
    return rows._jdf.stat().bloomFilter(column, capacity, fpp)
