"""Hostile records against random programs, through the real source and sink with Kafka's default limits.

Every record is in the ledger or in the dead letters, exactly once, and no program ends.
`HOLDFAST_FUZZ_RECORDS` says how many records there are in all, `HOLDFAST_FUZZ_SEED` chooses others.
"""

import json
import os
import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta

import pytest

import holdfast as hf
from holdfast import functions as F
from holdfast.ops.dlq import DeadLetters, LetterFilter
from tests.fuzz.hostile import Hostile
from tests.spark.conftest import produce_any_size, run, suffix  # noqa: F401  (fixtures)

RECORDS = int(os.environ.get("HOLDFAST_FUZZ_RECORDS", "1500"))
SEED = int(os.environ.get("HOLDFAST_FUZZ_SEED", "0"))
ROUND = 20_000
PARTITIONS = 2
SCHEMA = "n BIGINT NOT NULL, text STRING, topic STRING, time BIGINT NOT NULL"


@dataclass
class Seen:
    n: int = 0
    last: str = ""
    all: list[str] = field(default_factory=list)


@hf.stateful(state=Seen, returns=int)
def remembered(key, event, state, timers):
    state.n += 1
    state.last = event.text or ""
    timers.at(timers.timestamp + timedelta(milliseconds=abs(event.n) * 1000), "later")
    yield state.n


@remembered.on_timer
def later(key, name, state, timers):
    yield -state.n


@hf.stateful(state=Seen, returns=int)
def hoarding(key, event, state, timers):
    state.all.append(event.text or "")
    yield len(state.all)


def appended(state, value):
    return {"n": state["n"] + 1, "last": state["last"] + (value["text"] or "")}


FEATURES: dict[str, Callable[[hf.Stream], object]] = {
    "chosen topic": lambda s: s.to(lambda v: v.topic),
    "count": lambda s: s.group_by_key().count(store="counted"),
    "list": lambda s: s.group_by_key().agg(all=F.collect_list("text"), store="listed"),
    "text": lambda s: s.group_by_key().aggregate(
        "", lambda a, v: F.concat(a, F.coalesce(v.text, F.lit(""))), store="texts"
    ),
    "sum": lambda s: s.group_by_key().agg(sum=F.sum("n"), mean=F.avg("n"), store="summed"),
    "tumbling": lambda s: s.group_by_key().windowed_by(hf.tumbling("1 minute")).count(store="tumbled"),
    "hopping": lambda s: (
        s.group_by_key()
        .windowed_by(hf.hopping("1 hour", advance="20 minutes"))
        .agg(all=F.collect_list("text"), store="hopped")
    ),
    "session": lambda s: (
        s.group_by_key().windowed_by(hf.session("1 minute")).agg(all=F.collect_set("text"), store="sessions")
    ),
    "sliding": lambda s: s.group_by_key().windowed_by(hf.sliding("1 minute")).agg(top=F.max("text"), store="slid"),
    "late": lambda s: s.group_by_key().windowed_by(hf.tumbling("1 s"), late="fuzz-late").count(store="lates"),
    "top": lambda s: s.group_by(lambda v: v.n % 3).top(3, by="text", store="highest"),
    "table": lambda s: s.to_table(store="rows").map_values(
        lambda v: dict(twice=F.concat(v.text, v.text)), store="twice"
    ),
    "versioned": lambda s: s.to_table(store=hf.Materialized("versions", versioned="1 hour")),
    "self join": lambda s: s.join(s.to_table(), lambda a, b: dict(n=a.n, of=b.text)).to("fuzz-joined"),
    "stream join": lambda s: s.join(s.map_values(lambda v: dict(other=v.text)), within="1 s").to("fuzz-pairs"),
    "key": lambda s: s.select_key(lambda v: v.text).group_by_key().count(store="by-text"),
    "deduplicate": lambda s: s.deduplicate(by=lambda v: v.text, within="1 minute").to("fuzz-distinct"),
    "python map": lambda s: s.map_values(hf.python(lambda v: (v["text"] or "") * 2, returns=str)).to("fuzz-mapped"),
    "stateful": lambda s: s.process(remembered, store="remembered").to("fuzz-remembered"),
    "hoarding": lambda s: s.process(hoarding, store="hoarded").to("fuzz-hoarded"),
    "python fold": lambda s: s.group_by_key().aggregate(
        dict(n=0, last=""), hf.python(appended, returns="n BIGINT, last STRING"), store="folded"
    ),
}


def program(name: str, source: str, ledger: str, chosen: list[str]) -> hf.App:
    app = hf.App(name, tasks=2)
    rows = app.stream(source, SCHEMA, key=str, timestamp=lambda v: v.time)
    rows.map_values(lambda v: dict(partition=hf.partition(), offset=hf.offset())).to(ledger)
    for each in chosen:
        FEATURES[each](rows)
    return app


@pytest.mark.timeout(600 + RECORDS // 20)
def test_every_record_is_accounted_for(topics, run, new_topic, suffix):  # noqa: F811
    chance, left, number = random.Random(SEED), RECORDS, 0
    while left > 0:
        number += 1
        chosen = chance.sample(sorted(FEATURES), 6) if RECORDS > ROUND else sorted(FEATURES)
        print(f"seed {SEED}, round {number}: {', '.join(chosen)}", flush=True)
        one_round(chance.randrange(2**31), chosen, min(left, ROUND), f"fuzz{suffix}-{number}", topics, run, new_topic)
        left -= ROUND
        # A million records and what is made of them are more than some disks hold.
        topics.delete(each.name for each in topics.existing())


def one_round(seed, chosen, count, name, topics, run, new_topic):  # noqa: F811
    # What a hostile client may write hangs on the topic that it writes to; all other topics are as Kafka makes them.
    anything = {"message_timestamp_after_max_ms": str(2**63 - 1), "max_message_bytes": str(64 << 20)}
    source, ledger = new_topic("hostile", partitions=PARTITIONS, **anything), new_topic("ledger")
    target = new_topic("target")
    targets = [target, target, target, "absent", "no/topic", "", "..", f"{name}-meta", f"{name}-replay", None]
    app = program(name, source, ledger, chosen)
    hostile = Hostile(seed, targets)
    for part in (count // 2, count - count // 2):
        produce_any_size(topics, hostile.records(source, PARTITIONS, part))
        assert run(app, mode="drain").wait("30 minutes"), "the app did not come to the end of its input"
    places = [json.loads(each.value) for each in topics.read(ledger)]
    written = Counter((each["partition"], each["offset"]) for each in places)
    dead = DeadLetters(app, topics)
    letters = [found.letter for found in dead.find(LetterFilter())]
    at_source = Counter((x.partition, x.offset) for x in letters if x.node in (source, "map_values-1", f"to:{ledger}"))
    sent = Counter((p, o) for p, o in ends(topics, source))
    assert written + at_source == sent
    assert all(each.reason for each in letters)
    inside = Counter((x.node, x.partition, x.offset, x.path) for x in letters)
    assert max(inside.values(), default=1) == 1, inside.most_common(3)


def ends(topics, source: str):
    for each in topics.consume([source], from_beginning=True, to_end=True):
        yield each.partition, each.offset
