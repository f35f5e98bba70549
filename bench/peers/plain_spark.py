"""The workloads on plain Structured Streaming, with the settings that its documentation recommends for speed."""

import os

from pyspark.sql import functions as F

from bench.spark import records, run, session
from holdfast.spark import jars

E = os.environ
source = records(session(",".join(map(str, jars.paths("connector")))), E["IN"])
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
run(result.select(F.col(key).cast("string").alias("key"), value.alias("value")), E["IN"])
