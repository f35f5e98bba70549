"""The workloads on faust-streaming; two such workers share the partitions."""

import os

import faust

E = os.environ
app = faust.App(
    E["RUN"],
    broker=f"kafka://{E['BROKERS']}",
    store="rocksdb://?driver=rocksdict",
    datadir=f"{E['DIR']}-{E['PROC']}",
    topic_partitions=4,
    topic_replication_factor=1,
    web_enabled=False,
    consumer_auto_offset_reset="earliest",
    key_serializer="json",
    value_serializer="json",
)


class Event(faust.Record, serializer="json"):
    score: int
    product_id: int
    player_id: int


source = app.topic(E["IN"], value_type=Event)
target = app.topic(E["OUT"], key_serializer="json", value_serializer="json")

if E["W"] == "map":

    @app.agent(source)
    async def level(stream):
        async for event in stream:
            made = {
                "player_id": event.player_id,
                "points": event.score * 2,
                "level": "high" if event.score >= 5_000 else "low",
            }
            await target.send(value=made)

elif E["W"] == "w2":
    tops = app.Table("tops", default=list, partitions=4)

    @app.agent(source)
    async def top(stream):
        async for event in stream.group_by(Event.product_id, partitions=4):
            best = list(tops[event.product_id])
            best.append([event.score, event.player_id])
            best.sort(key=lambda each: (-each[0], each[1]))
            del best[3:]
            tops[event.product_id] = best
            await target.send(key=event.product_id, value={"best": best})

else:
    sums = app.Table("sums", default=lambda: [0, 0], partitions=4)

    @app.agent(source)
    async def count_and_sum(stream):
        async for event in stream.group_by(Event.player_id, partitions=4):
            count, total = sums[event.player_id]
            both = [count + 1, total + event.score]
            sums[event.player_id] = both
            await target.send(key=event.player_id, value={"count": both[0], "sum": both[1]})
