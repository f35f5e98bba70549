"""The workloads on Quix Streams; two such processes share the partitions."""

import os

from quixstreams import Application

E = os.environ
app = Application(
    broker_address=E["BROKERS"],
    consumer_group=E["RUN"],
    auto_offset_reset="earliest",
    state_dir=f"{E['DIR']}/{E['PROC']}",
    loglevel="WARNING",
)
source = app.topic(E["IN"], value_deserializer="json")
target = app.topic(E["OUT"], value_serializer="json", key_serializer="str")


def level(event):
    return {
        "player_id": event["player_id"],
        "points": event["score"] * 2,
        "level": "high" if event["score"] >= 5_000 else "low",
    }


def top(event, state):
    best = state.get("best", [])
    best.append([event["score"], event["player_id"]])
    best.sort(key=lambda each: (-each[0], each[1]))
    del best[3:]
    state.set("best", best)
    return {"best": best}


def count_and_sum(event, state):
    both = state.get("both", [0, 0])
    both[0] += 1
    both[1] += event["score"]
    state.set("both", both)
    return {"count": both[0], "sum": both[1]}


stream = app.dataframe(source)
if E["W"] == "map":
    stream = stream.apply(level)
else:
    field, function = {"w2": ("product_id", top), "w3": ("player_id", count_and_sum)}[E["W"]]
    keyed = stream.group_by(lambda event: str(event[field]), name=field, key_serializer="str", key_deserializer="str")
    stream = keyed.apply(function, stateful=True)
stream.to_topic(target)
app.run()
