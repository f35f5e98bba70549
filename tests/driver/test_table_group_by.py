"""Groups of tables: what was counted under the old value of a row is taken back."""

from decimal import Decimal

import pytest

import holdfast as hf
from holdfast import functions as F
from holdfast.testing import Driver
from tests.driver.helpers import letters, pairs, timed


def run(program, records, size=1, topic="in", schema=str):
    """Pipe (key, value, time) into a table in batches of `size`; give what `program(table).to("out")` wrote."""
    app = hf.App("groups", tasks=1)
    table = app.table(topic, schema, key=str, store=hf.Materialized("table", emit="every"))
    program(table).to("out")
    with Driver(app) as driver:
        for start in range(0, len(records), size):
            with driver.batch():
                for key, value, at in records[start : start + size]:
                    driver.pipe(topic, value, key=key, timestamp=at)
        return timed(driver, "out"), dict(driver.store("result").all()), letters(driver)


def every(name="result"):
    return hf.Materialized(name, emit="every")


def trace(group):
    """A text of what was added and what was subtracted, in order."""
    return group.aggregate(
        "0",
        lambda s, v: F.concat(s, F.lit("+"), v),
        subtract=lambda s, v: F.concat(s, F.lit("-"), v),
        store=every(),
    )


def test_a_new_value_in_the_same_group_is_one_change():
    records = [("A", "1", 10), ("B", "2", 15), ("A", "3", 20), ("B", "4", 18), ("C", "5", 5), ("B", "7", 15)]
    out, _, _ = run(lambda table: trace(table.group_by(lambda k, v: k)), records)
    assert out == [
        ("A", "0+1", 10),
        ("B", "0+2", 15),
        ("A", "0+1-1+3", 20),
        ("B", "0+2-2+4", 18),
        ("C", "0+5", 5),
        ("B", "0+2-2+4-4+7", 18),
    ]


def test_a_row_that_changes_groups_leaves_the_old_one_first():
    records = [("A", "1", 10), ("A", None, 15), ("A", "1", 12), ("B", "2", 20), ("B", "4", 23), ("B", "7", 22)]
    out, _, _ = run(lambda table: trace(table.group_by(lambda v: v)), records)
    assert out == [
        ("1", "0+1", 10),
        ("1", "0+1-1", 15),
        ("1", "0+1-1+1", 15),
        ("2", "0+2", 20),
        ("2", "0+2-2", 23),
        ("4", "0+4", 23),
        ("4", "0+4-4", 23),
        ("7", "0+7", 22),
    ]


def test_rows_are_counted_where_they_are_now():
    records = [("A", "green", 10), ("B", "green", 9), ("A", "blue", 12), ("C", "yellow", 15), ("D", "green", 11)]
    out, stored, _ = run(lambda table: table.group_by(lambda v: v).count(store=every()), records)
    assert out == [
        ("green", 1, 10),
        ("green", 2, 10),
        ("green", 1, 12),
        ("blue", 1, 12),
        ("yellow", 1, 15),
        ("green", 2, 12),
    ]
    assert stored == {"green": 2, "blue": 1, "yellow": 1}


def test_the_old_value_goes_before_the_new_one_comes():
    def letters_of_keys(table):
        group = table.map_values(lambda k, v: F.substring(k, 2, 1)).group_by(lambda k, v: F.substring(k, 1, 1))
        return group.aggregate(
            "", lambda s, v: F.concat(s, v), subtract=lambda s, v: F.replace(s, v, F.lit("")), store=every()
        )

    out, _, _ = run(letters_of_keys, [("11", "A", 10), ("12", "B", 8), ("11", None, 12), ("12", "C", 6)])
    assert out == [("1", "1", 10), ("1", "12", 10), ("1", "2", 12), ("1", "2", 12)]


def test_a_row_that_keeps_its_group_does_not_show_what_is_between():
    out, _, _ = run(lambda t: t.group_by(lambda k, v: k).count(store=every()), [("1", "", 8), ("1", "", 9)])
    assert out == [("1", 1, 8), ("1", 1, 9)]


NUMBERS = [("A", 1.1, 10), ("B", 2.2, 11), ("A", 2.6, 30), ("B", 1.3, 30), ("A", 5.7, 50), ("B", 6.2, 20)]


@pytest.mark.parametrize("size", [1, 3, 6])
def test_reduce_adds_and_subtracts(size):
    def totals(table):
        numbers = table.map_values(lambda v: F.cast(v, "bigint"))
        return numbers.group_by(lambda k, v: k).reduce(
            lambda old, new: old + new, subtract=lambda old, new: old - new, store="result"
        )

    out, stored, _ = run(totals, NUMBERS, size, schema=float)
    assert stored == {"A": 5, "B": 6}
    assert {key: (value, at) for key, value, at in out} == {"A": (5, 50), "B": (6, 30)}


@pytest.mark.parametrize("size", [1, 3, 5])
@pytest.mark.parametrize("subtract", [None, lambda s, v: F.concat(s, F.lit("-"), v)])
def test_aggregate_of_rows_that_only_come(size, subtract):
    records = [("A", "1", 10), ("B", "1", 50), ("C", "1", 30), ("D", "2", 40), ("E", "2", 60)]
    out, stored, _ = run(
        lambda table: table.group_by(lambda v: v).aggregate(
            "0", lambda s, v: F.concat(s, F.lit("+"), v), subtract=subtract, store="result"
        ),
        records,
        size,
    )
    assert stored == {"1": "0+1+1+1", "2": "0+2+2"}
    assert {key: at for key, _, at in out} == {"1": 50, "2": 60}


def test_what_subtract_makes_null_is_deleted_and_begins_anew():
    def totals(table):
        return table.group_by(lambda k, v: F.lit("all")).reduce(
            lambda old, new: old + new,
            subtract=lambda old, new: F.when(old != new, old - new),
            store=every(),
        )

    records = [("a", 5, 10), ("a", None, 20), ("a", 7, 15), ("b", 1, 3)]
    out, _, _ = run(totals, records, schema=int)
    assert out == [("all", 5, 10), ("all", None, 20), ("all", 7, 15), ("all", 8, 15)]


def test_nothing_is_subtracted_from_nothing():
    def totals(table):
        return table.group_by(lambda k, v: F.lit("all")).aggregate(
            0, lambda s, v: F.when(v != 1, s + v), subtract=lambda s, v: s - v, store=every()
        )

    # The first row makes the state null; then its change has nothing to subtract from.
    out, stored, _ = run(totals, [("a", 1, 10), ("a", 4, 5), ("b", 1, 20), ("a", None, 7)], schema=int)
    assert out == [("all", None, 10), ("all", 4, 5), ("all", None, 20), ("all", None, 7)]
    assert stored == {}


def test_an_emptied_group_counts_zero_and_has_no_extremes():
    app = hf.App("emptied")
    group = app.table("in", "g STRING, x BIGINT, y DOUBLE", key=str).group_by("g")
    group.count(store="count")
    group.agg(n=F.count("*"), x=F.sum("x"), store="totals")
    group.agg(y=F.sum("y"), store="floating")
    group.agg(mean=F.sum("x") / F.count("x"), store="mean")
    group.agg(n=F.count("*"), low=F.min("x"), store="low")
    group.agg(all=F.collect_list("x"), store="list")
    group.top(2, by="x", store="top")
    group.reduce(lambda old, new: new, store="reduced")
    with Driver(app) as d:
        d.pipe("in", {"g": "a", "x": 3, "y": 0.5}, key="k")
        assert d.store("floating")["a"] == {"y": 0.5}
        d.pipe("in", None, key="k")
        assert d.store("count")["a"] == 0
        assert d.store("totals")["a"] == {"n": 0, "x": 0}
        assert d.store("floating")["a"] == {"y": 0.0}
        for name in ("mean", "low", "list", "top", "reduced"):
            assert dict(d.store(name).all()) == {}, name
        d.pipe("in", {"g": "a", "x": 3, "y": 0.25}, key="k")
        assert d.store("floating")["a"] == {"y": 0.25}
        assert d.store("mean")["a"] == {"mean": 3.0}
        assert d.dead_letters() == []


def test_views_tell_what_was_there_before():
    def counted(table):
        view = table.filter(lambda v: v > 0).map_values(lambda v: v % 2)
        return view.group_by(lambda v: v).count(store=every())

    out, stored, _ = run(counted, [("a", 1, 1), ("a", -1, 2), ("a", 4, 3), ("b", 1, 4), ("a", 3, 5)], schema=int)
    assert out == [(1, 1, 1), (1, 0, 2), (0, 1, 3), (1, 1, 4), (0, 0, 5), (1, 2, 5)]
    assert stored == {0: 0, 1: 2}


def test_tables_of_tables():
    app = hf.App("cities", tasks=1)
    people = app.table("people", "city STRING", key=str)
    sizes = people.group_by("city").count()
    sizes.group_by(lambda city, n: n).count(store="cities-of-size").to("out")
    with Driver(app) as d:
        for key, city in [("a", "Ulm"), ("b", "Ulm"), ("c", "Bonn"), ("b", "Bonn")]:
            d.pipe("people", {"city": city}, key=key)
        assert dict(d.store("cities-of-size").all()) == {1: 1, 2: 1}
        d.pipe("people", None, key="a")
        assert dict(d.store("cities-of-size").all()) == {0: 1, 1: 0, 2: 1}


def test_a_join_sees_the_group_as_it_is():
    app = hf.App("crowds", tasks=4)
    people = app.table("people", "city STRING", key=str)
    sizes = people.group_by("city").count(store="sizes")
    app.stream("visits", str, key=str).select_key(lambda v: v).join(sizes, lambda v, n: n).to("out")
    with Driver(app) as d, d.batch():
        d.pipe("people", {"city": "Ulm"}, key="a", timestamp=1)
        d.pipe("visits", "Ulm", timestamp=2)
        d.pipe("people", {"city": "Ulm"}, key="b", timestamp=3)
        d.pipe("visits", "Ulm", timestamp=4)
        d.pipe("people", {"city": "Bonn"}, key="b", timestamp=5)
        d.pipe("visits", "Ulm", timestamp=6)
    assert pairs(d, "out") == [("Ulm", 1), ("Ulm", 2), ("Ulm", 1)]


def test_the_groups_of_a_versioned_table_are_those_of_the_latest_versions():
    app = hf.App("versions", tasks=1)
    table = app.table("in", str, key=str, store=hf.Materialized("table", versioned="5 minutes"))
    trace(table.filter(lambda v: v != "none").group_by(lambda v: v)).to("out")
    table.group_by(lambda v: v).count(store=every("counts")).to("counted")
    records = [("A", "1", 10), ("A", None, 15), ("A", "1", 12), ("B", "2", 20), ("B", "4", 23), ("B", "7", 22)]
    with Driver(app) as d:
        for key, value, at in records:
            d.pipe("in", value, key=key, timestamp=at)
        # Of two updates the later by time wins, and what comes out of order is no change of the groups.
        assert timed(d, "out") == [
            ("1", "0+1", 10),
            ("1", "0+1-1", 15),
            ("2", "0+2", 20),
            ("2", "0+2-2", 23),
            ("4", "0+4", 23),
        ]
        assert dict(d.store("counts").all()) == {"1": 0, "2": 0, "4": 1}


def test_sums_of_decimals_are_exact():
    app = hf.App("decimals")
    group = app.table("in", "x DECIMAL(38, 2)", key=str).group_by(lambda k, v: F.lit("all"))
    group.agg(total=F.sum("x"), n=F.count("x"), store="totals")
    with Driver(app) as d:
        for key, x in [("a", "0.10"), ("b", "0.20"), ("c", None), ("a", "0.30"), ("b", None)]:
            d.pipe("in", {"x": x and Decimal(x)}, key=key)
        assert d.store("totals")["all"] == {"total": Decimal("0.30"), "n": 1}
