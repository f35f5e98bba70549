"""A dead letter that is put back gives what the record would have given, where it failed and only there."""

import pytest

import holdfast as hf
from holdfast import functions as F
from holdfast.errors import HoldfastError
from holdfast.testing import Driver
from holdfast.topology.reentry import CannotReplay
from tests.driver.helpers import pairs

ORDER = "item STRING, pieces BIGINT NOT NULL"


def totals() -> hf.App:
    app = hf.App("shop")
    orders = app.stream("orders", ORDER, key=str)
    orders.group_by_key().agg(n=F.count(), pieces=lambda o: F.sum(o.pieces), store="per-user").to("totals")
    orders.group_by_key().windowed_by(hf.tumbling("10 ms", grace="1 second")).count(store="per-window")
    return app


def test_a_record_rejected_at_the_source_counts_as_if_it_had_been_right():
    records = [("a", 1, 5), ("b", 2, 7), ("a", 4, 12), ("b", 8, 25)]
    with Driver(totals()) as right:
        for key, pieces, time in records:
            right.pipe("orders", {"pieces": pieces}, key=key, timestamp=time)
        wanted = {name: dict(right.store(name).all()) for name in ("per-user", "per-window")}
    with Driver(totals()) as d:
        for key, pieces, time in records:
            d.pipe("orders", {"pieces": str(pieces) if pieces < 4 else "?"}, key=key, timestamp=time)
        letters = d.dead_letters()
        assert len(letters) == 4
        for letter, (_, pieces, _) in zip(letters, records, strict=True):
            d.replay(letter, {"pieces": pieces})
        assert {name: dict(d.store(name).all()) for name in wanted} == wanted


def test_twice_is_once():
    with Driver(totals()) as d:
        d.pipe("orders", b"{", key="a")
        (letter,) = d.dead_letters()
        d.replay(letter, {"pieces": 3})
        d.replay(letter, {"pieces": 3})
        assert d.store("per-user")["a"] == {"n": 1, "pieces": 3}


def test_what_fails_again_is_a_letter_again():
    with Driver(totals()) as d:
        d.pipe("orders", b"{", key="a", headers={"trace": b"7"})
        (first,) = d.dead_letters()
        d.replay(first)
        (second,) = d.dead_letters()
        assert second.record.value == b"{"
        assert second.record.headers["trace"] == b"7"
        assert second.record.headers["hf-replayed"] == b"1"
        d.replay(second, {"pieces": 3})
        assert d.store("per-user")["a"]["pieces"] == 3


def branches() -> hf.App:
    app = hf.App("shop")
    orders = app.stream("orders", ORDER, key=str)
    orders.group_by_key().count(store="all")
    good = orders.require(lambda o: o.pieces > 0, reason="no pieces")
    good.group_by(lambda o: o.item).agg(pieces=lambda o: F.sum(o.pieces), store="per-item").to("sold")
    return app


def test_at_a_node_the_other_branches_hear_nothing():
    with Driver(branches()) as d:
        d.pipe("orders", {"item": "x", "pieces": 2}, key="a", timestamp=1)
        d.pipe("orders", {"item": "x", "pieces": -5}, key="b", timestamp=2)
        (letter,) = d.dead_letters()
        d.replay(letter, {"item": "x", "pieces": 5})
        assert d.store("all")["b"] == 1
        assert d.store("per-item")["x"] == {"pieces": 7}
        assert pairs(d, "sold")[-1] == ("x", {"pieces": 7})


def test_at_the_source_all_branches_hear_it():
    with Driver(branches()) as d:
        d.pipe("orders", {"item": "x", "pieces": -5}, key="b")
        (letter,) = d.dead_letters()
        d.replay(letter, {"item": "x", "pieces": 5}, at="source")
        assert d.store("all")["b"] == 2
        assert d.store("per-item")["x"] == {"pieces": 5}


def deep() -> hf.App:
    app = hf.App("deep")
    users = app.table("users", "name STRING", key=str)
    clicks = app.stream("clicks", "n BIGINT", key=str)
    joined = clicks.join(users, lambda c, u: dict(n=c.n, name=u.name))
    spread = joined.flat_map(lambda k, v: [(v.name, v.n), (v.name, v.n - 1)])
    spread.map_values(lambda n: F.cast(100 / n, "bigint")).group_by_key().agg(sum=lambda v: F.sum(v), store="sums")
    joined.group_by_key().count(store="joined")
    return app


def test_deep_in_the_topology_behind_joins_and_changes_of_key():
    with Driver(deep()) as d:
        d.pipe("users", {"name": "Ada"}, key="1", timestamp=1)
        d.pipe("clicks", {"n": 1}, key="1", timestamp=2)
        (letter,) = d.dead_letters()
        assert (letter.node, letter.record.headers["hf-value"]) == ("map_values-1", b"0")
        assert letter.record.value == b'{"n":1}'
        d.replay(letter, 50)
        assert d.store("sums")["Ada"] == {"sum": 102}
        assert d.store("joined")["1"] == 1


def test_several_records_made_of_one_are_several_letters():
    with Driver(deep()) as d:
        d.pipe("users", {"name": "Ada"}, key="1", timestamp=1)
        d.pipe("clicks", {"n": 0}, key="1", timestamp=2)
        (zero,) = d.dead_letters()
        d.pipe("clicks", {"n": 1}, key="1", timestamp=3)
        (one,) = d.dead_letters()
        for letter in (zero, one, zero):
            d.replay(letter, 10)
        assert d.store("sums")["Ada"] == {"sum": 10 - 100 + 100 + 10}


def test_at_an_aggregate():
    app = hf.App("sums")
    app.stream("in", int, key=str).group_by_key().agg(x=lambda v: F.sum(100 / v), store="r")
    with Driver(app) as d:
        d.pipe("in", 50, key="a")
        d.pipe("in", 0, key="a")
        (letter,) = d.dead_letters()
        assert letter.node == "agg:r"
        d.replay(letter, 25)
        assert d.store("r")["a"] == {"x": 6.0}


def test_at_an_output():
    app = hf.App("out")
    app.stream("in", int, key=str).to("out", headers=lambda v: dict(x=F.cast(100 / v, "string")))
    with Driver(app) as d:
        d.pipe("in", 0, key="a", timestamp=5)
        (letter,) = d.dead_letters()
        d.replay(letter, 4)
        (record,) = d.read("out")
        assert (record.key, record.value, record.headers) == ("a", 4, {"hf-replayed": b"1", "x": b"25.0"})


def test_an_edit_that_does_not_fit_is_a_letter_that_says_so():
    with Driver(branches()) as d:
        d.pipe("orders", {"item": "x", "pieces": 0}, key="b")
        (letter,) = d.dead_letters()
        d.replay(letter, b'{"item": "x", "pieces": "many"}')
        (again,) = d.dead_letters()
        assert again.node == "require-1"
        assert again.reason.startswith("value: field 'pieces'")
        assert again.record.value == b'{"item":"x","pieces":0}'
        d.replay(again, {"item": "x", "pieces": 1})
        assert d.store("per-item")["x"] == {"pieces": 1}


def test_a_row_of_a_table_does_not_undo_a_later_one():
    app = hf.App("users")
    app.table("users", "name STRING NOT NULL", key=str, store="users")
    with Driver(app) as d:
        for name in ({}, {}):
            d.pipe("users", name, key="1", timestamp=5)
        d.pipe("users", {"name": "new"}, key="1", timestamp=9)
        first, second = d.dead_letters()
        d.replay(first, {"name": "old"})
        assert d.store("users")["1"] == {"name": "new"}
        d.replay(second, {"name": "other"}, key="2")
        assert d.store("users")["2"] == {"name": "other"}


def test_changes_of_a_table_are_refused():
    app = hf.App("ratios")
    app.stream("in", int, key=str).to_table().map_values(lambda v: 100 / v, store="r").to("out")
    with Driver(app) as d:
        d.pipe("in", 0, key="a")
        (letter,) = d.dead_letters()
        with pytest.raises(CannotReplay, match="takes changes of the table to_table-1, which has gone on"):
            d.replay(letter, 4)
        d.replay(letter, 4, at="source")
        assert d.store("r")["a"] == 25.0


def test_after_a_crash_it_is_not_forgotten():
    with Driver(totals()) as d:
        d.pipe("orders", b"{", key="a")
        (letter,) = d.dead_letters()
        d.replay(letter, {"pieces": 3})
        d.crash()
        d.replay(letter, {"pieces": 3})
        assert d.store("per-user")["a"] == {"n": 1, "pieces": 3}


def test_a_joined_record_meets_the_table_as_of_its_time():
    with Driver(deep()) as d:
        d.pipe("users", {"name": "Ada"}, key="1", timestamp=1)
        d.pipe("clicks", b"?", key="1", timestamp=5)
        (letter,) = d.dead_letters()
        d.replay(letter, {"n": 50})
        assert d.store("sums")["Ada"] == {"sum": 4}


def test_somewhere_else_is_refused():
    with Driver(totals()) as d:
        d.pipe("orders", b"{", key="a")
        with pytest.raises(HoldfastError, match='at= must be "node" or "source"'):
            d.replay(d.dead_letters()[0], at="sink")
