"""The workloads on Spark's own transformWithState in Python, on rows or on pandas, and on a function for columns."""

import json
import os
import sys

from pyspark.sql import Row
from pyspark.sql import functions as F
from pyspark.sql.streaming.stateful_processor import StatefulProcessor

from bench.spark import records, run, session

E = os.environ
E["PYSPARK_PYTHON"] = sys.executable
spark = session(E["JARS"], **{"spark.sql.execution.arrow.pyspark.enabled": "true"})
source = records(spark, E["IN"], E["TRIGGER"])
schema = "score INT, product_id INT, player_id INT"
events = source.select(F.from_json(F.col("value").cast("string"), schema).alias("e")).select("e.*")


@F.udf("player_id INT, points INT, level STRING", useArrow=True)
def level(score, player):
    return Row(player_id=player, points=score * 2, level="high" if score >= 5_000 else "low")


class Top(StatefulProcessor):
    """The three best scores of a product."""

    def init(self, handle):
        self.best = handle.getValueState("best", "best ARRAY<STRUCT<score: INT, player_id: INT>>")

    def handleInputRows(self, key, rows, timer_values):
        best = [tuple(each) for each in self.best.get()[0]] if self.best.exists() else []
        for row in rows:
            best.append((row.score, row.player_id))
            best.sort(key=lambda each: (-each[0], each[1]))
            del best[3:]
        self.best.update((best,))
        yield Row(key=str(key[0]), value=json.dumps({"best": best}))

    def close(self):
        pass


class CountAndSum(StatefulProcessor):
    """Count and sum of a player."""

    def init(self, handle):
        self.both = handle.getValueState("both", "count LONG, sum LONG")

    def handleInputRows(self, key, rows, timer_values):
        count, total = self.both.get() if self.both.exists() else (0, 0)
        for row in rows:
            count += 1
            total += row.score
        self.both.update((count, total))
        yield Row(key=str(key[0]), value=json.dumps({"count": count, "sum": total}))

    def close(self):
        pass


class Frames(StatefulProcessor):
    """The same on frames of pandas."""

    def __init__(self, inner):
        self.inner = inner

    def init(self, handle):
        self.inner.init(handle)

    def handleInputRows(self, key, frames, timer_values):
        import pandas as pd

        rows = (row for frame in frames for row in frame.itertuples(index=False))
        for made in self.inner.handleInputRows(key, rows, timer_values):
            yield pd.DataFrame([made.asDict()])

    def close(self):
        pass


if E["W"] == "map":
    result = events.select(
        F.lit(None).cast("string").alias("key"), F.to_json(level("score", "player_id")).alias("value")
    )
else:
    field, processor = {"w2": ("product_id", Top()), "w3": ("player_id", CountAndSum())}[E["W"]]
    grouped, out = events.groupBy(field), "key STRING, value STRING"
    if E["VARIANT"] == "pandas":
        result = grouped.transformWithStateInPandas(Frames(processor), out, "Update", "None")
    else:
        result = grouped.transformWithState(processor, out, "Update", "None")
run(result, E["IN"], "append" if E["W"] == "map" else "update")
