"""The tumbling count on plain Structured Streaming, with the settings that its documentation recommends for speed."""

import json
import os
import time

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from holdfast.spark import jars

E = os.environ
state = "spark.sql.streaming.stateStore"
spark = (
    SparkSession.builder.master("local[2]")
    .config("spark.jars", ",".join(map(str, jars.paths("connector"))))
    .config("spark.driver.memory", "3g")
    .config("spark.ui.enabled", "false")
    .config("spark.sql.shuffle.partitions", "2")
    .config(f"{state}.providerClass", "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider")
    .config(f"{state}.rocksdb.changelogCheckpointing.enabled", "true")
    .config(f"{state}.rocksdb.trackTotalNumberOfRows", "false")
    .getOrCreate()
)
spark.sparkContext.setLogLevel("ERROR")
source = (
    spark.readStream.format("kafka")
    .option("kafka.bootstrap.servers", E["BROKERS"])
    .option("subscribe", "trades")
    .option("startingOffsets", "earliest")
    .option("maxOffsetsPerTrigger", 1_000_000)
    .option("kafka.max.poll.records", 20_000)
    .option("kafka.max.partition.fetch.bytes", 16 << 20)
    .load()
)
parsed = source.select(
    F.col("key").cast("string").alias("stock"),
    "timestamp",
    F.from_json(F.col("value").cast("string"), "price INT").alias("v"),
)
counts = (
    parsed.where("v is not null")
    .withWatermark("timestamp", "1 minute")
    .groupBy("stock", F.window("timestamp", "5 seconds"))
    .count()
)
key = F.concat("stock", F.lit("@"), F.unix_millis("window.start").cast("string"))
query = (
    counts.select(key.alias("key"), F.col("count").cast("string").alias("value"))
    .writeStream.format("kafka")
    .option("kafka.bootstrap.servers", E["BROKERS"])
    .option("topic", E["OUT"])
    .option("checkpointLocation", E["DIR"])
    .outputMode("update")
    .trigger(processingTime="0 seconds")
    .start()
)
seen = -1
while query.isActive:
    time.sleep(0.02)
    report = query.lastProgress
    if report and report["batchId"] != seen and report["numInputRows"]:
        seen = report["batchId"]
        end = report["sources"][0]["endOffset"]
        end = json.loads(end) if isinstance(end, str) else end
        print(f"PROGRESS {time.time():.3f} {sum(end['trades'].values())}", flush=True)
