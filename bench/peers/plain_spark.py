"""The workloads on plain Structured Streaming, with the settings that its documentation recommends for speed."""

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
    .option("subscribe", E["IN"])
    .option("startingOffsets", "earliest")
    .option("maxOffsetsPerTrigger", 1_000_000)
    .option("kafka.max.poll.records", 20_000)
    .option("kafka.max.partition.fetch.bytes", 16 << 20)
    .load()
)
schema = "score INT, product_id INT, player_id INT"
events = source.select(F.from_json(F.col("value").cast("string"), schema).alias("e")).select("e.*")
match E["W"]:
    case "w1":
        key, result = "product_id", events.groupBy("product_id").agg(F.count("*").alias("count"))
        value = F.col("count").cast("string")
    case "w2":
        key, result = (
            "product_id",
            events.groupBy("product_id").agg(F.max_by(F.struct("score"), "score", 3).alias("top")),
        )
        value = F.to_json("top")
    case "w3":
        key = "player_id"
        result = events.groupBy("player_id").agg(F.count("*").alias("count"), F.sum("score").alias("sum"))
        value = F.to_json(F.struct("count", "sum"))
query = (
    result.select(F.col(key).cast("string").alias("key"), value.alias("value"))
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
        print(f"PROGRESS {time.time():.3f} {sum(end[E['IN']].values())}", flush=True)
