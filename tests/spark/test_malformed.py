"""Every tenth of many records is bad in one of ten ways: the good are counted, each bad one is a dead letter."""

import collections
import json
import os

import holdfast as hf
from holdfast.topics.admin import Topics

COUNT = int(os.environ.get("HOLDFAST_MALFORMED", "200_000"))
START = 1_767_225_600_000

# (value or a function of i, the key, the beginning of the reason that is wanted)
BAD = [
    (b'{"sensor": "s1", "n": ', b"k", "value: malformed JSON"),
    (b'{"sensor": "s1", "n": "seven", "at": 1}', b"k", "value: field 'n': wanted a long, got the string"),
    (
        b'{"sensor": "s1", "n": 99999999999999999999, "at": 1}',
        b"k",
        "value: field 'n': 99999999999999999999 is out of range",
    ),
    (b'{"sensor": "s1", "at": 1}', b"k", "value: missing required field 'n'"),
    (b'{"sensor": null, "n": 1, "at": 1}', b"k", "value: field 'sensor'"),
    (b'{"sensor": "s1", "n": 1, "at": -5}', b"k", "the time is before 1970"),
    (b'{"sensor": "s1", "n": 1, "at": 1} trailing', b"k", "value: malformed JSON"),
    (b'{"sensor": "s1", "n": -1, "at": 1}', b"k", "n must not be negative"),
    (b'{"sensor": "s1", "n": 0, "at": 1}', b"k", "[DIVIDE_BY_ZERO]"),
    (b'{"sensor": "s1", "n": 1, "at": 1}', None, "the key is null"),
]


def produce(topics: Topics, topic: str) -> None:
    from confluent_kafka import Producer

    producer = Producer(
        {"bootstrap.servers": topics.brokers, "linger.ms": 50, "queue.buffering.max.messages": 1_000_000}
    )
    for i in range(COUNT):
        if i % 10:
            value, key = b'{"sensor": "s%d", "n": %d, "at": %d}' % (i % 97, 1 + i % 5, START + i), b"k%d" % (i % 31)
        else:
            value, key, _ = BAD[i // 10 % 10]
        producer.produce(topic, value, key, timestamp=START + i, partition=i % 4)
        if i % 5000 == 0:
            producer.poll(0)
    assert producer.flush(120) == 0


def test_everything_is_counted_or_a_dead_letter(topics, drain, stores, new_topic, suffix):
    topic = new_topic("readings", partitions=4)
    produce(topics, topic)
    app = hf.App(f"malformed{suffix}")
    readings = app.stream(
        topic, "sensor STRING NOT NULL, n BIGINT NOT NULL, at BIGINT NOT NULL", key=str, timestamp=lambda r: r.at
    )
    good = readings.require(lambda r: r.n >= 0, reason="n must not be negative").map_values(
        lambda r: dict(sensor=r.sensor, share=60 / r.n)
    )
    good.group_by_key().count(store="per-key")
    drain(app)
    assert sum(stores(app)["per-key"].values()) == COUNT * 9 // 10

    reasons: collections.Counter[str] = collections.Counter()
    for letter in topics.consume([f"malformed{suffix}-dead-letters"], from_beginning=True, to_end=True):
        headers = dict(letter.headers)
        value, key, reason = BAD[_kind(headers)]
        assert headers["hf-reason"].decode().startswith(reason), headers
        assert (letter.value, letter.key) == (value, key)
        reasons[reason] += 1
    each = COUNT // 100
    assert sum(reasons.values()) == COUNT // 10
    assert set(reasons.values()) <= {each, 2 * each}, json.dumps(reasons)


def _kind(headers: dict[str, bytes]) -> int:
    """Which of the bad ones it was: records went to four partitions in turn."""
    i = int(headers["hf-offset"]) * 4 + int(headers["hf-partition"])
    return i // 10 % 10
