"""Tables that keep versions: updates count by their time, joins see the value as of theirs."""

import pytest

import holdfast as hf
from holdfast import functions as F
from holdfast.testing import Driver
from tests.driver.helpers import in_one_batch, letters, pairs, timed
from tests.driver.joins import both


def versioned(kept="100 ms", name="table"):
    return hf.Materialized(name, versioned=kept)


def looked_up(how="left_join", kept="100 ms", **options):
    """Topic `in` joined with the versioned table of topic `table`."""
    app = hf.App("versions", tasks=1)
    table = app.table("table", str, key=str, store=versioned(kept))
    getattr(app.stream("in", str, key=str), how)(table, both, **options).to("out")
    return app


def put(driver, *versions, key="k"):
    for value, time in versions:
        driver.pipe("table", value, key=key, timestamp=time)


def ask(driver, *times, key="k"):
    """The values that records of these times meet."""
    for time in times:
        driver.pipe("in", "x", key=key, timestamp=time)
    return [value.removeprefix("x+") for _, value, _ in timed(driver, "out")]


def test_a_join_sees_the_value_of_the_record_s_time():
    with Driver(looked_up()) as d:
        assert ask(d, 5) == ["null"]
        put(d, ("one", 10), ("two", 20))
        assert ask(d, 9, 10, 19, 20, 30) == ["null", "one", "one", "two", "two"]


def test_an_update_out_of_order_becomes_part_of_the_past():
    with Driver(looked_up()) as d:
        put(d, ("one", 10), ("three", 30), ("two", 20))
        assert ask(d, 10, 20, 29, 30) == ["one", "two", "two", "three"]
        assert dict(d.store("table").all()) == {"k": "three"}


def test_of_two_values_of_one_time_the_last_to_come_holds():
    with Driver(looked_up()) as d:
        put(d, ("one", 10), ("other", 10), ("two", 20), ("another", 10))
        assert ask(d, 10, 20) == ["another", "two"]


def test_a_delete_has_a_time():
    with Driver(looked_up()) as d:
        put(d, ("one", 10), (None, 20), ("three", 30), (None, 40))
        assert ask(d, 15, 20, 29, 30, 40) == ["one", "null", "null", "three", "null"]
        assert dict(d.store("table").all()) == {}
        put(d, ("before the last delete", 35))
        assert ask(d, 36, 40) == ["before the last delete", "null"]
        assert dict(d.store("table").all()) == {}
        put(d, ("instead of the delete", 40))
        assert ask(d, 39, 40) == ["before the last delete", "instead of the delete"]


def test_the_past_is_kept_for_a_while_and_the_latest_version_for_ever():
    with Driver(looked_up(kept="100 ms")) as d:
        put(d, ("one", 10), ("two", 20))
        put(d, ("now", 120), key="other")
        assert ask(d, 19, 20) == ["null", "two"]
        put(d, ("now", 1000), key="other")
        assert ask(d, 20, 500) == ["two", "two"]


def test_what_is_older_than_the_past_is_late():
    with Driver(looked_up(kept="100 ms")) as d:
        put(d, ("now", 200), ("too old", 99), ("just in time", 100))
        assert ask(d, 150) == ["just in time"]
        assert d._kernel.late() == 1


def test_each_record_sees_the_table_as_of_its_place_in_the_batch():
    records = [("in", "a", 25), ("table", "one", 20), ("in", "b", 25), ("table", "two", 24), ("in", "c", 24)]
    records += [("table", None, 22), ("in", "d", 23), ("table", "again", 24), ("in", "e", 30)]
    app = hf.App("place", tasks=1)
    sides = app.stream("all", "side STRING, value STRING", key=str).split(table=lambda v: v.side == "table")
    table = sides.table.map_values(lambda v: v.value).to_table(store=versioned())
    sides.rest.map_values(lambda v: v.value).left_join(table, both).to("out")
    with Driver(app) as d, d.batch():
        for side, value, time in records:
            d.pipe("all", {"side": side, "value": value}, key="k", timestamp=time)
    assert [value for _, value in pairs(d, "out")] == ["a+null", "b+one", "c+two", "d+null", "e+again"]


def test_every_change_is_told_also_one_of_the_past():
    app = hf.App("told", tasks=1)
    app.table("table", str, key=str, store=versioned()).to("changes")
    with Driver(app) as d:
        with d.batch():
            put(d, ("one", 10), ("three", 30), ("two", 20), (None, 25))
        assert timed(d, "changes") == [("k", "one", 10), ("k", "three", 30), ("k", "two", 20), ("k", None, 25)]


def test_views_show_the_versions_of_their_table():
    app = hf.App("views", tasks=1)
    table = app.table("table", int, key=str, store=versioned())
    even = table.filter(lambda v: v % 2 == 0).map_values(lambda v: v * 10)
    app.stream("in", str, key=str).left_join(even, lambda v, n: dict(n=n)).to("out")
    with Driver(app) as d:
        put(d, (2, 10), (3, 20), (4, 30))
        for time in (10, 20, 30):
            d.pipe("in", "x", key="k", timestamp=time)
        assert [value["n"] for _, value in pairs(d, "out")] == [20, None, 40]


def test_a_filter_of_a_versioned_table_tells_of_what_it_does_not_show():
    app = hf.App("filtered", tasks=1)
    table = app.table("table", int, key=str, store=versioned())
    table.filter(lambda v: v > 5).to("out")
    with Driver(app) as d:
        put(d, (1, 10), (9, 20), (2, 15))
        assert timed(d, "out") == [("k", None, 10), ("k", 9, 20), ("k", None, 15)]


def test_a_materialized_view_may_have_versions_of_its_own():
    app = hf.App("kept", tasks=1)
    table = app.table("table", int, key=str)
    doubled = table.map_values(lambda v: v * 2, store=versioned(name="doubled"))
    app.stream("in", str, key=str).left_join(doubled, lambda v, n: dict(n=n)).to("out")
    with Driver(app) as d:
        put(d, (1, 10), (2, 20))
        for time in (10, 20):
            d.pipe("in", "x", key="k", timestamp=time)
        assert [value["n"] for _, value in pairs(d, "out")] == [2, 4]


@pytest.mark.parametrize("how", ["count", "agg"])
def test_an_aggregate_with_versions(how):
    app = hf.App("counts", tasks=1)
    group = app.stream("clicks", int, key=str).group_by_key()
    options = {"store": versioned(name="counts")}
    counts = group.count(**options) if how == "count" else group.agg(n=F.count("*"), **options).map_values("n")
    app.stream("in", str, key=str).left_join(counts, lambda v, n: dict(n=n)).to("out")
    counts.to("counts")
    with Driver(app) as d:
        for time in (10, 30, 20):
            d.pipe("clicks", 1, key="k", timestamp=time)
        # As in Kafka Streams a fold goes on from the latest version, with the latest time.
        assert timed(d, "counts") == [("k", 1, 10), ("k", 2, 30), ("k", 3, 30)]
        for time in (9, 10, 29, 30):
            d.pipe("in", "x", key="k", timestamp=time)
        assert [value["n"] for _, value in pairs(d, "out")] == [None, 1, 1, 3]
        d.pipe("clicks", 1, key="other", timestamp=500)
        d.pipe("clicks", 1, key="new", timestamp=399)
        assert dict(timed_pairs(d, "counts")) == {"other": 1}
        assert d._kernel.late() == 1


def timed_pairs(driver, topic):
    return [(key, value) for key, value, _ in timed(driver, topic)]


@pytest.mark.parametrize("store", [None, "joined"])
@pytest.mark.parametrize("how", ["join", "left_join", "outer_join"])
def test_joins_of_tables_drop_updates_out_of_order(how, store):
    app = hf.App("tables", tasks=1)
    left = app.table("left", str, key=str, store=versioned(name="l"))
    right = app.table("right", str, key=str, store=versioned(name="r"))
    getattr(left, how)(right, both, store=store).to("out")
    with Driver(app) as d:
        d.pipe("left", "A", key="k", timestamp=10)
        d.pipe("right", "a", key="k", timestamp=20)
        pairs(d, "out")
        d.pipe("left", "older", key="k", timestamp=5)
        d.pipe("right", "older", key="k", timestamp=15)
        d.pipe("right", None, key="k", timestamp=12)
        assert timed(d, "out") == []
        d.pipe("left", "B", key="k", timestamp=15)
        assert timed(d, "out") == [("k", "B+a", 20)]


def test_groups_of_a_table_are_those_of_the_latest_versions():
    app = hf.App("groups", tasks=1)
    table = app.table("table", "team STRING, n BIGINT", key=str, store=versioned())
    table.group_by("team").agg(n=F.sum("n"), store="teams")
    with Driver(app) as d:
        put(d, ({"team": "red", "n": 1}, 10), ({"team": "blue", "n": 2}, 30), ({"team": "red", "n": 5}, 20))
        assert {key: value["n"] for key, value in d.store("teams").all() if value["n"]} == {"blue": 2}


def test_only_the_versioned_side_of_a_join_of_tables_drops_them():
    app = hf.App("mixed", tasks=1)
    left = app.table("left", str, key=str, store=versioned(name="l"))
    right = app.table("right", str, key=str)
    left.join(right, both).to("out")
    with Driver(app) as d:
        d.pipe("left", "A", key="k", timestamp=10)
        d.pipe("right", "a", key="k", timestamp=20)
        d.pipe("left", "older", key="k", timestamp=5)
        d.pipe("right", "b", key="k", timestamp=15)
        assert timed(d, "out") == [("k", "A+a", 20), ("k", "A+b", 15)]


def test_a_copy_in_a_later_stage_has_the_versions_too():
    app = hf.App("copied")
    table = app.table("table", str, key=str, store=versioned())
    by_word = app.stream("words", "word STRING", key=str).group_by("word").count().to_stream()
    by_word.join(table, lambda n, v: dict(n=n, v=v)).to("out")
    app.stream("in", str, key=str).left_join(table, both).to("first")
    with Driver(app) as d:
        put(d, ("one", 10), ("two", 20))
        d.pipe("words", {"word": "k"}, timestamp=15)
        assert pairs(d, "out") == [("k", {"n": 1, "v": "one"})]


def test_a_null_key_and_a_crash():
    with Driver(looked_up()) as d:
        put(d, ("one", 10), ("two", 20))
        d.pipe("table", "lost")
        assert letters(d) == [("table", "the key is null; a table has no place for it")]
        d.crash()
        assert ask(d, 10, 20) == ["one", "two"]


def test_a_long_past_of_a_hot_key():
    app = looked_up(kept="1 hour")
    with Driver(app) as d:
        for start in range(0, 1000, 250):
            with d.batch():
                put(d, *((str(n), n * 10) for n in range(start, start + 250)))
        assert ask(d, 15, 4999, 9990) == ["1", "499", "999"]
        in_one_batch(d, "table", ("k", None))
        assert ask(d, 0, 15) == ["null", "1"]


def test_a_handle_tells_the_value_of_a_time():
    app = looked_up()
    handle = app.store("table")
    with Driver(app) as d:
        put(d, ("one", 10), ("three", 30), ("two", 20), (None, 40))
        assert [handle.at("k", time) for time in (10, 19, 20, 39)] == ["one", "one", "two", "three"]
        for time in (9, 40, "2026-01-01T00:00:00Z"):
            with pytest.raises(hf.KeyNotFound, match="store 'table' knows no value of 'k'"):
                handle.at("k", time)
        with pytest.raises(hf.KeyNotFound):
            handle.at("unknown", 10)


def test_a_store_without_versions_says_how_to_keep_them():
    app = hf.App("plain")
    app.table("table", str, key=str, store="table")
    with Driver(app) as d:
        put(d, ("one", 10))
        with pytest.raises(
            hf.HoldfastError, match="store 'table' keeps no versions of its values; a table keeps versions with"
        ):
            d.store("table").at("k", 10)
