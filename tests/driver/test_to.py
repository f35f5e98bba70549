import base64
import json

import pytest

import holdfast as hf
from holdfast import functions as F
from holdfast.testing import Driver
from holdfast.topics import own_topics
from tests.driver.helpers import letters, pairs


def raw(driver, topic):
    """The bytes that came to a topic, before they are decoded."""
    return driver._unread[topic]


@pytest.mark.parametrize(
    ("value", "serde", "key_bytes", "value_bytes"),
    [
        (lambda v: v, None, b"7", b"42"),
        (lambda v: v, hf.int32(), b"7", b"\x00\x00\x00\x2a"),
        (lambda v: v, hf.int64(), b"7", b"\x00\x00\x00\x00\x00\x00\x00\x2a"),
        (lambda v: v, hf.json(int), b"7", b"42"),
        (lambda v: F.cast(v, "string"), hf.json(str), b"7", b'"42"'),
        (lambda v: F.cast(v, "string"), hf.string(), b"7", b"42"),
        (lambda v: dict(a=v, b=None), None, b"7", b'{"a":42,"b":null}'),
    ],
)
def test_the_bytes_that_are_written(value, serde, key_bytes, value_bytes):
    app = hf.App("bytes")
    app.stream("in", int, key=int).map_values(value).to("out", value=serde)
    with Driver(app) as d:
        d.pipe("in", 42, key=7)
        (found,) = raw(d, "out")
        assert base64.b64decode(found["key"]) == key_bytes
        assert base64.b64decode(found["value"]) == value_bytes


def test_a_key_serde():
    app = hf.App("bytes")
    app.stream("in", int, key=int).to("out", key=hf.int32())
    app.stream("in", int, key=int).to("texts", key=hf.json(int))
    with Driver(app) as d:
        d.pipe("in", 1, key=-1)
        assert raw(d, "out")[0]["key"] == "/////w=="
        assert pairs(d, "out") == pairs(d, "texts") == [(-1, 1)]


def test_what_does_not_fit_the_serde_is_a_dead_letter():
    app = hf.App("bytes")
    app.stream("in", int, key=str).to("out", value=hf.int32())
    with Driver(app) as d:
        with d.batch():
            for key, value in [("a", 1), ("b", 2**31), ("c", 3)]:
                d.pipe("in", value, key=key)
        assert pairs(d, "out") == [("a", 1), ("c", 3)]
        ((node, reason),) = letters(d)
        assert node == "to:out"
        assert "2147483648" in reason


def test_the_record_names_its_topic():
    app = hf.App("ways")
    app.stream("in", "country STRING, n BIGINT", key=str).to(lambda v: F.concat(F.lit("to-"), v.country))
    with Driver(app) as d:
        with d.batch():
            for key, country in [("a", "ch"), ("b", None), ("c", "no")]:
                d.pipe("in", {"country": country, "n": 1}, key=key)
        assert pairs(d, "to-ch") == [("a", {"country": "ch", "n": 1})]
        assert pairs(d, "to-no") == [("c", {"country": "no", "n": 1})]
        assert letters(d) == [("to-1", "the topic to write to is null")]


def test_headers_are_carried_and_added_to():
    app = hf.App("heads")
    s = app.stream("in", "who STRING", key=str)
    s.to("same")
    s.to("more", headers=lambda v: dict(who=v.who, version="2"))
    with Driver(app) as d:
        d.pipe("in", {"who": "Ada"}, key="a", headers={"version": b"1", "trace": b"\xff"})
        assert d.read("same")[0].headers == {"version": b"1", "trace": b"\xff"}
        assert d.read("more")[0].headers == {"trace": b"\xff", "who": b"Ada", "version": b"2"}


def test_a_null_value_is_a_tombstone_and_a_null_key_stays_null():
    app = hf.App("nulls")
    app.stream("in", int, key=str).to("out")
    with Driver(app) as d:
        d.pipe("in", None, key="a")
        d.pipe("in", 1)
        assert pairs(d, "out") == [("a", None), (None, 1)]


def test_several_outputs_of_several_places():
    app = hf.App("outs")
    s = app.stream("in", int, key=str)
    s.to("copies")
    s.group_by_key().count().to("copies-counted")
    s.group_by(lambda v: v).count().to("by-value")
    with Driver(app) as d:
        d.pipe("in", 5, key="a")
        assert [pairs(d, t) for t in ("copies", "copies-counted", "by-value")] == [[("a", 5)], [("a", 1)], [(5, 1)]]


def test_nested_records_are_json():
    app = hf.App("json")
    app.stream("in", "a STRUCT<b: ARRAY<BIGINT>, t: TIMESTAMP, m: MAP<STRING, DOUBLE>>", key=str).to("out")
    value = {"a": {"b": [1, 2], "t": "2026-01-01T00:00:00Z", "m": {"x": 0.5}}}
    with Driver(app) as d:
        d.pipe("in", value, key="a")
        assert json.loads(base64.b64decode(raw(d, "out")[0]["value"])) == value


@pytest.mark.parametrize(
    ("topic", "reason"),
    [
        *[
            (f"shop-{name}", "is one that app 'shop' keeps for itself")
            for name in (*own_topics.NAMES, "counts-changelog")
        ],
        ("__consumer_offsets", "is one of Kafka's own"),
        ("a b", "is no name of a topic"),
        ("..", "is no name of a topic"),
        ("", "is no name of a topic"),
        ("x" * 250, "is no name of a topic"),
    ],
)
def test_a_topic_that_nobody_may_write_is_a_dead_letter(topic, reason):
    app = hf.App("shop")
    app.stream("in", str, key=str).to(lambda v: v)
    with Driver(app) as d:
        for chosen in ("fine", topic, "fine", topic):
            d.pipe("in", chosen, key="a")
        found = d.dead_letters()
        assert len(found) == 2
        assert all(f"the topic to write to, '{topic}', {reason}" in letter.reason for letter in found)
        assert len(d.read("fine")) == 2
        assert set(d._unread) == set()
