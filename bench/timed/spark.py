"""The tumbling count on plain Structured Streaming, with the settings that its documentation recommends for speed."""

from pyspark.sql import functions as F

from bench.spark import records, run, session
from holdfast.spark import jars

source = records(session(",".join(map(str, jars.paths("connector")))), "trades")
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
run(counts.select(key.alias("key"), F.col("count").cast("string").alias("value")), "trades")
