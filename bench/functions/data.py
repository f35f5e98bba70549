"""The events, and what each workload must make of them."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from bench.events import PARTITIONS, PLAYERS, PRODUCTS, Sender
from holdfast.topics.admin import Topics
from holdfast.topics.records import TopicSpec

Event = tuple[int, int, int]  # score, product, player


def events(count: int) -> Iterator[Event]:
    """The first `count` events, the same ones every time."""
    rng = random.Random(1)
    for _ in range(count):
        yield rng.randrange(10_000), rng.randrange(PRODUCTS), rng.randrange(PLAYERS)


def level(score: int, player: int) -> tuple[int, int, str]:
    """What the stateless function makes of an event."""
    return player, score * 2, "high" if score >= 5_000 else "low"


@dataclass
class Expected:
    """Results: mapped events, in a sum of hashes; three best scores per product; count and sum per player."""

    map: tuple[int, int] = (0, 0)
    w2: dict[int, list[list[int]]] = field(default_factory=dict)
    w3: dict[int, list[int]] = field(default_factory=dict)

    @classmethod
    def of(cls, count: int) -> Expected:
        """What comes of the first `count` events."""
        made, total = cls(), 0
        for score, product, player in events(count):
            total += hash(level(score, player))
            best = made.w2.setdefault(product, [])
            if len(best) < 3 or score >= best[-1][0]:
                best.append([score, player])
                best.sort(key=lambda each: (-each[0], each[1]))
                del best[3:]
            both = made.w3.setdefault(player, [0, 0])
            both[0] += 1
            both[1] += score
        made.map = (count, total)
        return made


def produce(topics: Topics, count: int) -> str:
    """A topic with the first `count` events."""
    topic = f"events-{count}"
    topics.create(TopicSpec(topic, PARTITIONS))
    send = Sender(topics, topic)
    for number, event in enumerate(events(count)):
        send.one(b'{"score": %d, "product_id": %d, "player_id": %d}' % event, number % PARTITIONS)
    send.finish()
    return topic


def right(workload: str, expected: Expected, values: Iterable[tuple[int | None, Any]]) -> tuple[int, int]:
    """How many results are right, of how many: per key the last one counts."""
    if workload == "map":
        count = total = 0
        for _, value in values:
            count += 1
            total += hash((value["player_id"], value["points"], value["level"]))
        return (count if (count, total) == expected.map else 0), expected.map[0]
    last = dict(values)
    wanted: dict[int, Any] = getattr(expected, workload)
    return sum(_plain(workload, last.get(key)) == value for key, value in wanted.items()), len(wanted)


def _plain(workload: str, value: Any) -> Any:
    if value is None:
        return None
    if workload == "w3":
        return [value["count"], value["sum"]]
    return [[*each.values()] if isinstance(each, dict) else list(each) for each in value["best"]]


def results(topics: Topics, topic: str) -> Iterator[tuple[int | None, Any]]:
    """Key and value of what a peer wrote, in order; of what it took back nothing."""
    versions: dict[int, int] = {}
    for record in sorted(topics.read(topic), key=lambda each: each.timestamp or 0):
        value = json.loads(record.value or b"null")
        if isinstance(value, dict) and "diff" in value:
            key = value.get("key")
            if value["diff"] != 1 or versions.get(key, -1) > value["time"]:
                continue
            if key is not None:
                versions[key] = value["time"]
            yield key, {**value, "best": json.loads(value.get("best", "[]"))}
        else:
            yield None if record.key is None else int(record.key), value


def counted(value: bytes | None) -> tuple[int | None, int]:
    """The key of a result that replaces another one, and how many records it comes from; every other comes from one."""
    read = json.loads(value or b"null")
    if "diff" not in read or "key" not in read:
        return None, int(read.get("diff", 1) == 1)
    return read["key"], read["count"] if read["diff"] == 1 else 0
