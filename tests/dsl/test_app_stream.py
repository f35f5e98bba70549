from dataclasses import dataclass

import pytest

import holdfast as hf
from holdfast import functions as F
from holdfast.errors import DurationError, ExpressionError, TimeError, TopologyError, TypeDeclarationError
from tests.dsl.helpers import call, node, value


@dataclass
class Order:
    id: int
    at: str


def test_a_stream_of_records(app):
    orders = app.stream("orders", Order)
    shown = node(orders)
    assert (shown["id"], shown["kind"], shown["topics"]) == ("orders", "stream", ["orders"])
    assert shown["key"] == {"format": "bytes", "type": "binary"}
    assert shown["value"]["format"] == "json"
    assert (shown["timestamp"], shown["on_error"], shown["store"]) == ({"from": "record"}, "dead-letter", None)


def test_several_topics_are_one_stream(app):
    both = node(app.stream(["web", "phone"], str))
    assert (both["id"], both["topics"]) == ("web+phone", ["web", "phone"])


def test_time_from_a_field_an_expression_the_record_or_the_clock(app):
    by_field = node(app.stream("a", Order, timestamp="at", timezone="Europe/Berlin"))["timestamp"]
    assert by_field == {"from": "expr", "expr": value("at"), "timezone": "Europe/Berlin"}
    by_expression = node(app.stream("b", Order, timestamp=lambda o: F.to_timestamp(o.at)))["timestamp"]
    assert by_expression["expr"] == call("to_timestamp", value("at"))
    assert node(app.stream("c", Order, timestamp=hf.record_time))["timestamp"] == {"from": "record"}
    assert node(app.stream("d", Order, timestamp=hf.wall_clock))["timestamp"] == {"from": "wall"}


def test_a_wrong_time_is_refused(app):
    with pytest.raises(TimeError, match="'Mars' is not a time zone"):
        app.stream("a", Order, timestamp="at", timezone="Mars")
    with pytest.raises(TopologyError, match="timezone='Asia/Tokyo' says where the times are that timestamp= reads"):
        app.stream("a", Order, timezone="Asia/Tokyo")
    with pytest.raises(TopologyError, match="timestamp= is bool"):
        app.stream("b", "ok BOOLEAN", timestamp="ok")
    with pytest.raises(ExpressionError, match="did you mean 'at'"):
        app.stream("c", Order, timestamp="att")


def test_the_same_topic_as_the_same_thing_is_read_once(app):
    first, again = app.stream("orders", Order), app.stream("orders", Order)
    assert first.node is again.node
    assert len(app.graph.nodes) == 1


def test_the_same_topic_with_another_type_is_refused(app):
    app.stream("orders", Order)
    with pytest.raises(
        TopologyError, match=r"topic 'orders' is already read at test_app_stream.py:\d+ with value json"
    ):
        app.stream("orders", str)
    with pytest.raises(TopologyError, match="with key bytes bytes, here with key text string; use one type"):
        app.stream("orders", Order, key=str)
    with pytest.raises(TopologyError, match="with another timestamp="):
        app.stream("orders", Order, timestamp="at")
    with pytest.raises(TopologyError, match="together with others"):
        app.stream(["orders", "more"], Order)


def test_a_topic_as_stream_and_table_is_refused(app):
    app.stream("orders", Order)
    with pytest.raises(TopologyError, match=r"as a stream, here as a table; read it once and turn it: stream.to_table"):
        app.table("orders", Order, key=int)


@pytest.mark.parametrize(
    ("topic", "message"),
    [
        ("no spaces", "may have letters, digits"),
        ("..", "may have letters, digits"),
        ("x" * 250, "at most 249"),
        ("__consumer_offsets", "one of Kafka's own"),
        ("shop-meta", "keeps for itself"),
        ("shop-markers", "keeps for itself"),
        ("shop-replay", "keeps for itself"),
        ("shop-x-changelog", "keeps for itself"),
        ([], "no topic to read"),
        (["a", "a"], "a topic is named twice"),
        (3, "topic must be a string, not 3"),
    ],
)
def test_a_wrong_topic_is_refused(app, topic, message):
    with pytest.raises(TopologyError, match=message):
        app.stream(topic if topic != 3 else [3], str)


def test_on_error_for_one_topic(app):
    assert node(app.stream("orders", str, on_error="fail"))["on_error"] == "fail"
    with pytest.raises(TopologyError, match='on_error is \'ignore\'; it may be "dead-letter" or "fail"'):
        app.stream("others", str, on_error="ignore")


def test_a_wrong_type_names_the_topic(app):
    with pytest.raises(TypeDeclarationError, match="orders: value: set is not a type for a topic"):
        app.stream("orders", set)


def test_close_on_idle_is_a_duration(app):
    stream = app.stream("orders", str, close_on_idle="1 minute")
    assert stream.node.details()["close_on_idle"] == 60_000


def test_close_on_idle_needs_a_unit_and_some_time(app):
    with pytest.raises(DurationError, match="orders: close_on_idle must be a text such as"):
        app.stream("orders", str, close_on_idle=60)
    with pytest.raises(TopologyError, match="orders: close_on_idle is no time at all"):
        app.stream("orders", str, close_on_idle="0 s")


def test_max_ahead_is_a_day_a_duration_or_nothing(app):
    assert app.stream("a", str).node.details()["max_ahead"] == 86_400_000
    assert app.stream("b", str, max_ahead="1 hour").node.details()["max_ahead"] == 3_600_000
    assert app.table("c", str, key=str, max_ahead=None).node.details()["max_ahead"] is None
    assert app.global_table("d", str, key=str, max_ahead="0 s").node.details()["max_ahead"] == 0
    with pytest.raises(DurationError, match="e: max_ahead must be a text such as"):
        app.stream("e", str, max_ahead=60)
    with pytest.raises(TopologyError, match="with another timestamp=, max_ahead="):
        app.stream("a", str, max_ahead=None)
