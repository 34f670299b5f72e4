"""The job: makes two tables, builds a filter of one, asks it in a join with the other, and prints what each step cost.

    spark-submit --master 'local[2]' --py-files bloomery_on_spark.py job.py --keys 1000000
"""
import argparse
import json
import os
import sys
import time
import urllib.request

from pyspark.sql import SparkSession
from pyspark.sql import functions as sql

import bloomery_on_spark


def arguments():
    wanted = argparse.ArgumentParser()
    wanted.add_argument("--keys", type=int, default=1_000_000, help="rows of the table whose keys are in the filter")
    wanted.add_argument("--rows", type=int, default=None, help="rows of the other table; default: as many")
    wanted.add_argument("--fpp", type=float, default=0.001)
    wanted.add_argument("--ranges", type=int, default=16, help="parts that the filter is built in")
    wanted.add_argument("--folder", default="spark-job", help="for the tables and the filter")
    wanted.add_argument("--check", action="store_true", help="also build the filter in one process, and compare bytes")
    return wanted.parse_args()


class Costs:
    """Seconds, and rows and bytes that were shuffled, of a step."""

    def __init__(self, spark):
        self.spark = spark
        self.steps = 0

    def of(self, name, step):
        self.steps += 1
        group = f"step {self.steps}"
        self.spark.sparkContext.setJobGroup(group, name)
        begin = time.monotonic()
        result = step()
        seconds = time.monotonic() - begin
        records, size = self.shuffled(group)
        print(f"{name:44} {seconds:8.1f} s {records:12,} rows and {size / 1e6:9.1f} MB shuffled", flush=True)
        return result

    def shuffled(self, group):
        stages = {stage for job in self.ask("jobs") if job.get("jobGroup") == group for stage in job["stageIds"]}
        of_group = [stage for stage in self.ask("stages") if stage["stageId"] in stages]
        return (sum(stage["shuffleWriteRecords"] for stage in of_group),
                sum(stage["shuffleWriteBytes"] for stage in of_group))

    def ask(self, what):
        context = self.spark.sparkContext
        time.sleep(0.5)  # the page lags behind the events
        with urllib.request.urlopen(f"{context.uiWebUrl}/api/v1/applications/{context.applicationId}/{what}") as page:
            return json.load(page)


def make_tables(spark, options):
    """Members: `keys` distinct longs that look random. Events: one row in 20 is of a member."""
    members, events = os.path.join(options.folder, "members"), os.path.join(options.folder, "events")
    rows = options.rows or options.keys
    spark.range(options.keys).select(sql.xxhash64("id").alias("id"), (sql.col("id") * 0 + 1).alias("kind")) \
        .write.mode("overwrite").parquet(members)
    number = sql.when(sql.col("id") % 20 == 0, sql.col("id") % options.keys).otherwise(sql.col("id") + options.keys)
    spark.range(rows).select(sql.xxhash64(number).alias("id"), sql.col("id").alias("event")) \
        .write.mode("overwrite").parquet(events)
    return spark.read.parquet(members), spark.read.parquet(events)


def configure_own_filters(spark, settings):
    for name, value in settings.items():
        spark.conf.set("spark.sql.optimizer.runtime.bloomFilter." + name, str(value))


def allow_own_filters(spark, keys):
    """Lets both of Spark's own filters be as large as the keys need. They have 4 million keys and 8 MB at most otherwise."""
    bits = keys * 15  # for 0.001
    configure_own_filters(spark, {"expectedNumItems": keys, "maxNumItems": keys, "numBits": bits, "maxNumBits": bits})


def use_runtime_filter(spark):
    """Turns on Spark's own filter of the other side of a join, whatever the sizes of the tables."""
    configure_own_filters(spark, {"enabled": "true", "applicationSideScanSizeThreshold": "0",
                                  "creationSideThreshold": "1TB"})


def count_joined(members, events):
    return events.join(members.where("kind = 1"), "id").agg(sql.count("event")).first()[0]


def compare_joins(spark, costs, members, events, filter_name):
    spark.conf.set("spark.sql.autoBroadcastJoinThreshold", "-1")
    spark.conf.set("spark.sql.optimizer.runtime.bloomFilter.enabled", "false")
    plain = costs.of("join", lambda: count_joined(members, events))
    ours = costs.of("join behind our filter",
                    lambda: count_joined(members, bloomery_on_spark.may_contain(events, "id", filter_name)))
    use_runtime_filter(spark)
    own = costs.of("join behind Spark's runtime filter", lambda: count_joined(members, events))
    print(f"rows joined: {plain:,}, {ours:,}, {own:,}")
    return plain == ours == own


def spark_filter_bytes(spark, java_filter):
    stream = spark._jvm.java.io.ByteArrayOutputStream()
    java_filter.writeTo(stream)
    return stream.size()


def main():
    options = arguments()
    spark = SparkSession.builder.appName("bloomery").getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    allow_own_filters(spark, options.keys)
    costs = Costs(spark)
    os.makedirs(options.folder, exist_ok=True)
    members, events = costs.of("two tables written", lambda: make_tables(spark, options))
    path = os.path.join(options.folder, "members.bloom")
    if os.path.exists(path):
        os.remove(path)
    ids = members.select("id")
    costs.of("our filter", lambda: bloomery_on_spark.build(ids, path, options.fpp, options.ranges))
    own = costs.of("Spark's stat.bloomFilter", lambda: bloomery_on_spark.spark_filter(members, "id", options.keys, options.fpp))
    print(f"bytes: {os.path.getsize(path):,} ours, {spark_filter_bytes(spark, own):,} Spark's")
    same = True
    if options.check:
        alone = os.path.join(options.folder, "alone.bloom")
        if os.path.exists(alone):
            os.remove(alone)
        costs.of("our filter, by one process", lambda: bloomery_on_spark.build_alone(ids, alone, options.fpp, options.keys))
        with open(path, "rb") as one, open(alone, "rb") as other:
            same = one.read() == other.read()
        print("the same bytes" if same else "DIFFERENT BYTES")
    name = bloomery_on_spark.broadcast(spark, path)
    same = compare_joins(spark, costs, members, events, name) and same
    spark.stop()
    sys.exit(0 if same else 1)


if __name__ == "__main__":
    main()
