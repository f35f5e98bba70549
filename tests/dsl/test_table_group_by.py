import pytest

import holdfast as hf
from holdfast import functions as F
from holdfast.errors import TopologyError
from tests.dsl.helpers import call, lit, node, slot, value


@pytest.fixture
def people(app):
    return app.table("people", "name STRING, city STRING, age BIGINT", key=int)


def test_a_key_of_the_rows(people):
    group = people.group_by(lambda p: p.city)
    assert node(group) == {"id": "table_group_by-1", "op": "table_group_by", "inputs": ["people"], "key": value("city")}
    assert group.schema == "key: STRING\nvalue: STRUCT<name: STRING, city: STRING, age: BIGINT>"


def test_several_keys_make_a_record(people):
    assert people.group_by("city", "age").schema.splitlines()[0] == "key: STRUCT<city: STRING, age: BIGINT>"


def test_the_aggregate_says_that_it_takes_back(people):
    assert node(people.group_by("city").count(store="inhabitants"))["retracts"] is True
    assert "retracts" not in node(people.to_stream().group_by("city").count(store="seen"))


def test_subtract_of_aggregate(people):
    ages = people.group_by("city").aggregate(0, lambda s, p: s + p.age, subtract=lambda s, p: s - p.age)
    assert node(ages)["subtract"] == call("-", slot("state"), value("age"))
    with pytest.raises(TopologyError, match="subtract gives string, the state is int"):
        people.group_by("city").aggregate(0, lambda s, p: s + p.age, subtract=lambda s, p: p.name)


def test_a_stream_group_takes_nothing_back(app):
    with pytest.raises(TopologyError, match="aggregate: subtract= is for groups of a table"):
        app.stream("in", "x BIGINT").group_by("x").aggregate(0, lambda s, v: s + v.x, subtract=lambda s, v: s - v.x)


def test_a_map_is_no_key(app):
    table = app.table("in", "m MAP<STRING, BIGINT>", key=str)
    with pytest.raises(TopologyError, match="a map cannot be a key"):
        table.group_by("m")


def test_windows_are_for_streams(people):
    with pytest.raises(TopologyError, match="the rows of a table have no windows; window the stream"):
        people.group_by("city").windowed_by(hf.tumbling("1 minute"))


def test_what_is_for_streams_is_refused(people):
    group = people.group_by("city")
    with pytest.raises(TopologyError, match="cogroup: argument 1 is a group of a table, whose values change"):
        hf.cogroup((group, lambda s, p: s))
    with pytest.raises(TopologyError, match="match: a table came, whose rows have no order; match the stream"):
        group.match(hf.sequence(a=lambda p: p.age > 1), within="1 minute")
    with pytest.raises(TopologyError, match="versioned= is not for aggregates of a table; keep the versions of what"):
        group.count(store=hf.Materialized("n", versioned="1 hour"))


def test_a_group_of_a_table_is_in_the_next_stage(app, people):
    people.group_by("city").count(store="inhabitants")
    assert "people --> count:inhabitants" not in app.explain()
    assert "table_group_by-1 --> count:inhabitants: key changes at table_group_by-1" in app.explain()


def test_a_time_to_live_belongs_to_the_table(app, people):
    kept = hf.Materialized("kept", ttl="1 hour")
    with pytest.raises(TopologyError, match="ttl= would expire rows that the table still has"):
        people.group_by("city").count(store=kept)
    with pytest.raises(TopologyError, match="ttl= belongs to the table that this one is made of"):
        people.map_values(lambda p: p.age, store=kept)
    with pytest.raises(TopologyError, match="ttl= is not for global tables"):
        app.global_table("cities", "name STRING", key=str, store=kept)
    with pytest.raises(TopologyError, match="ttl= does not go with versioned="):
        app.table("old", str, key=str, store=hf.Materialized("old", ttl="1 hour", versioned="1 hour"))
    with pytest.raises(TopologyError, match="the windows of a windowed table expire by themselves"):
        app.stream("in", str, key=str).group_by_key().windowed_by(hf.tumbling("1 minute")).count(store=kept)


def test_a_table_may_end_its_entries(app):
    seen = app.stream("in", str, key=str).to_table(store=hf.Materialized("seen", ttl="1 hour"))
    assert node(seen)["store"]["ttl"] == 3_600_000
    assert node(app.stream("in", str, key=str).group_by_key().count())["store"].get("ttl") is None


def test_functions_of_spark_see_the_rows(people):
    stats = people.group_by("city").agg(oldest=F.max("age"), adults=F.sum(F.when(F.col("age") > 17, 1)))
    assert node(stats)["fields"][0] == ["oldest", call("max", value("age"))]
    assert node(stats)["fields"][1][1]["args"][0]["case"] == [[call(">", value("age"), lit(17)), lit(1)]]
