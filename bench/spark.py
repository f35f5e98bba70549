"""Spark's own streaming as its documentation recommends it for speed, for the peers that run on it.

What it needs is in the environment: BROKERS, OUT (the topic for results), DIR (for the checkpoint).
"""

from __future__ import annotations

import json
import os
import time
from datetime import datetime
from typing import Any

from pyspark.sql import DataFrame, SparkSession

_STATE = "spark.sql.streaming.stateStore"


def session(jars: str, **more: str) -> SparkSession:
    """Two cores, RocksDB, and the connector to Kafka."""
    settings = {
        "spark.jars": jars,
        "spark.driver.memory": "3g",
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "2",
        f"{_STATE}.providerClass": "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider",
        f"{_STATE}.rocksdb.changelogCheckpointing.enabled": "true",
        f"{_STATE}.rocksdb.trackTotalNumberOfRows": "false",
        **more,
    }
    spark: SparkSession = SparkSession.builder.master("local[2]").config(map=settings).getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    return spark


def records(spark: SparkSession, topic: str, most: str = "1000000") -> DataFrame:
    """The records of a topic from its beginning, so many per batch."""
    source = spark.readStream.format("kafka").option("kafka.bootstrap.servers", os.environ["BROKERS"])
    return (
        source.option("subscribe", topic)
        .option("startingOffsets", "earliest")
        .option("maxOffsetsPerTrigger", most)
        .option("kafka.max.poll.records", 20_000)
        .option("kafka.max.partition.fetch.bytes", 16 << 20)
        .load()
    )


def run(result: DataFrame, topic: str, mode: str = "update") -> None:
    """Write keys and values to the topic of results, and print `PROGRESS time records` after every batch."""
    query: Any = (
        result.writeStream.format("kafka")
        .option("kafka.bootstrap.servers", os.environ["BROKERS"])
        .option("topic", os.environ["OUT"])
        .option("checkpointLocation", os.environ["DIR"])
        .outputMode(mode)
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
            read = sum((json.loads(end) if isinstance(end, str) else end)[topic].values())
            began = datetime.fromisoformat(report["timestamp"]).timestamp()
            print(f"PROGRESS {began + report['durationMs']['triggerExecution'] / 1000:.3f} {read}", flush=True)
    raise SystemExit(str(query.exception()))
