import pytest

from holdfast.errors import DurationError, TopologyError
from tests.dsl.helpers import node, value


def test_by_a_field_within_a_time(orders):
    found = node(orders.deduplicate("id", within="10 minutes"))
    assert (found["op"], found["by"], found["within"]) == ("deduplicate", value("id"), 600_000)
    assert (found["store"]["name"], found["store"]["changelog"]) == (None, None)


def test_the_stream_stays_as_it_is(orders):
    assert orders.deduplicate("id", within="1 second").schema == orders.schema


def test_by_several_fields(orders):
    found = node(orders.deduplicate(lambda o: dict(id=o.id, amount=o.amount), within="1 second"))
    assert found["by"] == {"struct": [["id", value("id")], ["amount", value("amount")]]}


def test_what_cannot_be_compared_is_refused(app):
    tagged = app.stream("tagged", "tags MAP<STRING, STRING>")
    with pytest.raises(TopologyError, match="by= is a map, and maps cannot be compared"):
        tagged.deduplicate("tags", within="1 minute")


def test_a_time_is_needed(orders):
    with pytest.raises(DurationError, match="deduplicate: within= must be a text"):
        orders.deduplicate("id", within=5)
    with pytest.raises(TopologyError, match="within= must be longer than nothing"):
        orders.deduplicate("id", within="0 ms")


def test_it_is_explained(app, orders):
    orders.deduplicate("id", within="10 minutes").to("once")
    assert "deduplicate-1: by value.id within 600000 ms" in app.explain()
