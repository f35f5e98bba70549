"""Records that Kafka would refuse, wherever a program writes, are dead letters; all others are written once."""

import base64
import json
import random
import time
from collections import Counter
from dataclasses import replace

import pytest

import holdfast as hf
from holdfast import functions as F
from holdfast.ops.dlq import DeadLetters, LetterFilter
from holdfast.topics.records import Record, TopicSpec
from tests.spark.conftest import produce_any_size

HOUR = 3_600_000
MEGABYTE = 1 << 20
SCHEMA = "n BIGINT NOT NULL, text STRING NOT NULL, topic STRING, time BIGINT NOT NULL"


def noise(size: int) -> str:
    """Letters that cannot be compressed."""
    return base64.b64encode(random.Random(size).randbytes(size * 3 // 4)).decode()


def record(source: str, n: int, text: str = "x", topic: str | None = None, ahead: int = 0) -> Record:
    value = {"n": n, "text": text, "topic": topic, "time": int(time.time() * 1000) - 1000 + ahead}
    return Record(source, b"k%d" % (n % 7), json.dumps(value).encode())


def numbers(topics, *names: str) -> Counter:
    return Counter(json.loads(each.value)["n"] for each in topics.read(*names))


def letters(topics, app: hf.App) -> list[tuple[str, str, Record]]:
    """Node, reason and record of each dead letter."""
    found = topics.read(f"{app.name}-dead-letters")
    return [(dict(each.headers)["hf-node"].decode(), dict(each.headers)["hf-reason"].decode(), each) for each in found]


@pytest.fixture
def source(new_topic):
    return new_topic("in", partitions=2, max_message_bytes=str(64 * MEGABYTE))


@pytest.mark.parametrize("stateful", [False, True], ids=["where records are read", "in a stage"])
def test_every_record_that_a_topic_refuses_is_a_dead_letter(stateful, topics, drain, new_topic, source, suffix):
    """One topic takes a thousand bytes, one takes no time ahead, one is not there."""
    small = new_topic("small", max_message_bytes="1000")
    timely = new_topic("timely", message_timestamp_after_max_ms="60000")
    app = hf.App(f"refused{suffix}", tasks=2)
    rows = app.stream(source, SCHEMA, key=str, timestamp=lambda v: v.time)
    if stateful:
        rows = rows.repartition()
    rows.to(lambda v: v.topic)
    bad = {
        100: record(source, 100, topic=small, text=noise(5_000)),
        101: record(source, 101, topic=timely, ahead=2 * HOUR),
        102: record(source, 102, topic=f"absent{suffix}"),
        103: record(source, 103, topic="no/topic"),
        104: record(source, 104, topic=f"{app.name}-meta"),
        105: record(source, 105, topic="__consumer_offsets"),
        106: record(source, 106, topic=None),
    }
    good = [record(source, n, topic=(small, timely)[n % 2]) for n in range(50)]
    good.append(record(source, 50, topic=small, text="a" * 5_000))  # small enough once it is compressed
    topics.produce([*good[:20], *bad.values(), *good[20:]])
    drain(app)
    assert numbers(topics, small, timely) == Counter(range(51))
    found = letters(topics, app)
    assert Counter(json.loads(each.value)["n"] for _, _, each in found) == Counter(bad.keys())
    reasons = {json.loads(each.value)["n"]: reason for _, reason, each in found}
    assert f"the topic '{small}' takes 1000 at most (its max.message.bytes)" in reasons[100]
    assert f"the topic '{timely}' takes 60000 at most (its message.timestamp.after.max.ms)" in reasons[101]
    assert f"the topic 'absent{suffix}' does not exist" in reasons[102]
    assert "keeps for itself" in reasons[104]


def test_a_record_without_a_key_and_one_that_compression_makes_too_large(topics, drain, new_topic, source, suffix):
    """A compacted topic wants keys; what cannot be compressed is a little larger than it was."""
    table, out = new_topic("table", partitions=2, compacted=True), new_topic("out")
    app = hf.App(f"edges{suffix}", tasks=2)
    app.stream(source, SCHEMA, key=str).to(table)
    app.stream(raw := new_topic("raw", partitions=2, max_message_bytes=str(2 * MEGABYTE)), bytes, key=str).to(out)
    keyless = replace(record(source, 99), key=None)
    sizes = range(1_048_588 - 900, 1_048_588, 30)
    produce_any_size(topics, (Record(raw, b"k", random.Random(size).randbytes(size)) for size in sizes))
    topics.produce([record(source, 1), keyless, record(source, 2)])
    drain(app)
    assert numbers(topics, table) == Counter([1, 2])
    [(node, reason)] = [(node, reason) for node, reason, each in letters(topics, app) if each.key is None]
    assert (node, reason[:23]) == (f"to:{table}", "the record has no key, ")
    written = Counter(len(each.value) for each in topics.read(out))
    refused = Counter(len(each.value) for *_, each in letters(topics, app) if each.key == b"k")
    assert written
    assert refused
    assert written + refused == Counter(sizes)


def test_a_state_that_its_changelog_does_not_take(topics, drain, stores, new_topic, source, suffix):
    app = hf.App(f"grown{suffix}", tasks=2)
    topics.ensure([spec(f"{app.name}-all-changelog", **{"max.message.bytes": "100000"})])
    app.stream(source, SCHEMA, key=str).group_by_key().agg(
        all=F.collect_list("n"), of=F.collect_list("text"), store="all"
    )
    many = [record(source, n, text=noise(30_000 + n)) for n in range(0, 42, 7)]
    topics.produce([*many, *(record(source, n) for n in range(1, 7))])
    drain(app)
    topics.produce([record(source, 49, text="small again"), record(source, 56, text=noise(30_056))])
    drain(app)
    assert {key: value["all"] for key, value in stores(app)["all"].items()} == {
        "k0": [0, 7, 14, 49], **{f"k{n}": [n] for n in range(1, 7)}
    }  # fmt: skip
    refused = sorted(json.loads(each.value)["n"] for _, _, each in letters(topics, app))
    assert refused == [21, 28, 35, 56]
    assert all("the state of key k0 in store 'all' would take 12" in reason for _, reason, _ in letters(topics, app))


def test_letters_that_do_not_fit_name_where_their_record_lies(topics, drain, new_topic, source, suffix):
    """Values of many megabytes that are no JSON, headers by the thousand, times that the topic of letters refuses."""
    app = hf.App(f"large{suffix}", tasks=2)
    letter_topic = f"{app.name}-dead-letters"
    topics.ensure([spec(letter_topic, **{"message.timestamp.after.max.ms": "60000"})])
    app.stream(source, SCHEMA, key=str, timestamp=lambda v: v.time).filter(lambda v: 1 / (v.n - 9) > 0).to(
        new_topic("out")
    )
    headers = tuple((f"h{n}", noise(200 + n).encode()) for n in range(1_500))
    far = int(time.time() * 1000) + 5 * HOUR
    sent = [
        Record(source, b"huge", noise(40 * MEGABYTE).encode(), partition=0),
        Record(source, b"headers", b"no JSON", headers=headers, partition=0),
        Record(source, noise(2 * MEGABYTE).encode(), b"no JSON, and a long key", partition=0),
        Record(source, b"far", b"no JSON, and ahead", timestamp=far, partition=0),
        record(source, 9, text=noise(900_000)),
    ]
    produce_any_size(topics, [sent[0], *(record(source, n) for n in range(20, 30)), *sent[1:]])
    drain(app)
    found = {int(dict(each.headers)["hf-offset"]): each for _, _, each in letters(topics, app) if each.key != b"k2"}
    assert len(letters(topics, app)) == len(sent)
    huge, many, long, ahead = (found[offset] for offset in sorted(found))
    for each, key in ((huge, b"huge"), (many, b"headers"), (long, None)):
        assert (each.key, each.value, dict(each.headers)["hf-original"]) == (key, None, b"elsewhere")
        assert dict(each.headers)["hf-topic"] == source.encode()
    assert (ahead.value, dict(ahead.headers)["hf-timestamp"]) == (b"no JSON, and ahead", str(far).encode())
    assert "h1" not in dict(many.headers)
    dead = DeadLetters(app, topics)
    whole = [dead.whole(each.letter) for each in dead.find(LetterFilter())]
    assert sorted((each.key, each.value, each.headers) for each in whole if each.offset in found) == sorted(
        (each.key, each.value, each.headers) for each in sent[:4]
    )


def spec(name: str, **config: str) -> TopicSpec:
    return TopicSpec(name, 2, name.endswith("-changelog"), config)
