"""Entries that were not updated for a time are deleted, wherever they are seen."""

import pytest

import holdfast as hf
from holdfast import functions as F
from holdfast.testing import Driver
from tests.driver.helpers import pairs, timed


def expiring(name, emit="every", ttl="10 ms"):
    return hf.Materialized(name, ttl=ttl, emit=emit)


def feed(driver, *records, topic="in"):
    for key, value, at in records:
        driver.pipe(topic, value, key=key, timestamp=at)


def test_an_entry_ends_when_time_has_passed_it():
    app = hf.App("ending")
    app.table("in", str, key=str, store=expiring("table")).to("out")
    with Driver(app) as d:
        feed(d, ("a", "1", 100), ("b", "2", 109))
        assert dict(d.store("table").all()) == {"a": "1", "b": "2"}
        feed(d, ("c", "3", 110))
        assert dict(d.store("table").all()) == {"b": "2", "c": "3"}
        assert timed(d, "out") == [("a", "1", 100), ("b", "2", 109), ("a", None, 110), ("c", "3", 110)]


def test_an_update_prolongs_its_life():
    app = hf.App("prolonged", tasks=1)
    app.table("in", str, key=str, store=expiring("table")).to("out")
    with Driver(app) as d:
        feed(d, ("a", "1", 100), ("a", "2", 105), ("b", "x", 112))
        assert dict(d.store("table").all()) == {"a": "2", "b": "x"}
        feed(d, ("b", "y", 115))
        assert dict(d.store("table").all()) == {"b": "y"}
        assert timed(d, "out")[-2:] == [("a", None, 115), ("b", "y", 115)]


def test_each_entry_ends_at_its_own_time_the_earliest_first():
    app = hf.App("in-order", tasks=1)
    app.table("in", str, key=str, store=expiring("table")).to("out")
    with Driver(app) as d:
        feed(d, ("c", "1", 100), ("a", "2", 103), ("b", "3", 101))
        d.read("out")
        feed(d, ("z", "4", 500))
        assert timed(d, "out") == [("c", None, 110), ("b", None, 111), ("a", None, 113), ("z", "4", 500)]


def test_a_key_that_comes_back_begins_anew():
    app = hf.App("anew", tasks=1)
    app.stream("in", str, key=str).group_by_key().count(store=expiring("counts")).to("out")
    with Driver(app) as d:
        feed(d, ("a", "x", 100), ("a", "x", 105), ("a", "x", 115))
        assert timed(d, "out") == [("a", 1, 100), ("a", 2, 105), ("a", None, 115), ("a", 1, 115)]


def test_the_time_of_an_aggregate_is_that_of_its_latest_record():
    app = hf.App("latest-record", tasks=1)
    app.stream("in", str, key=str).group_by_key().count(store=expiring("counts")).to("out")
    with Driver(app) as d:
        feed(d, ("a", "x", 105), ("a", "x", 97), ("b", "x", 114))
        assert dict(d.store("counts").all()) == {"a": 2, "b": 1}
        feed(d, ("b", "x", 115))
        assert dict(d.store("counts").all()) == {"b": 2}


def test_a_record_that_is_older_than_its_time_to_live_is_late():
    app = hf.App("late-updates", tasks=1)
    app.table("in", str, key=str, store=expiring("table")).to("out")
    with Driver(app) as d:
        feed(d, ("a", "1", 100), ("a", "old", 90), ("b", "old", 80), ("a", "older", 91))
        assert timed(d, "out") == [("a", "1", 100), ("a", "older", 91)]
        assert [late.record.value for late in d.late()] == ["old", "old"]
        assert d.dead_letters() == []
        feed(d, ("b", "2", 101))
        assert timed(d, "out") == [("a", None, 101), ("b", "2", 101)]


def test_a_delete_is_never_late():
    app = hf.App("late-deletes", tasks=1)
    app.table("in", str, key=str, store=expiring("table")).to("out")
    with Driver(app) as d:
        feed(d, ("a", "1", 100), ("a", None, 50), ("b", "1", 200))
        assert timed(d, "out") == [("a", "1", 100), ("a", None, 50), ("b", "1", 200)]


def test_tables_made_of_it_are_told():
    app = hf.App("derived", tasks=1)
    people = app.table("in", "city STRING", key=str, store=expiring("people"))
    people.group_by("city").count(store="inhabitants")
    people.map_values(lambda p: p.city, store="cities")
    people.filter(lambda p: p.city == "Ulm").to("ulm")
    with Driver(app) as d:
        feed(d, ("a", {"city": "Ulm"}, 100), ("b", {"city": "Ulm"}, 105), ("c", {"city": "Bonn"}, 112))
        assert dict(d.store("inhabitants").all()) == {"Ulm": 1, "Bonn": 1}
        assert dict(d.store("cities").all()) == {"b": "Ulm", "c": "Bonn"}
        assert timed(d, "ulm")[-1] == ("a", None, 110)


@pytest.mark.parametrize("size", [1, 3, 6])
def test_joins_no_longer_see_it(size):
    app = hf.App("joined", tasks=1)
    users = app.table("users", str, key=str, store=expiring("users", emit="latest"))
    visits = app.stream("visits", str, key=str)
    visits.left_join(users, lambda v, u: F.coalesce(u, F.lit("-"))).to("out")
    moved = visits.group_by(lambda v: v).count(store=hf.Materialized("moved", emit="every")).to_stream()
    moved.left_join(users, lambda n, u: F.coalesce(u, F.lit("-"))).to("in-a-later-stage")
    records = [("users", "x", "ada", 100), ("visits", "x", "x", 101), ("users", "y", "bob", 110)]
    records += [("visits", "x", "x", 111), ("users", "x", "eve", 112), ("visits", "x", "x", 113)]
    with Driver(app) as d:
        for start in range(0, len(records), size):
            with d.batch():
                for topic, key, value, at in records[start : start + size]:
                    d.pipe(topic, value, key=key, timestamp=at)
        assert [value for _, value in pairs(d, "out")] == ["ada", "-", "eve"]
        assert [value for _, value in pairs(d, "in-a-later-stage")] == ["ada", "-", "eve"]


def test_the_latest_update_of_a_batch_is_told():
    app = hf.App("batched", tasks=1)
    app.table("in", str, key=str, store=expiring("table", emit="latest")).to("out")
    with Driver(app) as d:
        feed(d, ("a", "1", 100), ("b", "1", 100))
        with d.batch():
            feed(d, ("c", "1", 150), ("a", "2", 150), ("d", "1", 200), ("d", "2", 201))
        assert timed(d, "out") == [
            ("a", "1", 100),
            ("b", "1", 100),
            ("b", None, 110),
            ("a", None, 160),
            ("d", "2", 201),
        ]


def test_it_survives_a_crash():
    app = hf.App("survivor", tasks=1)
    app.table("in", str, key=str, store=expiring("table")).to("out")
    with Driver(app) as d:
        feed(d, ("a", "1", 100))
        d.crash()
        feed(d, ("b", "1", 110))
        assert dict(d.store("table").all()) == {"b": "1"}


def test_keys_of_records_end_too():
    app = hf.App("records")
    moves = app.stream("in", "x BIGINT, y STRING", key=str)
    moves.group_by("x", "y").count(store=expiring("counts")).to("out")
    with Driver(app) as d:
        feed(d, (None, {"x": 1, "y": "a"}, 100), (None, {"x": 1, "y": "a"}, 110))
        assert timed(d, "out") == [
            ({"x": 1, "y": "a"}, 1, 100),
            ({"x": 1, "y": "a"}, None, 110),
            ({"x": 1, "y": "a"}, 1, 110),
        ]


def test_time_goes_on_when_the_topic_falls_silent():
    app = hf.App("silence", tasks=2)
    stream = app.stream("in", str, key=str, close_on_idle="1 second")
    table = stream.to_table(store=hf.Materialized("table", ttl="1 minute"))
    table.to("out")
    table.group_by(lambda v: v).count(store="groups")
    with Driver(app) as d:
        feed(d, ("a", "x", 0), ("b", "x", 10_000), ("b", "y", 20_000))
        d.read("out")
        d.advance(seconds=39)
        assert timed(d, "out") == []
        d.advance(seconds=3)
        assert timed(d, "out") == [("a", None, 60_000)]
        assert dict(d.store("groups").all()) == {"x": 0, "y": 1}
        d.advance(minutes=5)
        assert timed(d, "out") == [("b", None, 80_000)]
        assert dict(d.store("table").all()) == {}
        assert dict(d.store("groups").all()) == {"x": 0, "y": 0}
        feed(d, ("a", "z", 10_000))
        assert timed(d, "out") == []
        assert len(d.late()) == 1
