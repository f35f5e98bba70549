from datetime import timedelta

import pytest

import holdfast as hf
from holdfast.errors import DurationError, TopologyError
from tests.dsl.helpers import names, node, record, slot


@pytest.fixture
def payments(app):
    return app.stream("payments", "paid DOUBLE, at TIMESTAMP", key=str)


def test_two_streams_within_a_time(orders, payments):
    joined = orders.join(payments, lambda o, p: dict(id=o.id, paid=p.paid), within="10 minutes", late="late-payments")
    assert node(joined) == {
        "id": "stream_join-1",
        "op": "stream_join",
        "inputs": ["orders", "payments"],
        "how": "inner",
        "before": 600_000,
        "after": 600_000,
        "grace": 0,
        "joiner": record(id=slot("left", "id"), paid=slot("right", "paid")),
        "late": "late-payments",
        "store": {"name": None, "state": "stream_join-1", "emit": "latest", "changelog": None},
    }
    assert joined.schema == "key: STRING\nvalue: STRUCT<id: BIGINT, paid: DOUBLE>"


def test_a_window_with_two_bounds_and_grace(orders, payments):
    window = hf.JoinWindow(before="0 ms", after=timedelta(hours=1), grace="5 minutes")
    joined = node(orders.left_join(payments, within=window))
    assert (joined["how"], joined["before"], joined["after"], joined["grace"]) == ("left", 0, 3_600_000, 300_000)


def test_grace_beside_within(orders, payments):
    joined = node(orders.outer_join(payments, within="1 hour", grace="5 minutes"))
    assert (joined["how"], joined["before"], joined["grace"]) == ("outer", 3_600_000, 300_000)


def test_fields_of_a_side_that_may_be_missing_are_nullable(app):
    left = app.stream("l", "a INT NOT NULL", key=int)
    right = app.stream("r", "b INT NOT NULL", key=int)

    def required(joined):
        return [field.name for field in joined.node.value_type.fields if not field.nullable]

    assert names(left.join(right, within="1 s").node.value_type) == ["a", "b"]
    assert required(left.left_join(right, within="1 s")) == ["a"]
    assert required(left.outer_join(right, within="1 s")) == []


def test_a_stream_with_itself(orders):
    joined = orders.join(orders, lambda a, b: dict(a=a.id, b=b.id), within="1 minute")
    assert node(joined)["inputs"] == ["orders", "orders"]


def test_within_is_needed(orders, payments):
    with pytest.raises(TopologyError, match='needs to know how far apart records may be; say within="1 second"'):
        orders.join(payments)
    with pytest.raises(DurationError, match="JoinWindow: before must be a text"):
        orders.join(payments, within=5)


def test_grace_once(orders, payments):
    with pytest.raises(TopologyError, match="grace= is given twice"):
        orders.join(payments, within=hf.JoinWindow(before="1 s", after="1 s"), grace="1 s")


def test_keys_must_fit(app, orders):
    calls = app.stream("calls", "text STRING", key=int)
    with pytest.raises(TopologyError, match="key is string, stream 'calls' has key int; give both the same"):
        orders.join(calls, within="1 second")


def test_without_joiner_both_must_be_records_with_names_of_their_own(app, orders):
    with pytest.raises(TopologyError, match=r"say what to make of both: join\(stream, lambda"):
        orders.join(app.stream("words", str, key=str), within="1 second")
    with pytest.raises(
        TopologyError, match=r"both sides have a field 'id' and a field 'customer'.*join\(stream, lambda"
    ):
        orders.join(orders, within="1 second")


def test_on_is_not_for_streams(orders, payments):
    with pytest.raises(TopologyError, match="on= is for global tables"):
        orders.join(payments, on="customer", within="1 second")


def test_outer_is_not_for_a_stream_and_a_table(orders, countries):
    with pytest.raises(TopologyError, match="outer_join is for two streams or two tables"):
        orders.outer_join(countries)
