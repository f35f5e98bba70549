import pytest

import holdfast as hf
from holdfast.errors import DurationError, TopologyError
from tests.dsl.helpers import node


def kept(handle):
    return node(handle)["store"]


def versioned(name="rates", length="1 hour"):
    return hf.Materialized(name, versioned=length)


def test_a_table_that_keeps_versions_tells_of_every_update(app):
    store = kept(app.table("rates", float, key=str, store=versioned()))
    assert (store["name"], store["versioned"], store["emit"]) == ("rates", 3_600_000, "every")
    assert "versioned" not in kept(app.table("others", float, key=str))


def test_streams_aggregates_and_views_may_keep_versions(app):
    orders = app.stream("prices", float, key=str)
    table = orders.to_table(store=versioned("a"))
    assert kept(table)["versioned"] == 3_600_000
    assert kept(orders.group_by_key().count(store=versioned("b")))["versioned"] == 3_600_000
    assert kept(table.map_values(lambda v: v * 2, store=versioned("c")))["versioned"] == 3_600_000


def test_a_view_shows_the_versions_of_its_table(app, orders):
    rates = app.table("rates", "rate DOUBLE", key=str, store=versioned())
    view = rates.filter(lambda r: r.rate > 0)
    joined = node(orders.join(view, grace="1 minute"))
    assert (joined["grace"], joined["store"]["state"], joined["store"]["name"]) == (60_000, "join-1", None)


def test_grace_must_not_be_longer_than_the_past(app, orders):
    rates = app.table("rates", "rate DOUBLE", key=str, store=versioned(length="1 minute"))
    with pytest.raises(TopologyError, match="grace= is 120000 ms, table 'rates' keeps versions for 60000 ms"):
        orders.join(rates, grace="2 minutes")


def test_a_materialized_view_has_no_versions_of_its_own_accord(app, orders):
    rates = app.table("rates", "rate DOUBLE", key=str, store=versioned())
    view = rates.map_values(lambda r: dict(more=r.rate), store="view")
    with pytest.raises(TopologyError, match="grace= needs a versioned table"):
        orders.join(view, grace="1 minute")


def test_the_same_topic_with_and_without_versions(app):
    app.table("rates", float, key=str, store=versioned())
    with pytest.raises(TopologyError, match="already belongs to source"):
        app.table("rates", float, key=str, store="rates")
    assert app.table("rates", float, key=str, store=versioned()).node is app.graph.nodes[0]


def test_where_versions_are_not_kept(app, orders):
    with pytest.raises(TopologyError, match="versioned= is not for global tables; use app.table"):
        app.global_table("rates", float, key=str, store=versioned())
    windowed = orders.group_by_key().windowed_by(hf.tumbling("1 minute"))
    with pytest.raises(TopologyError, match="a windowed table has a value per window"):
        windowed.count(store=versioned())
    tables = [app.table(name, f"{name} INT", key=str) for name in ("a", "b")]
    with pytest.raises(TopologyError, match="versioned= is not for joins by key"):
        tables[0].join(tables[1], store=versioned("joined"))


def test_it_is_a_duration():
    with pytest.raises(DurationError, match="store 'rates': versioned= must be a text such as"):
        hf.Materialized("rates", versioned=60)
