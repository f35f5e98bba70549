"""The workloads on Bytewax; two such processes are one cluster, as its page on performance recommends."""

import os

import bytewax.operators as op
import orjson
from bytewax.connectors.kafka import KafkaSinkMessage
from bytewax.connectors.kafka import operators as kop
from bytewax.dataflow import Dataflow

E = os.environ
BROKERS = [E["BROKERS"]]
FIELD = {"w2": "product_id", "w3": "player_id"}.get(E["W"])


def level(message):
    event = orjson.loads(message.value)
    made = {
        "player_id": event["player_id"],
        "points": event["score"] * 2,
        "level": "high" if event["score"] >= 5_000 else "low",
    }
    return KafkaSinkMessage(None, orjson.dumps(made))


def keyed(message):
    event = orjson.loads(message.value)
    return str(event[FIELD]), event


def top(best, event):
    best = best or []
    best.append((event["score"], event["player_id"]))
    best.sort(key=lambda each: (-each[0], each[1]))
    del best[3:]
    return best, {"best": best}


def count_and_sum(both, event):
    count, total = both or (0, 0)
    both = (count + 1, total + event["score"])
    return both, {"count": both[0], "sum": both[1]}


flow = Dataflow("bench")
source = kop.input("in", flow, brokers=BROKERS, topics=[E["IN"]], batch_size=5_000)
if E["W"] == "map":
    made = op.map("level", source.oks, level)
else:
    events = op.map("key", source.oks, keyed)
    results = op.stateful_map("state", events, {"w2": top, "w3": count_and_sum}[E["W"]])
    made = op.map("out", results, lambda each: KafkaSinkMessage(each[0].encode(), orjson.dumps(each[1])))
kop.output("to", made, brokers=BROKERS, topic=E["OUT"])
